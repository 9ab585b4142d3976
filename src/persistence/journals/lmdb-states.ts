/**
 * Durable states in their own table, under their ids.
 *
 *   value   checksum of the id and of what follows up to the state (4), checksum of the state (4), epoch (8), revision (8), whether
 *           there is a state (1), length of the writer (2), writer, the state
 *
 * Two checksums, because a write asks for epoch and revision alone.
 */
import { assert } from '../../foundation/assert.ts'
import {
  judgeStateWrite,
  type StateClaim,
  type StateWrite,
  type StateWriteResult,
  type StoredState,
} from '../durable-states.ts'
import { InvalidJournalCall, JournalCorrupted } from '../persistence-errors.ts'
import { problemWithStatePlace } from '../store-transfer.ts'
import { checksumOf } from './lmdb-checksum.ts'
import { type LmdbTables, markSweeping } from './lmdb-tables.ts'

const stateChecksumAt = 4
const epochAt = 8
const revisionAt = 16
const hasStateAt = 24
const writerLengthAt = 25
const writerAt = 27

/** What a write is judged by. */
type StateHead = Omit<StoredState, 'bytes'>

export function claimState(tables: LmdbTables, persistenceId: string, writer: string): StateClaim {
  const { epoch = 0, revision = 0, bytes } = readState(tables, persistenceId) ?? {}
  putState(tables, { persistenceId, epoch: epoch + 1, writer, revision, bytes })
  return { epoch: epoch + 1, revision, bytes }
}

export function writeState(tables: LmdbTables, write: StateWrite): StateWriteResult {
  const { persistenceId, revision, bytes } = write
  const head = readStateHead(tables, persistenceId)
  const result = judgeStateWrite(head, write)
  if (result.type !== 'StateWritten') return result
  assert(head !== undefined, 'a write is accepted only after a claim')
  putState(tables, { ...head, revision, bytes })
  return result
}

/** As another store has it. */
export function placeState(tables: LmdbTables, state: StoredState): void {
  const problem = problemWithStatePlace(readState(tables, state.persistenceId), state)
  if (problem !== undefined) throw new InvalidJournalCall(problem)
  putState(tables, state)
}

function putState(tables: LmdbTables, state: StoredState): void {
  markSweeping(tables)
  const { persistenceId, epoch, revision, writer, bytes } = state
  const id = Buffer.from(persistenceId)
  const writerBytes = Buffer.from(writer)
  const stateAt = writerAt + writerBytes.length
  const value = Buffer.allocUnsafe(stateAt + (bytes?.byteLength ?? 0))
  if (bytes !== undefined) value.set(bytes, stateAt)
  value.writeUInt32BE(checksumOf(value.subarray(stateAt)), stateChecksumAt)
  value.writeDoubleBE(epoch, epochAt)
  value.writeDoubleBE(revision, revisionAt)
  value.writeUInt8(bytes === undefined ? 0 : 1, hasStateAt)
  value.writeUInt16BE(writerBytes.length, writerLengthAt)
  writerBytes.copy(value, writerAt)
  value.writeUInt32BE(headChecksum(value, id, stateAt), 0)
  // LMDB joins pages that have become empty when a key is removed, and never when a value becomes shorter.
  tables.states.removeSync(id)
  tables.states.putSync(id, value)
}

function readStateHead(tables: LmdbTables, persistenceId: string): StateHead | undefined {
  const id = Buffer.from(persistenceId)
  const value = tables.states.getBinaryFast(id)
  return value && headIn(tables, id, persistenceId, value.subarray(0, value.length))
}

/** In bytes of its own. */
export function readState(tables: LmdbTables, persistenceId: string): StoredState | undefined {
  const id = Buffer.from(persistenceId)
  const value = tables.states.getBinary(id)
  if (value === undefined) return undefined
  const head = headIn(tables, id, persistenceId, value)
  const state = value.subarray(writerAt + value.readUInt16BE(writerLengthAt))
  if (checksumOf(state) !== value.readUInt32BE(stateChecksumAt))
    throw damaged(tables, persistenceId)
  return { ...head, bytes: value[hasStateAt] === 1 ? new Uint8Array(state) : undefined }
}

function headIn(tables: LmdbTables, id: Buffer, persistenceId: string, value: Buffer): StateHead {
  const stateAt = value.length < writerAt ? Infinity : writerAt + value.readUInt16BE(writerLengthAt)
  if (stateAt > value.length || value.readUInt32BE(0) !== headChecksum(value, id, stateAt)) {
    throw damaged(tables, persistenceId)
  }
  const [epoch, revision] = [value.readDoubleBE(epochAt), value.readDoubleBE(revisionAt)]
  return { persistenceId, epoch, revision, writer: value.toString('utf8', writerAt, stateAt) }
}

function headChecksum(value: Buffer, id: Buffer, stateAt: number): number {
  return checksumOf(value.subarray(stateChecksumAt, stateAt), checksumOf(id))
}

function damaged({ folder }: LmdbTables, persistenceId: string): JournalCorrupted {
  return new JournalCorrupted(folder, `the state "${persistenceId}" is unreadable`)
}
