/**
 * One write transaction: decides what is asked of streams on what is stored, inside the store's write lock, so that the fence
 * holds between processes. An append writes the log only. A head is written when its stream is claimed or deleted, and by a fold when
 * the tail of the log has become too long (`lmdb-fold.ts`): some heads in each commit.
 */
import { assert } from '../../foundation/assert.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { EventDeletionResult, EventDeletionTo } from '../event-deletion.ts'
import type { AppendBatch, AppendResult, Claim, Fenced } from '../journal.ts'
import { InvalidJournalCall, JournalCorrupted } from '../persistence-errors.ts'
import { sliceOf } from '../persistence-id.ts'
import type { NewSnapshot, SnapshotDeletion, SnapshotQuery, SnapshotResult } from '../snapshots.ts'
import { problemWithPlace, type StreamPlace } from '../store-transfer.ts'
import type { DiskRoom } from './disk-room.ts'
import { judgeAppend, judgeDeletionTo, judgeSnapshot, judgeSnapshotDeletion } from './fence.ts'
import { type FoldLimits, mustFold } from './lmdb-fold.ts'
import type { KnownStream, LmdbHeads } from './lmdb-heads.ts'
import { blockEvents, blockKey, numberKey, type StoreCount } from './lmdb-layout.ts'
import type { LmdbLogRecord } from './lmdb-log-record.ts'
import type { QuickWrites } from './lmdb-quick-commit.ts'
import {
  endDeletion,
  nextDeletion,
  readDeletion,
  scrub,
  scrubEventsMax,
  writeDeletion,
} from './lmdb-scrub.ts'
import { putSnapshot, removeSnapshots } from './lmdb-snapshots.ts'
import { LmdbStreamHead } from './lmdb-stream-head.ts'
import {
  entriesPerDeletion,
  freshSweep,
  isSweepDue,
  readSweep,
  sweep,
  thoroughWalks,
  writeSweep,
} from './lmdb-sweep.ts'
import {
  hasChecksums,
  hasCommitMarks,
  type LmdbTable,
  type LmdbTables,
  markDeleting,
  markSweeping,
  markTagged,
  writeCount,
} from './lmdb-tables.ts'
import { noSection, sectionOf } from './lmdb-tag-section.ts'

/** What the transactions of one process have in common. */
export interface LmdbCommitParts {
  readonly tables: LmdbTables
  readonly heads: LmdbHeads
  readonly record: LmdbLogRecord
  readonly foldLimits: FoldLimits
  /** Deleted events that one commit takes out of the log; `scrubEventsMax` when not given. */
  readonly scrubEventsMax?: number
  readonly room: DiskRoom
  readonly clock?: Clock
}

/** Those up to this number are to be looked at; none when it is undefined. */
export interface SnapshotsLeft {
  readonly leftTo: number | undefined
}

export class LmdbCommit {
  readonly #parts: LmdbCommitParts
  readonly #before: StoreCount
  readonly #claimed: KnownStream[] = []
  /** What it wants to write, when it is decided before the write lock is held. Then it may be asked for appends alone. */
  readonly #quick: QuickWrites | undefined
  /** Whether what it writes gets checksums. */
  readonly #isChecked: boolean
  #lastOrder: number
  #tailBytes: number
  readonly #scrubMax: number
  /** Of the first event of the record that is being filled. */
  #recordOrder = 0
  #hasTags = false
  /** First events that were deleted, and are to be swept. */
  #deletedCount = 0
  #isThorough = false

