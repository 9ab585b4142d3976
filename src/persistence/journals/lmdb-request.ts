/** What can be asked of a write transaction: how each request is checked before, what it costs, and who decides it. */
import { unreachable } from '../../foundation/assert.ts'
import type { Grant } from '../../foundation/grant.ts'
import { utf8Length } from '../../foundation/text.ts'
import { checkGrantName } from '../claim-fences.ts'
import {
  checkStateWrite,
  type StateClaim,
  type StateWrite,
  type StateWriteResult,
  type StoredState,
} from '../durable-states.ts'
import type { EventDeletionResult, EventDeletionTo } from '../event-deletion.ts'
import type { AppendBatch, AppendResult, Claim, Fenced } from '../journal.ts'
import { checkPersistenceId } from '../persistence-id.ts'
import {
  checkRegisterName,
  checkRegisterWrite,
  type RegisterWrite,
  type RegisterWriteResult,
} from '../registers.ts'
import {
  checkNewSnapshot,
  checkSnapshotDeletion,
  type NewSnapshot,
  type SnapshotDeletion,
  type SnapshotResult,
} from '../snapshots.ts'
import type { StreamPlace } from '../store-transfer.ts'
import { checkWhole } from '../whole-number.ts'
import { checkAppend, checkClaim, checkDeletion, checkDeletionTo } from './fence.ts'
import type { LmdbCommit, SnapshotsLeft } from './lmdb-commit.ts'
import { forgetGrant, underGrant } from './lmdb-grants.ts'
import { type NamedRegister, placeRegister, writeRegister } from './lmdb-registers.ts'
import { scrubEventsMax } from './lmdb-scrub.ts'
import type { LmdbSettings } from './lmdb-settings.ts'
import { snapshotsAtOnce } from './lmdb-snapshots.ts'
import { claimState, placeState, writeState } from './lmdb-states.ts'
import { sweepEntries } from './lmdb-sweep.ts'

export type LmdbRequest =
  | { readonly type: 'Append'; readonly batch: AppendBatch }
  | { readonly type: 'Delete'; readonly batch: AppendBatch }
  | { readonly type: 'DeleteTo'; readonly deletion: EventDeletionTo }
  /** Takes deleted events out of the log. */
  | { readonly type: 'Scrub' }
  /** Goes on with the sweep. */
  | { readonly type: 'Sweep' }
  | {
      readonly type: 'Claim'
      readonly persistenceId: string
      readonly writer: string
      readonly grant?: Grant | undefined
    }
  | { readonly type: 'Highest'; readonly persistenceId: string }
  | { readonly type: 'Register'; readonly write: RegisterWrite }
  | { readonly type: 'ForgetGrant'; readonly name: string }
  | { readonly type: 'SaveSnapshot'; readonly snapshot: NewSnapshot }
  /** Some at a time. */
  | { readonly type: 'DeleteSnapshots'; readonly deletion: SnapshotDeletion }
  | {
      readonly type: 'ClaimState'
      readonly persistenceId: string
      readonly writer: string
      /** Of what is stored, which the claim reads and writes anew. */
      readonly storedBytes: number
      readonly grant?: Grant | undefined
    }
  | { readonly type: 'WriteState'; readonly write: StateWrite }
  | { readonly type: 'ReadStream'; readonly persistenceId: string }
  | { readonly type: 'PlaceStream'; readonly place: StreamPlace }
  | { readonly type: 'PlaceState'; readonly state: StoredState }
  | { readonly type: 'PlaceRegister'; readonly register: NamedRegister }

export type LmdbResult =
  | AppendResult
  | EventDeletionResult
  | Claim
  | number
  | boolean
  | RegisterWriteResult
  | SnapshotResult
  | Fenced
  | SnapshotsLeft
  | StateClaim
  | StateWriteResult
  | StreamPlace
  | undefined

/**
 * Decisions are taken on the event loop and inside the write lock, so a commit is bounded in all that it decides. In events of
 * equal work: a claim writes a head where its stream's name sorts, a question reads one there, a register, a state or a
 * snapshot is read and written where its own name sorts.
 */
const claimEvents = 2
const questionEvents = 1
const rowEvents = 2
/** Of a state that is read and written whole. */
const bytesPerEvent = 4096

