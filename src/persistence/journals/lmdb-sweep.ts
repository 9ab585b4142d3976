/**
 * Frees the space of first events that were deleted (`deleteEventsTo`). Such a deletion only moves a number in the head of its
 * stream, because its events share their records with those of many others. The sweep walks the log from its beginning to the
 * checkpoint, again and again, some records in each commit, and only as far as deletions have paid for. What it finds:
 *
 * - A record that is mostly gone is made anew without what is gone.
 * - Records that have become small are joined, and a row of gaps is one gap. The joined one has the key of the first, so that
 *   orders and the weight of the log stay, and an event is found by the greatest key that is not greater than its place.
 * - With the last event of a block of places, the block goes.
 *
 * Records of the tail keep their keys: processes catch up from there. How far it has come is in the store, so that
 * whoever dies leaves no rest, and several processes take turns. What is damaged is passed over and stays as it is: whoever
 * reads it is told, and those who only share a commit with the sweep are not.
 */
import type { Clock } from '../../foundation/clock.ts'
import { JournalCorrupted } from '../persistence-errors.ts'
import {
  blockEvents,
  blockKey,
  numberBytes,
  numberKey,
  sweepKey,
  writeNumber,
} from './lmdb-layout.ts'
import { type LmdbRecordEntries, recordBytesMax } from './lmdb-log-record.ts'
import {
  firstEntryIn,
  idAt,
  idEnd,
  isGap,
  persistenceIdIn,
  sequenceNrIn,
} from './lmdb-record-entry.ts'
import { type IsGone, LmdbRewrittenRecord } from './lmdb-record-rewrite.ts'
import { readDeletion } from './lmdb-scrub.ts'
import { keyBehind, keyOfRecord, type LmdbTables, readRecord } from './lmdb-tables.ts'

/** How far the log is swept. */
export interface SweepPlace {
  /** The order to go on with. */
  readonly next: number
  /** Entries that may still be walked over: deletions pay for them. */
  readonly paid: number
  /** Events that were taken out since the walk began at the beginning of the log. */
  readonly taken: number
  /** How often it still comes to the end of the log, the tail included, and takes out everything on its way that is gone. */
  readonly thorough: number
}

export const freshSweep: SweepPlace = { next: 1, paid: 0, taken: 0, thorough: 0 }

/** The rest of a walk that is under way, and one from the beginning. */
export const thoroughWalks = 2

/**
 * Entries that one deleted event pays for. The walk comes by everything that is left, too: with four, about a third as many
 * deleted events as living ones are in the log at a time.
 */
export const entriesPerDeletion = 4

/** Entries that one commit walks over: more when much is paid for, but no longer than the event loop can wait. */
export const sweepEntries = 512
const sweepEntriesMax = 4096
const sweepMs = 2
const sweepBytesMax = 1_048_576

const fields = Object.keys(freshSweep) as (keyof SweepPlace)[]

export function readSweep({ meta, folder }: LmdbTables): SweepPlace | undefined {
  const stored = meta.getBinary(sweepKey)
  if (stored === undefined) return undefined
  if (stored.length !== fields.length * numberBytes) {
    throw new JournalCorrupted(folder, 'its sweep is unreadable')
  }
  const number = (index: number): number => stored.readUIntBE(index * numberBytes, numberBytes)
  return { next: number(0), paid: number(1), taken: number(2), thorough: number(3) }
}

export function writeSweep({ meta }: LmdbTables, place: SweepPlace): void {
  const bytes = Buffer.allocUnsafe(fields.length * numberBytes)
  fields.forEach((field, index) => writeNumber(bytes, place[field], index * numberBytes))
  meta.putSync(sweepKey, bytes)
}

/** Whether it is worth a commit to go on. */
export function isSweepDue(place: SweepPlace | undefined): boolean {
  return place !== undefined && (place.paid >= sweepEntries || place.thorough > 0)
}

export interface SweepOptions {
  readonly tables: LmdbTables
  /** Events up to this number of the stream are gone. */
  readonly deletedOf: (persistenceId: string) => number
  /** The checkpoint. */
  readonly headsOrder: number
  readonly lastOrder: number
  /** Undefined where time does not count. */
  readonly clock: Clock | undefined
}

/** Goes on from a place. Answers where it stands then. */
export function sweep(from: SweepPlace, options: SweepOptions): SweepPlace {
  return new Sweep(from, options).run()
}

interface OpenRecord {
  readonly key: number
  readonly record: LmdbRewrittenRecord
  isChanged: boolean
}

class Sweep {
  readonly #options: SweepOptions
  readonly #place: SweepPlace
  readonly #isThorough: boolean
  /** The record that those behind it may join. */
  #open: OpenRecord | undefined
  /** By the id of the stream. */
  readonly #deleted = new Map<string, number>()
  #entries = 0
  #bytes = 0
  #taken = 0

  constructor(place: SweepPlace, options: SweepOptions) {
    this.#options = options
    this.#place = place
    this.#isThorough = place.thorough > 0
  }

