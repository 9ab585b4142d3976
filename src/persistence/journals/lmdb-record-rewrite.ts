/** Makes a record anew without events that were deleted, of one record or of several that lie side by side. */
import {
  checksumBytes,
  countAt,
  firstEntryIn,
  gapOf,
  idAt,
  isChecked,
  isGap,
  isOf,
  sequenceNrIn,
  stampChecksum,
  weightAt,
} from './lmdb-record-entry.ts'

/** Whether the event of the entry at this place of a record is gone. */
export type IsGone = (record: Buffer, at: number) => boolean

/** A record that is made of parts of others. What is left of events that went says how many they were, and no more. */
export class LmdbRewrittenRecord {
  readonly #parts: Buffer[] = [Buffer.alloc(checksumBytes)]
  #bytes = 0
  #gapCount = 0
  #gapWeight = 0

  /** Of its entries. */
  get length(): number {
    return this.#gapCount === 0 ? this.#bytes : this.#bytes + idAt
  }

  /** All entries of a record, without those events that are gone. */
  add(record: Buffer, isGone: IsGone = () => false): void {
    for (let at = firstEntryIn(record), end = 0; at < record.length; at = end) {
      end = at + record.readUInt32BE(at)
      if (isGap(record, at) || isGone(record, at)) {
        this.#gapCount += countAt(record, at)
        this.#gapWeight += weightAt(record, at)
        continue
      }
      this.#endGap()
      this.#parts.push(record.subarray(at, end))
      this.#bytes += end - at
    }
  }

  /** The record for this key, with a checksum if it shall have one. */
  take(place: number, isToBeChecked: boolean): Buffer {
    this.#endGap()
    if (!isToBeChecked) return Buffer.concat(this.#parts.slice(1))
    const record = Buffer.concat(this.#parts)
    stampChecksum(record, place)
    return record
  }

  #endGap(): void {
    if (this.#gapCount === 0) return
    this.#parts.push(gapOf(this.#gapCount, this.#gapWeight))
    this.#bytes += idAt
    this.#gapCount = 0
    this.#gapWeight = 0
  }
}

/** The record of this key without the events of a stream up to a number. */
export function scrubbed(record: Buffer, id: Buffer, upTo: number, place = 0): Buffer {
  const rest = new LmdbRewrittenRecord()
  rest.add(record, (entries, at) => isOf(entries, at, id) && sequenceNrIn(entries, at) <= upTo)
  return rest.take(place, isChecked(record))
}