export function workOf(request: LmdbRequest): number {
  switch (request.type) {
    case 'Append':
      return request.batch.events.length
    case 'Delete':
      return request.batch.events.length + scrubEventsMax
    case 'Scrub':
      return scrubEventsMax
    case 'Sweep':
      return sweepEntries
    case 'DeleteSnapshots':
      return snapshotsAtOnce / 8
    case 'Claim':
    case 'DeleteTo':
    case 'PlaceStream':
      return claimEvents
    case 'Highest':
    case 'ReadStream':
      return questionEvents
    case 'Register':
    case 'ForgetGrant':
    case 'SaveSnapshot':
    case 'WriteState':
    case 'PlaceState':
    case 'PlaceRegister':
      return rowEvents
    case 'ClaimState':
      return rowEvents + Math.floor(request.storedBytes / bytesPerEvent)
    default:
      return unreachable(request)
  }
}

/**
 * Whether it reads all that it needs before it changes anything, or only what may stay so by itself, as the events that a
 * scrub has taken out. The end of a stream takes snapshots and events with it, and all of that happens or nothing.
 */
export function looksBeforeItWrites({ type }: LmdbRequest): boolean {
  return type !== 'Delete' && type !== 'Sweep'
}

/** Throws for what no store has to take. Answers the bytes to be stored. */
export function checkRequest(request: LmdbRequest, settings: LmdbSettings): number {
  switch (request.type) {
    case 'Append':
      return checkAppend(request.batch, settings)
    case 'Delete':
      return checkDeletion(request.batch, settings)
    case 'DeleteTo':
      checkDeletionTo(request.deletion)
      return 0
    case 'Scrub':
    case 'Sweep':
      return 0
    case 'Claim':
    case 'ClaimState':
      return checkClaim(request.persistenceId, request.writer, request.grant)
    case 'Highest':
    case 'ReadStream':
      checkPersistenceId(request.persistenceId)
      return 0
    case 'Register':
      return checkRegisterWrite(request.write)
    case 'ForgetGrant':
      checkGrantName(request.name)
      return 0
    case 'SaveSnapshot':
      return checkNewSnapshot(request.snapshot, settings.stateBytesMax)
    case 'DeleteSnapshots':
      checkSnapshotDeletion(request.deletion)
      return 0
    case 'WriteState':
      return checkStateWrite(request.write, settings.stateBytesMax)
    case 'PlaceStream':
      return checkPlace(request.place)
    case 'PlaceState':
      return checkStatePlace(request.state)
    case 'PlaceRegister':
      checkRegisterName(request.register.name)
      return utf8Length(request.register.name) + request.register.bytes.byteLength
    default:
      return unreachable(request)
  }
}

function checkPlace(place: StreamPlace): number {
  checkClaim(place.persistenceId, place.writer)
  checkWhole('epoch', place.epoch, 0)
  checkWhole('deletedSequenceNr', place.deletedSequenceNr, 0)
  checkWhole('startSequenceNr', place.startSequenceNr, 0)
  return 0
}

function checkStatePlace(state: StoredState): number {
  checkClaim(state.persistenceId, state.writer)
  checkWhole('epoch', state.epoch, 0)
  checkWhole('revision', state.revision, 0)
  return utf8Length(state.persistenceId) + (state.bytes?.byteLength ?? 0)
}

export function decide(request: LmdbRequest, commit: LmdbCommit): LmdbResult {
  const { tables } = commit
  switch (request.type) {
    case 'Append':
      return commit.append(request.batch)
    case 'Delete':
      return commit.deleteEvents(request.batch)
    case 'DeleteTo':
      return commit.deleteEventsTo(request.deletion)
    case 'Scrub':
      return commit.scrubOn()
    case 'Sweep':
      return commit.sweepOn()
    case 'Claim':
      return underGrant(tables, request, () => commit.claim(request.persistenceId, request.writer))
    case 'Highest':
      return commit.highestSequenceNr(request.persistenceId)
    case 'Register':
      return writeRegister(tables, request.write)
    case 'ForgetGrant':
      forgetGrant(tables, request.name)
      return undefined
    case 'SaveSnapshot':
      return commit.saveSnapshot(request.snapshot)
    case 'DeleteSnapshots':
      return commit.deleteSnapshots(request.deletion)
    case 'ClaimState':
      return underGrant(tables, request, () =>
        claimState(tables, request.persistenceId, request.writer),
      )
    case 'WriteState':
      return writeState(tables, request.write)
    case 'ReadStream':
      return commit.readStream(request.persistenceId)
    case 'PlaceStream':
      commit.placeStream(request.place)
      return undefined
    case 'PlaceState':
      placeState(tables, request.state)
      return undefined
    case 'PlaceRegister':
      placeRegister(tables, request.register)
      return undefined
    default:
      return unreachable(request)
  }
}
