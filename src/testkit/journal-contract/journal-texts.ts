/** Events as texts, for tests of journals. */
import assert from 'node:assert/strict'
import type {
  AppendResult,
  Journal,
  OrderedEvent,
  SliceQuery,
  SliceReader,
  StoredEvent,
} from '../../persistence/index.ts'

/** Who writes, and after which event. */
export interface Writer {
  readonly id: string
  readonly epoch: number
  readonly after: number
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** No two parts of it are alike. */
export function largeBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let index = 0; index < length; index++) bytes[index] = (index * 7 + (index >> 8) * 13) & 255
  return bytes
}

export function assertSameBytes(found: Uint8Array | undefined, expected: Uint8Array): void {
  assert.ok(found instanceof Uint8Array)
  assert.equal(found.byteLength, expected.byteLength)
  assert.ok(Buffer.compare(found, expected) === 0, 'the bytes are the same')
}

export async function claimed(journal: Journal, id: string, name = 'writer'): Promise<Writer> {
  const { epoch, highestSequenceNr } = await journal.claim(id, name)
  return { id, epoch, after: highestSequenceNr }
}

export function appendText(
  journal: Journal,
  { id, epoch, after }: Writer,
  ...texts: string[]
): Promise<AppendResult> {
  const events = texts.map(bytesOf)
  return journal.append({ persistenceId: id, epoch, expectedSequenceNr: after, events })
}

export async function readEvents(
  journal: Journal,
  persistenceId: string,
  fromSequenceNr = 1,
  toSequenceNr = Number.MAX_SAFE_INTEGER,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  const range = { persistenceId, fromSequenceNr, toSequenceNr }
  await journal.read(range, (event) => void events.push(event))
  return events
}

export async function readTexts(
  journal: Journal,
  persistenceId: string,
  fromSequenceNr?: number,
  toSequenceNr?: number,
): Promise<string[]> {
  const events = await readEvents(journal, persistenceId, fromSequenceNr, toSequenceNr)
  return events.map(({ bytes }) => textOf(bytes))
}

/** `number text` of each. */
export async function inNumbers(
  journal: Journal,
  persistenceId: string,
  fromSequenceNr?: number,
  toSequenceNr?: number,
): Promise<string[]> {
  const events = await readEvents(journal, persistenceId, fromSequenceNr, toSequenceNr)
  return events.map(({ sequenceNr, bytes }) => `${sequenceNr} ${textOf(bytes)}`)
}

export const allSlices: SliceQuery = { fromSlice: 0, toSlice: 1023, eventsMax: 100 }

/** Page by page, from the beginning or from where an earlier reader was, until there is nothing more. */
export async function readAll(
  reader: SliceReader,
  query: SliceQuery = allSlices,
): Promise<OrderedEvent[]> {
  const events: OrderedEvent[] = []
  for (let { after } = query; ;) {
    const page = await reader.readSlices({ ...query, after })
    events.push(...page.events)
    if (page.isLast) return events
    after = page.next
  }
}

/** A reader that goes on where it was, and what it has seen. */
export function readerFollows(
  reader: SliceReader,
  query: SliceQuery,
): { readonly seen: readonly OrderedEvent[]; readonly readOn: () => Promise<void> } {
  const seen: OrderedEvent[] = []
  let { after } = query
  const readOn = async (): Promise<void> => {
    for (let isLast = false; !isLast;) {
      const page = await reader.readSlices({ ...query, after })
      seen.push(...page.events)
      ;({ next: after, isLast } = page)
    }
  }
  return { seen, readOn }
}
