/**
 * How a journal lies in LMDB, in bytes. The log is the truth. It grows in the order of its keys, which LMDB writes fastest;
 * heads and blocks are written where their stream's name sorts, which costs a page each. So they are a *checkpoint*: an
 * append writes the log only, and now and then some commits fold what has gathered into the heads (`lmdb-fold.ts`). What lies
 * in the log behind the checkpoint is its tail; every process keeps the heads of the tail's streams in memory
 * (`lmdb-heads.ts`).
 *
 *   meta    'format' -> text        'count' -> how far the store has come: see `StoreCount`
 *           'store id' -> text      chance: tells this store from all others
 *           'commits' -> double     how many commits the count tells of, as LMDB itself can compare it: see `lmdb-quick-commit.ts`
 *           'registers' -> nothing  they have checksums: see `hasCheckedRegisters`
 *   log     order -> record         the event of this order and some that follow it: see `lmdb-log-record.ts`
 *   heads   id -> head              epoch, highest sequence number, slice, writer, places of the youngest events
 *   blocks  id NUL block -> places  of `blockEvents` events: those numbered block * blockEvents + 1 and so on
 *           'sweep' -> how far the store is swept: see `lmdb-sweep.ts`
 *   claims  number -> id            who was claimed, or deleted, since the checkpoint, so that others forget what they know of it
 *   deletions  id -> from, to       events that are deleted and still in the log: see `lmdb-scrub.ts`
 *   registers  name -> register     see `lmdb-registers.ts`: no part of all that. Older versions pass over this table
 *   snapshots  id NUL number -> state   see `lmdb-snapshots.ts`
 *   states  id -> state             see `lmdb-states.ts`: no part of all that either
 *
 * A head in the table holds every claim and deletion of its stream, all events up to the checkpoint, and all whose places are in a block.
 * It may hold more events than that: a claim and a fold under way write it as it is then.
 * The place of an event is the key that its record had when it was written. Where the log was swept, the record with the
 * greatest key that is not greater holds it. A block is there as long as the last of its events is in the log.
 * Whole numbers of 6 bytes are big-endian, so that keys sort as numbers do.
 */
import { assert } from '../../foundation/assert.ts'

/** What the first stores have. A store with a text that is not here is not opened. */
export const formatText = 'sherd journal, format 2'

/** Takes its place with the first event that has tags: versions that know nothing of tags refuse the store from then on. */
export const formatTextWithTags = 'sherd journal, format 3'

/** Takes its place with the first deletion: other versions would take what is left in the log for damage. It may have tags, too. */
export const formatTextWithDeletions = 'sherd journal, format 4'

/**
 * Of an older store from its first snapshot, state or deletion of first events on. Its records have a
 * checksum, its log is swept, and its heads may tell where the stream was ended. It may have tags and deletions, too.
 */
export const formatTextWithSweeps = 'sherd journal, format 5'

/**
 * Of every new store. Each commit that changes the count leaves its mark, so that the next one can be written on the condition
 * that nobody came in between. An older store never gets it: those who have it open leave no marks.
 */
export const formatTextWithMarks = 'sherd journal, format 6'

export const formatKey = Buffer.from('format')
export const storeIdKey = Buffer.from('store id')
export const countKey = Buffer.from('count')
export const commitMarkKey = Buffer.from('commits')
export const sweepKey = Buffer.from('sweep')
export const checkedRegistersKey = Buffer.from('registers')

/** Places that a head keeps before they become a block. */
export const blockEvents = 32

export const numberBytes = 6
export const numberMax = 2 ** 48 - 1

export function writeNumber(bytes: Buffer, value: number, at: number): void {
  assert(value <= numberMax, 'order and block numbers fit into six bytes')
  bytes.writeUIntBE(value, at, numberBytes)
}

export function numberKey(value: number): Buffer {
  const key = Buffer.allocUnsafe(numberBytes)
  writeNumber(key, value, 0)
  return key
}

export function blockKey(id: Buffer, block: number): Buffer {
  return keyWithNumber(id, block)
}

export function snapshotKey(id: Buffer, sequenceNr: number): Buffer {
  return keyWithNumber(id, sequenceNr)
}

/** No id has NUL in it, so those of one id lie together. */
function keyWithNumber(id: Buffer, number: number): Buffer {
  const key = Buffer.allocUnsafe(id.length + 1 + numberBytes)
  id.copy(key)
  key[id.length] = 0
  writeNumber(key, number, id.length + 1)
  return key
}

/** How far the store has come. */
export interface StoreCount {
  /** Of the last event. */
  readonly lastOrder: number
  readonly commitCount: number
  /** The checkpoint: the table of heads is complete up to this event. What follows is the tail. */
  readonly headsOrder: number
  /** Of the records in the tail. */
  readonly tailBytes: number
  readonly claimCount: number
  /** The claims up to this one are in the table of claims no more. */
  readonly foldedClaims: number
}

export const emptyCount: StoreCount = {
  lastOrder: 0,
  commitCount: 0,
  headsOrder: 0,
  tailBytes: 0,
  claimCount: 0,
  foldedClaims: 0,
}

const countFields = Object.keys(emptyCount) as (keyof StoreCount)[]

export function encodeCount(count: StoreCount): Buffer {
  const bytes = Buffer.allocUnsafe(countFields.length * numberBytes)
  countFields.forEach((field, index) => writeNumber(bytes, count[field], index * numberBytes))
  return bytes
}

/** Undefined when the bytes are not a count. */
export function decodeCount(bytes: Buffer): StoreCount | undefined {
  if (bytes.length !== countFields.length * numberBytes) return undefined
  const number = (index: number): number => bytes.readUIntBE(index * numberBytes, numberBytes)
  const count: StoreCount = {
    lastOrder: number(0),
    commitCount: number(1),
    headsOrder: number(2),
    tailBytes: number(3),
    claimCount: number(4),
    foldedClaims: number(5),
  }
  const isOurs = count.headsOrder <= count.lastOrder && count.foldedClaims <= count.claimCount
  return isOurs ? count : undefined
}

/** In the bytes of this machine: LMDB takes them for a number as they are. */
export function encodeCommitMark(commitCount: number): Buffer {
  return Buffer.from(Float64Array.of(commitCount).buffer)
}
