/**
 * Takes deleted events out of the log. A few are taken out by the commit that deletes them. Many are only marked by it, by a row
 * in the table of deletions, and go in parts, each a bounded piece of work inside the write lock: whoever dies in between
 * leaves the row, and whoever opens the store next goes on.
 */
import { JournalCorrupted } from '../persistence-errors.ts'
import { blockEvents, blockKey, numberBytes, numberKey, writeNumber } from './lmdb-layout.ts'
import { scrubbed } from './lmdb-record-rewrite.ts'
import type { LmdbStreamHead } from './lmdb-stream-head.ts'
import { keyOfRecord, type LmdbTables, readRecord } from './lmdb-tables.ts'

/** Events that one commit takes out. */
export const scrubEventsMax = 256

/** Events of a stream that are deleted and still in the log. */
export interface Deletion {
  readonly from: number
  readonly to: number
}

export function readDeletion({ deletions, folder }: LmdbTables, id: Buffer): Deletion | undefined {
  const stored = deletions.getBinary(id)
  if (stored === undefined) return undefined
  if (stored.length !== 2 * numberBytes) {
    throw new JournalCorrupted(folder, `the deletion of "${id}" is unreadable`)
  }
  const from = stored.readUIntBE(0, numberBytes)
  return { from, to: stored.readUIntBE(numberBytes, numberBytes) }
}

export function writeDeletion({ deletions }: LmdbTables, id: Buffer, range: Deletion): void {
  const bytes = Buffer.allocUnsafe(2 * numberBytes)
  writeNumber(bytes, range.from, 0)
  writeNumber(bytes, range.to, numberBytes)
  deletions.putSync(id, bytes)
}

/** A stream with deleted events in the log; undefined when there is none. */
export function nextDeletion({ deletions }: LmdbTables): Buffer | undefined {
  // The key is lmdb's own, and good until the next read.
  for (const id of deletions.getKeys({ limit: 1 })) return Buffer.from(id)
  return undefined
}

/** Takes these events out, and with them the blocks of the index that hold no others. */
export function scrub(
  tables: LmdbTables,
  id: Buffer,
  head: LmdbStreamHead,
  { from, to }: Deletion,
): void {
  const places = new Set<number>()
  for (let number = from; number <= to; number++) {
    const place = head.placeOf(number) ?? placeInBlock(tables, id, number)
    if (place !== undefined) places.add(place)
  }
  const keys = new Set([...places].map((place) => keyOfRecord(tables, place)))
  for (const key of keys) {
    if (key === undefined) continue
    const record = readRecord(tables, key).bytes
    // LMDB joins pages that have become empty when a key is removed, and never when a value becomes shorter.
    tables.log.removeSync(numberKey(key))
    tables.log.putSync(numberKey(key), scrubbed(record, id, to, key))
  }
  const endOfBlocks = Math.floor(to / blockEvents)
  for (let block = Math.floor((from - 1) / blockEvents); block < endOfBlocks; block++) {
    tables.blocks.removeSync(blockKey(id, block))
  }
}

/** All of them are out, up to this one. A block that the sweep has left for them goes, if it is about no others that live. */
export function endDeletion(
  { deletions, blocks }: LmdbTables,
  id: Buffer,
  head: LmdbStreamHead,
  to: number,
): void {
  deletions.removeSync(id)
  const block = Math.floor(to / blockEvents)
  const last = (block + 1) * blockEvents
  if (last <= head.deletedSequenceNr) blocks.removeSync(blockKey(id, block))
}

/** Undefined when the block is gone with the events that it was about: they were swept. */
function placeInBlock(
  { blocks, folder }: LmdbTables,
  id: Buffer,
  number: number,
): number | undefined {
  const block = Math.floor((number - 1) / blockEvents)
  const places = blocks.getBinary(blockKey(id, block))
  if (places === undefined) return undefined
  if (places.length === blockEvents * numberBytes) {
    return places.readUIntBE(((number - 1) % blockEvents) * numberBytes, numberBytes)
  }
  throw new JournalCorrupted(folder, `block ${block} of the index of "${id}" is unreadable`)
}