  constructor(parts: LmdbCommitParts, quick?: QuickWrites) {
    this.#parts = parts
    this.#quick = quick
    this.#isChecked = quick !== undefined || hasChecksums(parts.tables)
    parts.record.begin(this.#isChecked)
    this.#scrubMax = parts.scrubEventsMax ?? scrubEventsMax
    this.#before = quick?.before ?? parts.heads.begin()
    this.#lastOrder = this.#before.lastOrder
    this.#tailBytes = this.#before.tailBytes
  }

  claim(persistenceId: string, writer: string): Claim {
    const stream = this.#parts.heads.stream(persistenceId)
    const head = (stream.head ??= new LmdbStreamHead(sliceOf(persistenceId)))
    head.claim(writer)
    this.#change(stream)
    const { epoch, highestSequenceNr, deletedSequenceNr, startSequenceNr } = head
    const deleted = deletedSequenceNr === 0 ? {} : { deletedSequenceNr }
    const started = startSequenceNr === 0 ? {} : { startSequenceNr }
    return { epoch, highestSequenceNr, ...deleted, ...started }
  }

  append(batch: AppendBatch): AppendResult {
    const stream = this.#parts.heads.stream(batch.persistenceId)
    const { head } = stream
    const result = judgeAppend(head, batch)
    if (result.type !== 'Appended') return result
    assert(head !== undefined, 'an append is accepted only after a claim')

    this.#storeAll(stream, head, batch)
    assert(head.highestSequenceNr === result.highestSequenceNr, 'every event has a number')
    return result
  }

  deleteEvents(batch: AppendBatch): AppendResult {
    const stream = this.#parts.heads.stream(batch.persistenceId)
    const { head } = stream
    const result = judgeAppend(head, batch)
    if (result.type !== 'Appended') return result
    assert(head !== undefined, 'a deletion is accepted only after a claim')
    if (head.highestSequenceNr > head.startSequenceNr) this.#delete(stream, head)
    if (batch.events.length > 0) this.#storeAll(stream, head, batch)
    return result
  }

  /** The events stay in the log until they are swept. */
  deleteEventsTo(deletion: EventDeletionTo): EventDeletionResult {
    const { tables, heads } = this.#parts
    const stream = heads.stream(deletion.persistenceId)
    const { head } = stream
    const result = judgeDeletionTo(head, deletion)
    if (result.type !== 'EventsDeleted') return result
    assert(head !== undefined, 'a deletion is accepted only after a claim')
    const count = result.deletedSequenceNr - head.deletedSequenceNr
    if (count === 0) return result
    markSweeping(tables)
    head.deleteTo(result.deletedSequenceNr)
    this.#deletedCount += count
    this.#change(stream)
    return result
  }

  saveSnapshot(snapshot: NewSnapshot): SnapshotResult {
    const { tables, heads } = this.#parts
    const { id, head } = heads.stream(snapshot.persistenceId)
    const result = judgeSnapshot(head, snapshot)
    if (result.type === 'SnapshotSaved') {
      markSweeping(tables)
      putSnapshot(tables, id, snapshot)
    }
    return result
  }

  /** Answers the number to go on with, if there are more. */
  deleteSnapshots(deletion: SnapshotDeletion): Fenced | SnapshotsLeft {
    const { tables, heads } = this.#parts
    const { id, head } = heads.stream(deletion.persistenceId)
    const refusal = judgeSnapshotDeletion(head, deletion)
    return refusal ?? { leftTo: removeSnapshots(tables, id, deletion) }
  }

  readStream(persistenceId: string): StreamPlace | undefined {
    const { head } = this.#parts.heads.stream(persistenceId)
    if (head === undefined) return undefined
    const { epoch, writer, highestSequenceNr, deletedSequenceNr, startSequenceNr } = head
    const numbers = { highestSequenceNr, deletedSequenceNr, startSequenceNr }
    return { persistenceId, epoch, writer, ...numbers }
  }

  placeStream(place: StreamPlace): void {
    const { tables, heads } = this.#parts
    const stream = heads.stream(place.persistenceId)
    const problem = problemWithPlace(stream.head, place)
    if (problem !== undefined) throw new InvalidJournalCall(problem)
    markSweeping(tables)
    stream.head ??= new LmdbStreamHead(sliceOf(place.persistenceId))
    stream.head.place(place)
    this.#change(stream)
  }

  /** Goes on with the sweep. Answers whether that is worth another commit. */
  sweepOn(): boolean {
    const { tables, heads, clock } = this.#parts
    const place = readSweep(tables)
    if (place === undefined || !isSweepDue(place)) return false
    // A thorough one comes by the events of this very commit.
    this.#writeRecord()
    const deletedOf = (persistenceId: string): number => heads.deletedSequenceNr(persistenceId)
    const { headsOrder } = this.#before
    const lastOrder = this.#lastOrder
    const left = sweep(place, { tables, deletedOf, headsOrder, lastOrder, clock })
    writeSweep(tables, left)
    return isSweepDue(left)
  }

  /**
   * Takes some deleted events out of the log that were too many for the commit that deleted them. Answers how many are left
   * of one stream that has some, 0 when none has. Its snapshots go first.
   */
  scrubOn(): number {
    const { tables, heads } = this.#parts
    const id = nextDeletion(tables)
    const deletion = id && readDeletion(tables, id)
    if (id === undefined || deletion === undefined) return 0
    const { head } = heads.stream(id.toString())
    if (head === undefined) {
      throw new JournalCorrupted(tables.folder, `"${id}" is deleted, and has no head`)
    }
    if (removeSnapshots(tables, id, endedSnapshots(id, deletion.to)) === undefined) {
      const to = Math.min(deletion.from + this.#scrubMax - 1, deletion.to)
      this.#writeRecord()
      scrub(tables, id, head, { from: deletion.from, to })
      if (to < deletion.to) writeDeletion(tables, id, { from: to + 1, to: deletion.to })
      else endDeletion(tables, id, head, to)
    }
    const next = nextDeletion(tables)
    const left = next && readDeletion(tables, next)
    return left === undefined ? 0 : Math.max(left.to - left.from + 1, 1)
  }

  highestSequenceNr(persistenceId: string): number {
    return this.#parts.heads.stream(persistenceId).head?.highestSequenceNr ?? 0
  }

  get tables(): LmdbTables {
    return this.#parts.tables
  }

  /** Writes what was only collected so far. Nothing may follow. */
  finish(): void {
    if (this.#lastOrder === this.#before.lastOrder && this.#claimed.length === 0) return
    this.#writeRecord()
    if (this.#hasTags && this.#quick === undefined) markTagged(this.#parts.tables)
    this.#writeClaims()
    this.#paySweep()
    this.#leave()
  }

  /** In place of all else: goes on with the fold, if it is still under way. */
  foldOn(): void {
    if (this.#parts.heads.fold !== undefined) this.#leave()
  }

  #leave(): void {
    const { tables, heads } = this.#parts
    const { claimCount, commitCount } = this.#before
    const left = this.#fold({
      ...this.#before,
      lastOrder: this.#lastOrder,
      commitCount: commitCount + 1,
      tailBytes: this.#tailBytes,
      claimCount: claimCount + this.#claimed.length,
    })
    heads.end(left)
    if (this.#quick === undefined) writeCount(tables, left, hasCommitMarks(tables))
    else this.#quick.leave(left)
  }

  #delete(stream: KnownStream, head: LmdbStreamHead): void {
    const { tables } = this.#parts
    const { id } = stream
    markDeleting(tables)
    // Events of this very commit may be among those that go.
    this.#writeRecord()
    const open = readDeletion(tables, id)
    const range = { from: open?.from ?? head.deletedSequenceNr + 1, to: head.highestSequenceNr }
    const left = removeSnapshots(tables, id, endedSnapshots(id, range.to))
    if (open === undefined && left === undefined && range.to - range.from < this.#scrubMax) {
      scrub(tables, id, head, range)
      head.letGoDeleted()
    } else {
      writeDeletion(tables, id, range)
    }
    // What was deleted before its end is wherever the sweep has left it.
    if (head.deletedSequenceNr > head.startSequenceNr) this.#isThorough = true
    head.delete()
    this.#change(stream)
  }

  /** More than events were added to the stream. Others learn of it as they do of a claim: what they know of it is dropped. */
  #change(stream: KnownStream): void {
    this.#parts.heads.soil(stream)
    this.#claimed.push(stream)
  }

  #paySweep(): void {
    if (this.#deletedCount === 0 && !this.#isThorough) return
    const { tables } = this.#parts
    const place = readSweep(tables) ?? freshSweep
    writeSweep(tables, {
      ...place,
      paid: place.paid + this.#deletedCount * entriesPerDeletion,
      thorough: this.#isThorough ? thoroughWalks : place.thorough,
    })
  }

  #storeAll(stream: KnownStream, head: LmdbStreamHead, { events }: AppendBatch): void {
    this.#parts.heads.soil(stream)
    for (const event of events) {
      if (event instanceof Uint8Array) this.#store(stream, head, event, noSection)
      else this.#store(stream, head, event.bytes, sectionOf(event.tags))
    }
  }