  run(): SweepPlace {
    const { tables, headsOrder, lastOrder } = this.#options
    const end = this.#isThorough ? lastOrder : headsOrder
    const entriesMax = Math.min(Math.max(this.#place.paid / 8, sweepEntries), sweepEntriesMax)
    let order = this.#place.next
    // Always where a record begins: one that is gone into twice would be joined with itself.
    if (order <= end) order = keyOfRecord(tables, order) ?? order
    if (order > 1 && order <= headsOrder) this.#openBefore(order)
    const isTimeUp = timeLimit(this.#options.clock)
    while (order <= end && this.#entries < entriesMax && this.#bytes < sweepBytesMax) {
      order = this.#pass(order)
      if (isTimeUp()) break
    }
    this.#close()
    return this.#left(order, order > end)
  }

  /** Goes by one record. Answers where the next one begins. */
  #pass(order: number): number {
    const { tables, headsOrder } = this.#options
    try {
      const record = readRecord(tables, order)
      if (order > headsOrder) this.#scrubInPlace(record)
      else this.#walk(record)
      return order + record.count
    } catch (error) {
      // The record itself, or a head that was asked for before anything was changed.
      if (!(error instanceof JournalCorrupted)) throw error
      this.#entries++
      this.#close()
      return keyBehind(tables, order) ?? Infinity
    }
  }

  #left(next: number, isAtEnd: boolean): SweepPlace {
    const taken = this.#place.taken + this.#taken
    const paid = Math.max(this.#place.paid - this.#entries, 0)
    const { thorough } = this.#place
    if (!isAtEnd) return { next, paid, taken, thorough }
    // A walk that has found nothing pays for no other.
    return { next: 1, paid: taken === 0 ? 0 : paid, taken: 0, thorough: Math.max(thorough - 1, 0) }
  }

  /** The record before this order may have been left small. */
  #openBefore(order: number): void {
    const { tables } = this.#options
    const key = keyOfRecord(tables, order - 1)
    const record = key === undefined ? undefined : wholeRecord(tables, key)
    if (record === undefined || record.place + record.count !== order) return
    const { place, bytes } = record
    if (bytes.length <= recordBytesMax / 2) this.#begin(place, bytes, undefined)
  }

  #walk(record: LmdbRecordEntries): void {
    const { place, bytes } = record
    const rest = this.#restOf(record)
    const length = rest?.length ?? bytes.length
    const canJoin = length <= recordBytesMax / 2
    const isGone = rest === undefined ? undefined : this.#isGone
    if (
      canJoin &&
      this.#open !== undefined &&
      this.#open.record.length + length <= recordBytesMax
    ) {
      this.#open.record.add(bytes, isGone)
      this.#open.isChanged = true
      this.#remove(place)
      return
    }
    this.#close()
    if (rest !== undefined || canJoin) this.#begin(place, bytes, isGone)
  }

  /** What is left of a record, if it is to be made anew. */
  #restOf(record: LmdbRecordEntries): LmdbRewrittenRecord | undefined {
    const { bytes } = record
    let gone = 0
    let count = 0
    for (let at = firstEntryIn(bytes), end = 0; at < bytes.length; at = end) {
      end = at + bytes.readUInt32BE(at)
      this.#entries++
      if (isGap(bytes, at) || sequenceNrIn(bytes, at) > this.#deletedAt(bytes, at)) continue
      gone += end - at
      count++
    }
    this.#bytes += bytes.length
    if (count === 0 || (!this.#isThorough && gone * 2 < bytes.length)) return undefined
    this.#taken += count
    const rest = new LmdbRewrittenRecord()
    rest.add(bytes, this.#isGone)
    return rest
  }

  /** Removes the block with the last of its events. */
  readonly #isGone: IsGone = (entries, at) => {
    const sequenceNr = sequenceNrIn(entries, at)
    if (sequenceNr > this.#deletedAt(entries, at)) return false
    if (sequenceNr % blockEvents === 0) {
      const { tables } = this.#options
      const id = Buffer.from(persistenceIdIn(entries, at))
      if (!isToBeScrubbed(tables, id, sequenceNr)) {
        tables.blocks.removeSync(blockKey(id, sequenceNr / blockEvents - 1))
      }
    }
    return true
  }

  /** Events of the stream of this entry are gone up to this number. */
  #deletedAt(entries: Buffer, at: number): number {
    // Not the id, but as many letters as it has bytes: that is made fastest.
    const key = entries.toString('latin1', at + idAt, idEnd(entries, at))
    let deleted = this.#deleted.get(key)
    if (deleted === undefined) {
      deleted = this.#options.deletedOf(persistenceIdIn(entries, at))
      this.#deleted.set(key, deleted)
    }
    return deleted
  }

  #scrubInPlace(record: LmdbRecordEntries): void {
    const rest = this.#restOf(record)
    if (rest === undefined) return
    this.#remove(record.place)
    this.#put(record.place, rest)
  }

  #begin(key: number, bytes: Buffer, isGone: IsGone | undefined): void {
    const record = new LmdbRewrittenRecord()
    record.add(bytes, isGone)
    this.#open = { key, record, isChanged: isGone !== undefined }
  }

  #close(): void {
    const open = this.#open
    this.#open = undefined
    if (open === undefined || !open.isChanged) return
    this.#remove(open.key)
    this.#put(open.key, open.record)
  }

  /** LMDB joins pages that have become empty when a key is removed, and never when a value becomes shorter. */
  #remove(key: number): void {
    this.#options.tables.log.removeSync(numberKey(key))
  }

  #put(key: number, record: LmdbRewrittenRecord): void {
    this.#options.tables.log.putSync(numberKey(key), record.take(key, true))
  }
}

/** The scrub finds the events of a stream that was ended by their blocks, and removes these: `last` is the last of one. */
function isToBeScrubbed(tables: LmdbTables, id: Buffer, last: number): boolean {
  const deletion = readDeletion(tables, id)
  return deletion !== undefined && deletion.from <= last && last - blockEvents < deletion.to
}

/** Undefined when it is damaged. */
function wholeRecord(tables: LmdbTables, key: number): LmdbRecordEntries | undefined {
  try {
    return readRecord(tables, key)
  } catch (error) {
    if (error instanceof JournalCorrupted) return undefined
    throw error
  }
}

function timeLimit(clock: Clock | undefined): () => boolean {
  if (clock === undefined) return () => false
  const end = clock.monotonicMs() + sweepMs
  return () => clock.monotonicMs() >= end
}
