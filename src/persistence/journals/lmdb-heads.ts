/**
 * Heads of streams in memory: those in use lately, and all that the table is behind of. The log is the truth after the
 * checkpoint, so a transaction begins by catching up with what others have committed since the last one of this process:
 * for each of their claims the head is dropped, as the claim has written it, and each of their events is counted.
 *
 * Invariant: once a transaction has begun, the known head of a stream, or else the one in the table, is its state after
 * all that was committed. A head that is ahead of the table is dirty, and is known until it is written.
 *
 * Two generations bound the clean heads, the limits of a fold the dirty ones: twice its streams, and those of one commit. A
 * clean head takes about 450 bytes, a dirty one up to 1 KB: at the defaults, and with ids of usual length, all together are
 * below 15 MB.
 */
import { JournalCorrupted } from '../persistence-errors.ts'
import { type FoldLimits, isOverdue, LmdbFold, mustFold } from './lmdb-fold.ts'
import { numberKey, type StoreCount } from './lmdb-layout.ts'
import type { LmdbRecordEntries } from './lmdb-log-record.ts'
import type { LmdbStreamHead } from './lmdb-stream-head.ts'
import { checkLogEnd, type LmdbTables, readCount, readHead, readRecord } from './lmdb-tables.ts'

/** Of one generation. */
const headsMax = 4096

export interface KnownStream {
  readonly persistenceId: string
  /** The persistence id in UTF-8. */
  readonly id: Buffer
  /** Undefined when nobody has claimed the stream yet. */
  head: LmdbStreamHead | undefined
  isDirty: boolean
}

export class LmdbHeads {
  readonly #tables: LmdbTables
  #young = new Map<string, KnownStream>()
  #old = new Map<string, KnownStream>()
  readonly #dirty = new Map<string, KnownStream>()
  /** What was committed when all this held. Undefined: nothing is known. */
  #seen: StoreCount | undefined
  #fold: LmdbFold | undefined
  /** Others have written while this process did. */
  #hasCompany = false

  constructor(tables: LmdbTables) {
    this.#tables = tables
  }