  #store(stream: KnownStream, head: LmdbStreamHead, bytes: Uint8Array, tags: Buffer): void {
    const { record } = this.#parts
    if (tags.length > 0) this.#hasTags = true
    if (!record.hasRoomFor(stream.id, bytes, tags)) this.#writeRecord()
    const order = ++this.#lastOrder
    if (record.isEmpty) this.#recordOrder = order
    record.add(stream.id, head, bytes, tags)
    head.add(this.#recordOrder)
  }

  #writeRecord(): void {
    const { record, tables } = this.#parts
    if (record.isEmpty) return
    this.#tailBytes += record.weight
    const bytes = record.take(this.#recordOrder)
    if (this.#quick === undefined) append(tables.log, this.#recordOrder, bytes)
    else this.#quick.keep(this.#recordOrder, bytes)
  }

  #writeClaims(): void {
    const { claims } = this.#parts.tables
    let claim = this.#before.claimCount
    for (const stream of this.#claimed) {
      append(claims, ++claim, stream.id)
      if (stream.isDirty) this.#writeHead(stream)
    }
  }

  /** Goes on with the fold, or begins one that is due. Answers what this commit leaves. */
  #fold(count: StoreCount): StoreCount {
    if (this.#quick !== undefined) return count
    const { heads, tables, foldLimits } = this.#parts
    const underWay = heads.fold
    if (underWay === undefined && !mustFold(count, heads.dirtyCount, foldLimits)) return count
    const fold = underWay ?? heads.beginFold(count)
    // Once it is under way, as many as this commit may have put behind, or it would never keep up.
    const events = underWay === undefined ? 0 : this.#lastOrder - this.#before.lastOrder
    const part = Math.max(foldLimits.foldHeadsMax, events)
    // Claims have written heads as well.
    const atMost = Math.max(part - this.#claimed.length, 0)
    for (const persistenceId of fold.take(atMost)) {
      const stream = heads.behind(persistenceId)
      if (stream !== undefined) this.#writeHead(stream)
    }
    if (!fold.isDone) return count
    heads.endFold()
    // What is there, not what the count says: a damaged one must not keep us here for ever.
    void tables.claims.clearAsync()
    return fold.leaves(count)
  }

  #writeHead(stream: KnownStream): void {
    const { heads, tables } = this.#parts
    const { id, head } = stream
    assert(head !== undefined, 'a changed stream has a head')
    for (let full = head.takeBlock(); full !== undefined; full = head.takeBlock()) {
      if (!this.#isUnneeded(stream, head, full.block)) {
        void tables.blocks.put(blockKey(id, full.block), full.places)
      }
    }
    void tables.heads.put(id, head.encode(this.#isChecked ? id : undefined))
    heads.clean(stream)
  }

  /** Nobody will look for these events by their places: they are swept, not scrubbed. */
  #isUnneeded({ id }: KnownStream, head: LmdbStreamHead, block: number): boolean {
    const last = (block + 1) * blockEvents
    const isSwept = last <= head.deletedSequenceNr && last > head.startSequenceNr
    return isSwept && readDeletion(this.#parts.tables, id) === undefined
  }
}

/** Of a stream that was ended behind this number. */
function endedSnapshots(id: Buffer, to: number): SnapshotQuery {
  return { persistenceId: id.toString(), fromSequenceNr: 0, toSequenceNr: to }
}

/** Puts the value behind all others of the table: LMDB fills its pages then, and leaves them half empty otherwise. */
function append(table: LmdbTable, key: number, value: Buffer): void {
  // Inside a transaction the value is copied at once. The answer is there, though its type says otherwise.
  const isLast: unknown = table.putSync(numberKey(key), value, { append: true })
  assert(isLast === true, 'a table that grows at its end has no greater key')
}
