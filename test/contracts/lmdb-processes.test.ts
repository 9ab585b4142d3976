import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LmdbJournal, type StoredEvent } from '../../src/persistence/index.ts'
import { textOf } from './journal-words.ts'

const writerFile = fileURLToPath(new URL('./lmdb-writer.ts', import.meta.url))

describe('LmdbJournal between processes', { timeout: 120_000 }, () => {
  let folder: string
  let running: Writer[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
    running = []
  })
  afterEach(async () => {
    await Promise.all(running.map((writer) => writer.kill()))
    rmSync(folder, { recursive: true })
  })
  const start = (name: string, streams: number): Writer => {
    const writer = new Writer(folder, name, streams)
    running.push(writer)
    return writer
  }

  test('loses nothing acknowledged and stays usable when writers are killed in mid-flight', async () => {
    for (let round = 0; round < 6; round++) {
      const writers = [start(`left${round}`, 16), start(`right${round}`, 16)]
      await Promise.all(writers.map((writer) => writer.acknowledged(40 + round * 57)))
      await writers[round % 2]?.kill()
      // The other one goes on: the lock of the dead is not left behind.
      await writers[(round + 1) % 2]?.acknowledgedMore(50)
      await writers[(round + 1) % 2]?.kill()
    }
    await expectWhole(folder, running)
  })

  test('never interleaves epochs when two processes fight for one stream', async () => {
    const writers = [start('left', 1), start('right', 1)]
    await Promise.all(writers.map((writer) => writer.acknowledged(150)))
    await Promise.all(writers.map((writer) => writer.kill()))
    const events = await expectWhole(folder, running)
    const epochs = events.map(({ epoch }) => epoch)
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b))
    expect(new Set(epochs).size).toBeGreaterThan(2)
  })
})

/** Everything acknowledged is there, under its number; numbers have no gaps; epochs never fall; pairs are whole. */
async function expectWhole(folder: string, writers: readonly Writer[]): Promise<StoredEvent[]> {
  const journal = LmdbJournal.open({ folder })
  const log: StoredEvent[] = []
  for (;;) {
    const events = await journal.readGlobal(log.length + 1, 1000)
    if (events.length === 0) break
    log.push(...events)
  }
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

function textAt(events: readonly StoredEvent[], index: number): string | undefined {
  const event = events[index]
  return event && textOf(event.bytes)
}

class Writer {
  readonly lines: string[] = []
  readonly #process: ChildProcess
  readonly #exited: Promise<unknown>
  #errors = ''
  #listeners: (() => void)[] = []

  constructor(folder: string, name: string, streams: number) {
    const args = ['--import', 'tsx', writerFile, folder, name, `${streams}`]
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
      if (this.#process.exitCode !== null) throw new Error(`the writer ended: ${this.#errors}`)
      await new Promise<void>((resolve) => this.#listeners.push(resolve))
    }
  }

  acknowledgedMore(count: number): Promise<void> {
    return this.acknowledged(this.lines.length + count)
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
