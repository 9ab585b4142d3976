/**
 * One write transaction: decides claims and appends on what is stored, inside the store's write lock, so that the fence
 * holds between processes. A stream is written once per transaction, however often it occurs in it.
 */
import { assert } from '../../foundation/assert.ts'
import type { AppendBatch, AppendResult, Claim } from '../journal.ts'
import { sliceOf } from '../persistence-id.ts'
import { judge } from './fence.ts'
import type { KnownStream, LmdbHeads } from './lmdb-heads.ts'
import { blockEvents, blockKey, countKey, encodeCount, numberKey } from './lmdb-layout.ts'
import { LmdbLogRecord } from './lmdb-log-record.ts'
import { LmdbStreamHead } from './lmdb-stream-head.ts'
import { type LmdbTables, readCount, readHead } from './lmdb-tables.ts'

export class LmdbCommit {
  readonly #tables: LmdbTables
  readonly #heads: LmdbHeads
  readonly #changed: KnownStream[] = []
  readonly #commitCount: number
  readonly #record = new LmdbLogRecord()
  #lastOrder: number
  /** Of the first event of the record that is being filled. */
  #recordOrder = 0

  constructor(tables: LmdbTables, heads: LmdbHeads) {
    const { lastOrder, commitCount } = readCount(tables)
    this.#tables = tables
    this.#heads = heads
    this.#lastOrder = lastOrder
    this.#commitCount = commitCount
    heads.begin(commitCount)
  }

  claim(persistenceId: string, writer: string): Claim {
    const stream = this.#stream(persistenceId)
    const head = (stream.head ??= LmdbStreamHead.fresh(sliceOf(persistenceId)))
    head.claim(writer)
    this.#change(stream)
    return { epoch: head.epoch, highestSequenceNr: head.highestSequenceNr }
  }

  append(batch: AppendBatch): AppendResult {
    const stream = this.#stream(batch.persistenceId)
    const { head } = stream
    const result = judge(head, batch)
    if (result.type !== 'Appended') return result
    assert(head !== undefined, 'an append is accepted only after a claim')

    for (const bytes of batch.events) this.#store(stream.id, head, bytes)
    assert(head.highestSequenceNr === result.highestSequenceNr, 'every event has a number')
    this.#change(stream)
    return result
  }

  highestSequenceNr(persistenceId: string): number {
    return this.#stream(persistenceId).head?.highestSequenceNr ?? 0
  }

  /** Writes what was only collected so far. Nothing may follow. */
  finish(): void {
    if (this.#changed.length === 0) return
    this.#writeRecord()
    for (const stream of this.#changed) {
      assert(stream.head !== undefined, 'a changed stream has a head')
      void this.#tables.heads.put(stream.id, stream.head.encode())
      stream.isChanged = false
    }
    const commitCount = this.#commitCount + 1
    void this.#tables.meta.put(countKey, encodeCount({ lastOrder: this.#lastOrder, commitCount }))
    this.#heads.end(commitCount)
  }

  #store(id: Buffer, head: LmdbStreamHead, bytes: Uint8Array): void {
    if (!this.#record.hasRoomFor(id, bytes)) this.#writeRecord()
    const order = ++this.#lastOrder
    if (this.#record.isEmpty) this.#recordOrder = order
    const sequenceNr = head.highestSequenceNr + 1
    this.#record.add(id, { sequenceNr, epoch: head.epoch, slice: head.slice, bytes })
    const block = head.add(this.#recordOrder)
    if (block === undefined) return
    void this.#tables.blocks.put(blockKey(id, sequenceNr / blockEvents - 1), block)
  }

  #writeRecord(): void {
    if (this.#record.isEmpty) return
    // Inside a transaction `put` copies at once, so that the record may be filled anew.
    void this.#tables.log.put(numberKey(this.#recordOrder), this.#record.take())
  }

  #change(stream: KnownStream): void {
    if (stream.isChanged) return
    stream.isChanged = true
    this.#changed.push(stream)
  }

  #stream(persistenceId: string): KnownStream {
    const known = this.#heads.get(persistenceId)
    if (known !== undefined) return known
    const id = Buffer.from(persistenceId)
    const stream = { id, head: readHead(this.#tables, id), isChanged: false }
    this.#heads.set(persistenceId, stream)
    return stream
  }
}