  /** To be called first in every transaction. Answers how far the store has come. */
  begin(): StoreCount {
    const count = readCount(this.#tables)
    if (count.commitCount !== this.#seen?.commitCount) this.#catchUp(count)
    return count
  }

  /** Whether the next commit may be decided before it holds the write lock, as far as this process knows: no fold is due. */
  mayBeQuick(limits: FoldLimits): boolean {
    if (this.#seen === undefined || this.#fold !== undefined) return false
    return !mustFold(this.#seen, this.#dirty.size, limits)
  }

  /** For such a commit, in the snapshot that it reads: how far the store has come, if it is where this process has left it. */
  beginQuickly(): StoreCount | undefined {
    const { commitCount } = readCount(this.#tables)
    return commitCount === this.#seen?.commitCount ? this.#seen : undefined
  }

  /** The transaction is written, and leaves this count. */
  end(count: StoreCount): void {
    this.#seen = count
  }

  /** Whatever happened to the last transaction, nothing is known any more. */
  forget(): void {
    this.#young.clear()
    this.#old.clear()
    this.#dirty.clear()
    this.#seen = undefined
    this.#fold = undefined
  }

  /** The same, since others have come in between: they may fold, too. */
  forgetForCompany(): void {
    this.forget()
    this.#hasCompany = true
  }

  stream(persistenceId: string): KnownStream {
    const young = this.#young.get(persistenceId)
    if (young !== undefined) return young
    const known = this.#old.get(persistenceId) ?? this.#dirty.get(persistenceId)
    const stream = known ?? this.#fromTable(persistenceId)
    if (this.#young.size >= headsMax) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(persistenceId, stream)
    return stream
  }

  /** The events of the stream up to this number are gone. Known streams stay those in use. */
  deletedSequenceNr(persistenceId: string): number {
    const { head } =
      this.#young.get(persistenceId) ??
      this.#old.get(persistenceId) ??
      this.#dirty.get(persistenceId) ??
      this.#fromTable(persistenceId)
    return head?.deletedSequenceNr ?? 0
  }

  /** Its head was changed. */
  soil(stream: KnownStream): void {
    if (stream.isDirty) return
    stream.isDirty = true
    this.#dirty.set(stream.persistenceId, stream)
  }

  /** Of both generations; a stream that is in both is counted twice. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  get dirtyCount(): number {
    return this.#dirty.size
  }

  get fold(): LmdbFold | undefined {
    return this.#fold
  }

  /** The fold takes up every stream whose head in the table may be behind. */
  beginFold(count: StoreCount): LmdbFold {
    this.#fold = new LmdbFold(this.#dirty.keys(), count)
    return this.#fold
  }

  /** The checkpoint was moved. */
  endFold(): void {
    this.#fold = undefined
  }

  isFoldOverdue(limits: FoldLimits): boolean {
    if (this.#fold === undefined || this.#seen === undefined) return false
    return isOverdue(this.#seen, this.#dirty.size, limits)
  }

  /** The stream as it is now, if its head has to be written: looked up by id, as others may have claimed it since. */
  behind(persistenceId: string): KnownStream | undefined {
    const stream = this.#dirty.get(persistenceId)
    if (stream?.head === undefined || !this.#hasCompany) return stream
    // Others fold at the same time, in the same order.
    const stored = readHead(this.#tables, stream.id)
    if (stored?.highestSequenceNr !== stream.head.highestSequenceNr) return stream
    stream.head = stored
    this.clean(stream)
    return undefined
  }

  /** Its head is in the table now. */
  clean(stream: KnownStream): void {
    stream.isDirty = false
    this.#dirty.delete(stream.persistenceId)
  }

  #fromTable(persistenceId: string): KnownStream {
    const id = Buffer.from(persistenceId)
    const head = readHead(this.#tables, id)
    return { persistenceId, id, head, isDirty: false }
  }

  /**
   * When others have moved the checkpoint beyond what we know, nobody can name all claims that were missed, and the way from
   * where we are may be long: then we start from there, with nothing known.
   */
  #catchUp(count: StoreCount): void {
    const seen = this.#seen
    this.#hasCompany ||= seen !== undefined
    const canGoOn =
      seen !== undefined &&
      seen.lastOrder >= count.headsOrder &&
      seen.claimCount >= count.foldedClaims
    if (canGoOn) {
      if (seen.headsOrder !== count.headsOrder) this.#settle(count.headsOrder)
      this.#dropClaimed(seen.claimCount, count.claimCount)
      this.#countBehind(seen, count)
    } else {
      this.forget()
      checkLogEnd(this.#tables, count)
      this.#countBehind({ ...count, lastOrder: count.headsOrder, tailBytes: 0 }, count)
    }
    this.#seen = count
  }

  /** Others have folded up to this event: what is in the table need not be known, and our own fold is over. */
  #settle(headsOrder: number): void {
    this.#fold = undefined
    for (const [persistenceId, { head }] of this.#dirty) {
      const isBehind = head !== undefined && head.lastPlace > headsOrder
      if (isBehind) head.letGo(headsOrder)
      else this.#drop(persistenceId)
    }
  }

  /** A checkpoint that is not where it was left would hide events: the bytes behind it tell. */
  #countBehind(from: StoreCount, count: StoreCount): void {
    let { tailBytes } = from
    for (let place = from.lastOrder + 1; place <= count.lastOrder;) {
      const entries = readRecord(this.#tables, place)
      while (entries.next()) this.#count(entries, place)
      tailBytes += entries.weight
      place += entries.count
    }
    if (tailBytes === count.tailBytes || from.headsOrder !== count.headsOrder) return
    throw this.#damage(
      `the log has ${tailBytes} bytes behind event ${count.headsOrder}, and its count says ${count.tailBytes}`,
    )
  }

  /** A claim writes the head with all that came before it. What came after it is counted on top of that. */
  #dropClaimed(after: number, last: number): void {
    for (let claim = after + 1; claim <= last; claim++) {
      const persistenceId = this.#tables.claims.getBinary(numberKey(claim))?.toString()
      if (persistenceId === undefined) throw this.#damage(`claim ${claim} is missing`)
      this.#drop(persistenceId)
    }
  }

  #drop(persistenceId: string): void {
    this.#young.delete(persistenceId)
    this.#old.delete(persistenceId)
    this.#dirty.delete(persistenceId)
  }

  #count(entry: LmdbRecordEntries, place: number): void {
    const stream = this.stream(entry.persistenceId)
    const { head } = stream
    const { sequenceNr } = entry
    // The head was read from the table, and was written there after this event.
    if (head !== undefined && sequenceNr <= head.highestSequenceNr) return
    const isNext = head?.highestSequenceNr === sequenceNr - 1 && entry.epoch <= head.epoch
    if (!isNext) {
      throw this.#damage(
        `event ${sequenceNr} of "${stream.persistenceId}" does not follow its head`,
      )
    }
    head.add(place)
    this.soil(stream)
  }

  #damage(problem: string): JournalCorrupted {
    return new JournalCorrupted(this.#tables.folder, problem)
  }
}
