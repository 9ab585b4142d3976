/** Events as texts, for tests of journals. */
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
  return new TextDecoder().decode(bytes)
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
