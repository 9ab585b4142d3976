/**
 * Keeping the newest state of an id and nothing of how it came about: an optional port that a journal may have besides. A
 * writer *claims* the state and gets an epoch, as for a stream of events; every write carries that epoch and the revision it
 * follows, and is refused when either is stale. The ids of states and those of streams have nothing to do with each other.
 *
 * Invariant: per id, accepted writes have non-decreasing epochs and strictly growing revisions, each written by one that
 * expected the one before it; after a claim gave out epoch e, no write with a smaller epoch is accepted. A state that was
 * deleted leaves its epoch and its revision behind.
 */
import type { Grant } from '../foundation/grant.ts'
import { hasMethods } from './has-methods.ts'
import { utf8Length } from '../foundation/text.ts'
import type { Fenced, Journal } from './journal.ts'
import { InvalidJournalCall, StateTooLarge } from './persistence-errors.ts'
import { checkPersistenceId } from './persistence-id.ts'
import { checkWhole } from './whole-number.ts'

export interface DurableStates {
  /** Bytes of one state; a larger one is refused with `StateTooLarge`. Undefined when only a write can tell. */
  readonly stateBytesMax?: number | undefined

  /** Makes the caller the only writer of this state, as `claim` does for a stream, and tells what is stored. */
  claimState(persistenceId: string, writer: string, grant?: Grant): Promise<StateClaim>

  /**
   * Puts this state in the place of the one before. `StateWritten` means that it survives a power cut. Writes of one id take
   * effect in the order of the calls; several may be under way at once. Rejects as `append` does, and with `StateTooLarge`.
   * The bytes belong to the journal until the promise settles.
   */
  writeState(write: StateWrite): Promise<StateWriteResult>

  /** What is stored, in bytes of the reader's own, for whoever only looks; undefined when the id was never claimed. */
  readState(persistenceId: string): Promise<StoredState | undefined>
}

export interface StateClaim {
  readonly epoch: number
  /** Of the last write: what the next one expects. 0 when there was none. */
  readonly revision: number
  /** Undefined when nothing was ever written, or it was deleted. */
  readonly bytes: Uint8Array | undefined
}

export interface StateWrite {
  readonly persistenceId: string
  /** From `claimState`. */
  readonly epoch: number
  readonly expectedRevision: number
  /** Greater than `expectedRevision`: those in between were never stored. The same only to delete. */
  readonly revision: number
  /** Undefined deletes it. */
  readonly bytes: Uint8Array | undefined
}

export interface StoredState {
  readonly persistenceId: string
  readonly epoch: number
  readonly writer: string
  readonly revision: number
  readonly bytes: Uint8Array | undefined
}

export type StateWriteResult = StateWritten | Fenced | RevisionConflict

export interface StateWritten {
  readonly type: 'StateWritten'
  readonly revision: number
}

/** The epoch is current, but the writer is wrong about the last revision. */
export interface RevisionConflict {
  readonly type: 'RevisionConflict'
  readonly revision: number
}

export function keepsStates(journal: Journal): journal is Journal & DurableStates {
  return hasMethods(journal, ['claimState', 'writeState', 'readState'])
}

/** The rule for all stores. Whoever applies a `StateWritten` does so before the next question is asked. */
export function judgeStateWrite(
  stored: Pick<StoredState, 'epoch' | 'writer' | 'revision'> | undefined,
  { persistenceId, epoch, expectedRevision, revision }: StateWrite,
): StateWriteResult {
  if (stored === undefined || epoch > stored.epoch) {
    throw new InvalidJournalCall(
      `Epoch ${epoch} of the state "${persistenceId}" was never given out by this store. Claim the state first, in the store that is written to.`,
    )
  }
  if (epoch < stored.epoch) {
    return { type: 'Fenced', byEpoch: stored.epoch, byWriter: stored.writer }
  }
  return expectedRevision === stored.revision
    ? { type: 'StateWritten', revision }
    : { type: 'RevisionConflict', revision: stored.revision }
}

/** Throws for what no store has to take. Answers the bytes to be stored. */
export function checkStateWrite(write: StateWrite, stateBytesMax: number): number {
  const { persistenceId, epoch, expectedRevision, revision, bytes } = write
  checkPersistenceId(persistenceId)
  checkWhole('epoch', epoch, 1)
  checkWhole('expectedRevision', expectedRevision, 0)
  checkWhole('revision', revision, bytes === undefined ? expectedRevision : expectedRevision + 1)
  if (bytes === undefined) return 0
  if (!(bytes instanceof Uint8Array)) {
    throw new InvalidJournalCall(`The state of "${persistenceId}" must be bytes.`)
  }
  if (bytes.byteLength > stateBytesMax) {
    throw new StateTooLarge(persistenceId, bytes.byteLength, stateBytesMax)
  }
  return utf8Length(persistenceId) + bytes.byteLength
}
