/** Short words for tests of journals: events as texts. */
import type { AppendResult, Journal, JournalSettings } from '../../src/persistence/index.ts'

/** The journal of the running test, and a way to close it and open the store anew. */
export interface Opened {
  readonly journal: () => Journal
  readonly reopen: (settings?: Partial<JournalSettings>) => Promise<void>
}

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

export async function readTexts(
  journal: Journal,
  persistenceId: string,
  fromSequenceNr = 1,
  toSequenceNr = Number.MAX_SAFE_INTEGER,
): Promise<string[]> {
  const texts: string[] = []
  const range = { persistenceId, fromSequenceNr, toSequenceNr }
  await journal.read(range, (event) => texts.push(textOf(event.bytes)))
  return texts
}

/** `id:text` of every event of the store, in the order of the log. */
export async function globalTexts(journal: Journal): Promise<string[]> {
  const texts: string[] = []
  for (;;) {
    const events = await journal.readGlobal(texts.length + 1, 1000)
    if (events.length === 0) return texts
    texts.push(...events.map((event) => `${event.persistenceId}:${textOf(event.bytes)}`))
  }
}
