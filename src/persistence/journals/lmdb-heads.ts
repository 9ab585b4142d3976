/**
 * Heads of streams in memory: those in use lately, and all that the table is behind of. The log is the truth after the
 * checkpoint, so a transaction begins by catching up with what others have committed since the last one of this process:
 * for each of their claims the head is dropped, as the claim has written it, and each of their events is counted.
 *
 * Invariant: once a transaction has begun, the known head of a stream, or else the one in the table, is its state after
 * all that was committed. A head that is ahead of the table is dirty, and is known until it is written.
 *
 * Two generations bound the clean heads, the limits of a fold the dirty ones. A clean head takes about 350 bytes, a dirty
 * one up to 1 KB: at the defaults, and with ids of usual length, all together are below 10 MB.
 */
import { JournalCorrupted } from '../persistence-errors.ts'
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

  constructor(tables: LmdbTables) {
    this.#tables = tables
  }

  /** To be called first in every transaction. Answers how far the store has come. */
  begin(): StoreCount {
    const count = readCount(this.#tables)
    if (count.commitCount !== this.#seen?.commitCount) this.#catchUp(count)
    return count
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

  /** Every stream whose head in the table may be behind. */
  get dirty(): Iterable<KnownStream> {
    return this.#dirty.values()
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
   * When others have folded since, nobody can name all claims that were missed, dirty heads are so no more, and the way
   * from where we are may be long: then we start from the checkpoint, with nothing known.
   */
  #catchUp(count: StoreCount): void {
    const seen = this.#seen
    const canGoOn =
      seen !== undefined &&
      seen.lastOrder >= count.headsOrder &&
      seen.claimCount >= count.foldedClaims
    if (canGoOn) this.#dropClaimed(seen.claimCount, count.claimCount)
    else {
      this.forget()
      checkLogEnd(this.#tables, count)
    }
    const after = canGoOn ? seen.lastOrder : count.headsOrder
    for (let place = after + 1; place <= count.lastOrder;) {
      const entries = readRecord(this.#tables, place)
      while (entries.next()) this.#count(entries, place)
      place += entries.count
    }
    this.#seen = count
  }

  /** A claim writes the head with all that came before it. What came after it is counted on top of that. */
  #dropClaimed(after: number, last: number): void {
    for (let claim = after + 1; claim <= last; claim++) {
      const persistenceId = this.#tables.claims.getBinary(numberKey(claim))?.toString()
      if (persistenceId === undefined) throw this.#damage(`claim ${claim} is missing`)
      this.#young.delete(persistenceId)
      this.#old.delete(persistenceId)
      this.#dirty.delete(persistenceId)
    }
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
