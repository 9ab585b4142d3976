/** Several processes on one LMDB store, without processes: each has its own heads in memory, and they take turns. */
import { expect } from 'vitest'
import type { StoredEvent } from '../../src/persistence/index.ts'
import { DiskRoom } from '../../src/persistence/journals/disk-room.ts'
import { LmdbCommit, type LmdbCommitParts } from '../../src/persistence/journals/lmdb-commit.ts'
import { defaultFoldLimits, type FoldLimits } from '../../src/persistence/journals/lmdb-fold.ts'
import { LmdbHeads } from '../../src/persistence/journals/lmdb-heads.ts'
import { LmdbLogRecord } from '../../src/persistence/journals/lmdb-log-record.ts'
import { defaultLmdbSettings } from '../../src/persistence/journals/lmdb-settings.ts'
import { LmdbQuickCommits } from '../../src/persistence/journals/lmdb-quick-commit.ts'
import { LmdbReader } from '../../src/persistence/journals/lmdb-reader.ts'
import type { LmdbTables } from '../../src/persistence/journals/lmdb-tables.ts'
import type { LmdbRequest, LmdbResult } from '../../src/persistence/journals/lmdb-request.ts'
import { foldOn, LmdbWrite, transact } from '../../src/persistence/journals/lmdb-write.ts'
import { bytesOf, textOf, type Writer } from '../../src/testkit/journal-contract/journal-texts.ts'

export type Answer = LmdbResult | Error

export class Overlay {
  readonly #parts: LmdbCommitParts
  readonly #quick: LmdbQuickCommits

  constructor(tables: LmdbTables, limits: Partial<FoldLimits> = {}, scrubEventsMax = 256) {
    const foldLimits = { ...defaultFoldLimits, ...limits }
    const room = new DiskRoom({ folder: tables.folder, freeBytes: () => undefined })
    const own = { heads: new LmdbHeads(tables), record: new LmdbLogRecord() }
    this.#parts = { tables, ...own, foldLimits, scrubEventsMax, room }
    this.#quick = new LmdbQuickCommits(this.#parts, 1)
  }

  get heads(): LmdbHeads {
    return this.#parts.heads
  }

  /** In one transaction, under the lock. */
  async write(requests: readonly LmdbRequest[]): Promise<Answer[]> {
    const { writes, answers } = prepared(requests)
    await transact(this.#parts, () => writes)
    for (const write of writes) write.succeed()
    return answers
  }

  /** In one transaction that is decided at once, before it holds the lock, if it may be. */
  async writeQuickly(requests: readonly LmdbRequest[]): Promise<Answer[]> {
    const { writes, answers } = prepared(requests)
    await transact(this.#parts, () => writes, { quick: this.#quick })
    for (const write of writes) write.succeed()
    return answers
  }

  /** In one transaction that has ended when this returns: it comes before all that others have only asked for. */
  writeAtOnce(requests: readonly LmdbRequest[]): Answer[] {
    const { writes, answers } = prepared(requests)
    this.#parts.tables.environment.transactionSync(() => {
      const commit = new LmdbCommit(this.#parts)
      for (const write of writes) write.perform(commit)
      commit.finish()
    })
    for (const write of writes) write.succeed()
    return answers
  }

  /** A transaction that does nothing else. */
  foldOn(): Promise<void> {
    return foldOn(this.#parts, () => undefined)
  }

  /** All is decided and written, and then the commit fails. */
  async writeInVain(requests: readonly LmdbRequest[]): Promise<void> {
    const failing = this.#parts.tables.environment.childTransaction(() => {
      const commit = new LmdbCommit(this.#parts)
      const ignore = (): void => undefined
      for (const request of requests) {
        new LmdbWrite(request, 0, { succeeded: ignore, failed: ignore }).perform(commit)
      }
      commit.finish()
      throw new Error('the disk is gone')
    })
    await expect(failing).rejects.toThrow('the disk is gone')
    this.heads.forget()
  }
}

function prepared(requests: readonly LmdbRequest[]) {
  const answers: Answer[] = []
  const answer = (one: Answer): void => void answers.push(one)
  const asker = { succeeded: answer, failed: answer }
  return { answers, writes: requests.map((request) => new LmdbWrite(request, 0, asker)) }
}

export function claimOf(persistenceId: string, writer = 'w'): LmdbRequest {
  return { type: 'Claim', persistenceId, writer }
}

export function appendOf({ id, epoch, after }: Writer, ...texts: string[]): LmdbRequest {
  const events = texts.map(bytesOf)
  const batch = { persistenceId: id, epoch, expectedSequenceNr: after, events }
  return { type: 'Append', batch }
}

/** Deletes what is there, and stores these texts behind it. */
export function deleteOf({ id, epoch, after }: Writer, ...texts: string[]): LmdbRequest {
  const events = texts.map(bytesOf)
  const batch = { persistenceId: id, epoch, expectedSequenceNr: after, events }
  return { type: 'Delete', batch }
}

/** The first events, up to this number. */
export function deleteToOf({ id, epoch, after }: Writer): LmdbRequest {
  return { type: 'DeleteTo', deletion: { persistenceId: id, epoch, toSequenceNr: after } }
}

/** An append that fails after its first event was counted and put into the record. */
export function tornAppendOf(writer: Writer): LmdbRequest {
  const events = [bytesOf('torn')]
  Object.defineProperty(events, 1, {
    get: () => {
      throw new Error('torn')
    },
  })
  const { id, epoch, after } = writer
  return {
    type: 'Append',
    batch: { persistenceId: id, epoch, expectedSequenceNr: after, events },
  }
}

/** Everything that is in the log, as a reader over all streams finds it: `id number text`. */
export function logTexts(tables: LmdbTables): string[] {
  const reader = new LmdbReader(tables, { ...defaultLmdbSettings, readEventsMax: 50 })
  const found: string[] = []
  const query = { fromSlice: 0, toSlice: 1023, eventsMax: 20 }
  for (let after = 0, isLast = false; !isLast;) {
    const page = reader.page(query, after)
    for (const { persistenceId, sequenceNr, bytes } of page.events) {
      found.push(`${persistenceId} ${sequenceNr} ${textOf(bytes)}`)
    }
    after = Number(page.next)
    isLast = page.isLast
  }
  return found
}

/** The texts of a stream as a reader finds them, in chunks of a few events. */
export function storedTexts(tables: LmdbTables, persistenceId: string, from = 1): string[] {
  const settings = { ...defaultLmdbSettings, readEventsMax: 7 }
  const reader = new LmdbReader(tables, settings)
  const lastOrder = reader.lastOrder()
  const id = Buffer.from(persistenceId)
  const events: StoredEvent[] = []
  for (;;) {
    const range = { id, from: from + events.length, to: Number.MAX_SAFE_INTEGER, lastOrder }
    const chunk = reader.chunk(range)
    if (chunk.length === 0) break
    events.push(...chunk)
  }
  events.forEach((event, index) => expect(event.sequenceNr).toBe(from + index))
  return events.map((event) => textOf(event.bytes))
}
