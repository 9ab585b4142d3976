/**
 * Snapshots in their own table, under id and number: `snapshotKey`.
 *
 *   value   checksum of all that follows and of the key (4), time it was saved at (8), the state
 *
 * Those up to the number behind which the stream was ended are gone, also while they are still in the table.
 */
import { JournalCorrupted } from '../persistence-errors.ts'
import type { NewSnapshot, SnapshotQuery, StoredSnapshot } from '../snapshots.ts'
import { checksumOf } from './lmdb-checksum.ts'
import { numberBytes, numberMax, snapshotKey } from './lmdb-layout.ts'
import type { LmdbTables } from './lmdb-tables.ts'

const savedAt = 4
const stateAt = 12

/** Snapshots that one commit looks at to take them out of the table. */
export const snapshotsAtOnce = 256

export function putSnapshot({ snapshots }: LmdbTables, id: Buffer, snapshot: NewSnapshot): void {
  const { sequenceNr, savedAtMs, bytes } = snapshot
  const key = snapshotKey(id, sequenceNr)
  const value = Buffer.allocUnsafe(stateAt + bytes.byteLength)
  value.writeDoubleBE(savedAtMs, savedAt)
  value.set(bytes, stateAt)
  value.writeUInt32BE(checksumIn(value, key), 0)
  // LMDB joins pages that have become empty when a key is removed, and never when a value becomes shorter.
  snapshots.removeSync(key)
  snapshots.putSync(key, value)
}

/** The one with the greatest number that fits, and is greater than `after`. */
export function findSnapshot(
  tables: LmdbTables,
  query: SnapshotQuery,
  after: number,
): StoredSnapshot | undefined {
  const { persistenceId, savedUntilMs = Infinity } = query
  const id = Buffer.from(persistenceId)
  const from = Math.max(query.fromSequenceNr, after + 1)
  for (const sequenceNr of numbersOf(tables, id, from, query.toSequenceNr)) {
    const snapshot = readSnapshot(tables, id, persistenceId, sequenceNr)
    if (snapshot.savedAtMs <= savedUntilMs) return snapshot
  }
  return undefined
}

/** Removes some of those that fit. Answers the number to go on with, if there are more. */
export function removeSnapshots(
  tables: LmdbTables,
  id: Buffer,
  { fromSequenceNr, toSequenceNr, savedUntilMs }: SnapshotQuery,
): number | undefined {
  let count = 0
  for (const sequenceNr of numbersOf(tables, id, fromSequenceNr, toSequenceNr)) {
    if (count++ === snapshotsAtOnce) return sequenceNr
    const key = snapshotKey(id, sequenceNr)
    const isYounger = savedUntilMs !== undefined && savedTime(tables, key) > savedUntilMs
    if (!isYounger) tables.snapshots.removeSync(key)
  }
  return undefined
}

/** The greatest first. Each is looked for anew: the one before may have been removed, or read over. */
function* numbersOf(
  { snapshots }: LmdbTables,
  id: Buffer,
  from: number,
  to: number,
): Generator<number> {
  for (let last = Math.min(to, numberMax); from <= last;) {
    const query = { start: snapshotKey(id, last), reverse: true, limit: 1 }
    const [key] = snapshots.getKeys(query)
    if (key === undefined || Buffer.compare(key, snapshotKey(id, from)) < 0) return
    const sequenceNr = key.readUIntBE(id.length + 1, numberBytes)
    yield sequenceNr
    last = sequenceNr - 1
  }
}

/** Of a damaged one: long ago, so that it can be deleted. */
function savedTime({ snapshots }: LmdbTables, key: Buffer): number {
  const value = snapshots.getBinary(key)
  return value !== undefined && value.length >= stateAt ? value.readDoubleBE(savedAt) : 0
}

function readSnapshot(
  { snapshots, folder }: LmdbTables,
  id: Buffer,
  persistenceId: string,
  sequenceNr: number,
): StoredSnapshot {
  const key = snapshotKey(id, sequenceNr)
  const value = snapshots.getBinary(key)
  const isWhole =
    value !== undefined &&
    value.length >= stateAt &&
    value.readUInt32BE(0) === checksumIn(value, key)
  if (!isWhole) {
    const problem = `snapshot ${sequenceNr} of "${persistenceId}" is unreadable`
    throw new JournalCorrupted(folder, problem, undefined, sequenceNr)
  }
  const bytes = new Uint8Array(value.subarray(stateAt))
  return { persistenceId, sequenceNr, savedAtMs: value.readDoubleBE(savedAt), bytes }
}

function checksumIn(value: Buffer, key: Buffer): number {
  return checksumOf(value.subarray(savedAt), checksumOf(key))
}
