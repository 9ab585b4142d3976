/** Processes that write into one LMDB journal, and what must be true of the store whatever was done to them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import { LmdbJournal, type OrderedEvent, type StoredEvent } from '../../src/persistence/index.ts'
import { readAll, textOf } from '../../src/testkit/journal-contract/journal-texts.ts'
import { compiledFile } from '../processes/harness/compiled.ts'

const writerFile = compiledFile(new URL('./lmdb-writer.ts', import.meta.url))
export const registerWriterFile = compiledFile(
  new URL('./lmdb-register-writer.ts', import.meta.url),
)

/** Everything acknowledged is there, under its number; numbers have no gaps; epochs never fall; pairs are whole. */
export async function expectWhole(
  folder: string,
  writers: readonly Writer[],
): Promise<OrderedEvent[]> {
  const journal = await LmdbJournal.open({ folder })
  const log = await readAll(journal)
  const stored = new Map<string, StoredEvent[]>()
  for (const [index, event] of log.entries()) {
    expect(event.order).toBe(index + 1)
    const stream = stored.get(event.persistenceId) ?? []
    stored.set(event.persistenceId, stream)
    expect(event.sequenceNr).toBe(stream.length + 1)
    expect(event.epoch).toBeGreaterThanOrEqual(stream.at(-1)?.epoch ?? 0)
    stream.push(event)
  }
  for (const [id, events] of stored) {
    const read: StoredEvent[] = []
    const range = { persistenceId: id, fromSequenceNr: 1, toSequenceNr: 1e9 }
    await journal.read(range, (event) => read.push(event))
    expect(read).toEqual(events)
    for (let i = 0; i < events.length; i += 2) {
      expect(textAt(events, i + 1)).toBe(`${textAt(events, i)}+`)
    }
  }
  for (const line of writers.flatMap((writer) => writer.lines)) {
    const [id = '', number, text] = line.split(' ')
    expect(id, 'a writer that was not fenced knows its last event').not.toBe('conflict')
    expect(textAt(stored.get(id) ?? [], Number(number) - 1)).toBe(text)
  }
  await journal.close()
  return log
}

/** For the line of a long run: only what `expectWhole` has found to be true. */
export function countsOf(writers: readonly Writer[]): Readonly<Record<string, number>> {
  const acknowledged = writers.reduce((sum, { lines }) => sum + lines.length, 0)
  return { processes: writers.length, acknowledged, lost: 0, doubled: 0 }
}

function textAt(events: readonly StoredEvent[], index: number): string | undefined {
  const event = events[index]
  return event && textOf(event.bytes)
}

export class Writer {
  readonly lines: string[] = []
  readonly #process: ChildProcess
  readonly #exited: Promise<unknown>
  #errors = ''
  #listeners: (() => void)[] = []

  constructor(
    folder: string,
    name: string,
    streams: number,
    killAfterMs = 2000,
    file = writerFile,
  ) {
    const args = [file, folder, name, `${streams}`, `${killAfterMs}`]
    this.#process = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#exited = once(this.#process, 'close').then(() => this.#changed())
    this.#process.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()))
    if (this.#process.stdout) {
      createInterface(this.#process.stdout).on('line', (line) => {
        this.lines.push(line)
        this.#changed()
      })
    }
  }

  /** Resolves when that many appends were acknowledged. */
  async acknowledged(count: number): Promise<void> {
    while (this.lines.length < count) {
      if (!this.isAlive) throw new Error(`the writer ended: ${this.#errors}`)
      await new Promise<void>((resolve) => this.#listeners.push(resolve))
    }
  }

  acknowledgedMore(count: number): Promise<void> {
    return this.acknowledged(this.lines.length + count)
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null
  }

  get errors(): string {
    return this.#errors
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process.kill(signal)
  }

  async ended(): Promise<void> {
    await this.#exited
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#exited
  }

  #changed(): void {
    const listeners = this.#listeners
    this.#listeners = []
    for (const tell of listeners) tell()
  }
}
