/**
 * One entry in a record of the log, in place: where its parts lie, and whether it is whole. What a record is made of is told in
 * `lmdb-log-record.ts`.
 */
import { checksumOf } from './lmdb-checksum.ts'
import { isTagSection } from './lmdb-tag-section.ts'

export const checksumBytes = 4
const checkedFlag = 0x80000000

export const sequenceNrAt = 4
export const epochAt = 12
export const sliceAt = 20
export const idLengthAt = 22
export const idAt = 24
export const tagsFlag = 0x8000
/** In place of a slice, of which there are 1024. */
const gapSlice = 0xffff
const gapCountAt = sequenceNrAt
const gapBytesAt = epochAt

export function stampChecksum(record: Buffer, place: number): void {
  record.writeUInt32BE(checksumIn(record, place), 0)
}

export function checksumIn(record: Buffer, place: number): number {
  return (checksumOf(record.subarray(checksumBytes), place >>> 0) | checkedFlag) >>> 0
}

export interface Total {
  readonly count: number
  readonly weight: number
}

/** Undefined when these are not entries, or none. */
export function totalOf(entries: Buffer): Total | undefined {
  let count = 0
  let weight = 0
  for (let at = 0, size = 0; at < entries.length; at += size) {
    if (at + idAt > entries.length) return undefined
    size = entries.readUInt32BE(at)
    const idLength = entries.readUInt16BE(at + idLengthAt)
    if (idLength === 0) {
      if (size !== idAt || !isWholeGap(entries, at)) return undefined
      count += countAt(entries, at)
      weight += weightAt(entries, at)
    } else {
      if (!isWholeEvent(entries, at, size, idLength)) return undefined
      count++
      weight += size
    }
  }
  return count === 0 ? undefined : { count, weight }
}

/** Where its entries begin. */
export function firstEntryIn(record: Buffer): number {
  return isChecked(record) ? checksumBytes : 0
}

export function isChecked(record: Buffer): boolean {
  return record.length > checksumBytes && (record[0] ?? 0) >= 0x80
}

export function sequenceNrIn(record: Buffer, at: number): number {
  return record.readDoubleBE(at + sequenceNrAt)
}

export function persistenceIdIn(record: Buffer, at: number): string {
  return record.toString('utf8', at + idAt, idEnd(record, at))
}

export function gapOf(count: number, weight: number): Buffer {
  const gap = Buffer.alloc(idAt)
  gap.writeUInt32BE(idAt, 0)
  gap.writeDoubleBE(count, gapCountAt)
  gap.writeDoubleBE(weight, gapBytesAt)
  gap.writeUInt16BE(gapSlice, sliceAt)
  return gap
}

/** No event has an empty id. */
export function isGap(record: Buffer, at: number): boolean {
  return record.readUInt16BE(at + idLengthAt) === 0
}

/** How many events are here, or were. */
export function countAt(record: Buffer, at: number): number {
  return isGap(record, at) ? record.readDoubleBE(at + gapCountAt) : 1
}

/** Their bytes when they were stored. */
export function weightAt(record: Buffer, at: number): number {
  return isGap(record, at) ? record.readDoubleBE(at + gapBytesAt) : record.readUInt32BE(at)
}

export function isOf(record: Buffer, at: number, id: Buffer): boolean {
  const start = at + idAt
  const end = idEnd(record, at)
  return end - start === id.length && endsWith(record, end, id)
}

/** Whether the id ends here. Most ids of a kind differ in their last letters: that is cheap to see. */
export function endsWith(record: Buffer, end: number, id: Buffer): boolean {
  const start = end - id.length
  // A call of Node's own costs as much as a loop over this many.
  if (id.length > 64 && record[end - 1] === id[id.length - 1]) {
    return record.compare(id, 0, id.length, start, end) === 0
  }
  for (let at = id.length - 1; at >= 0; at--) if (record[start + at] !== id[at]) return false
  return true
}

function isWholeGap(record: Buffer, at: number): boolean {
  const count = countAt(record, at)
  return (
    record.readUInt16BE(at + sliceAt) === gapSlice &&
    Number.isSafeInteger(count) &&
    count > 0 &&
    weightAt(record, at) > idAt
  )
}

function isWholeEvent(record: Buffer, at: number, size: number, idLength: number): boolean {
  const end = at + size
  const idEndsAt = at + idAt + (idLength & ~tagsFlag)
  if (end > record.length || idEndsAt > end) return false
  return (idLength & tagsFlag) === 0 || isTagSection(record, idEndsAt, end)
}

export function isTagged(record: Buffer, at: number): boolean {
  return (record.readUInt16BE(at + idLengthAt) & tagsFlag) !== 0
}

export function idEnd(record: Buffer, at: number): number {
  return at + idAt + (record.readUInt16BE(at + idLengthAt) & ~tagsFlag)
}
