/**
 * Moving what is stored to another store, with all that fences depend on: an optional port that a journal may have besides.
 * Only a copy tool uses it, on a store that no node uses at the time.
 *
 * Invariant: nothing that this port writes lowers an epoch, a sequence number or a revision that is there.
 */
import { hasMethods } from './has-methods.ts'
import type { StoredState } from './durable-states.ts'
import type { Journal } from './journal.ts'
import type { StoredRegister } from './registers.ts'

export interface StoreTransfer {
  /** Where a stream stands; undefined when it was never claimed. */
  readStream(persistenceId: string): Promise<StreamPlace | undefined>

  /**
   * Makes the stream stand as given, except for its events. A stream that has events already must have the same
   * `deletedSequenceNr` and `startSequenceNr`, and gets epoch and writer alone; one that has none begins behind
   * `deletedSequenceNr`. `highestSequenceNr` is not looked at: it grows by appends, which follow with the epoch given here.
   * An epoch that is smaller than the present one, or another beginning, is an `InvalidJournalCall`.
   */
  placeStream(place: StreamPlace): Promise<void>

  /** Puts this state there, with its epoch, writer and revision. None of them may fall. */
  placeState(state: StoredState): Promise<void>

  /** All registers after this name, in the order of their bytes: at most `namesMax`. */
  listRegisters(query: {
    readonly after?: string | undefined
    readonly namesMax: number
  }): Promise<readonly string[]>

  /** Puts this there with its revision, which must be greater than the present one, or equal with the same bytes. */
  placeRegister(register: {
    readonly name: string
    readonly revision: number
    readonly bytes: Uint8Array
  }): Promise<void>
}

export interface StreamPlace {
  readonly persistenceId: string
  readonly epoch: number
  readonly writer: string
  readonly highestSequenceNr: number
  /** See `Claim`. */
  readonly deletedSequenceNr: number
  readonly startSequenceNr: number
}

export function canTransfer(journal: Journal): journal is Journal & StoreTransfer {
  return hasMethods(journal, [
    'readStream',
    'placeStream',
    'placeState',
    'listRegisters',
    'placeRegister',
  ])
}

/** Whether it can be asked where a stream stands. */
export function readsStreams(
  journal: Journal,
): journal is Journal & Pick<StoreTransfer, 'readStream'> {
  return hasMethods(journal, ['readStream'])
}

/** The rule for all stores: what keeps a stream from being placed so, in words; undefined when nothing does. */
export function problemWithPlace(
  present: Omit<StreamPlace, 'persistenceId'> | undefined,
  { persistenceId, epoch, deletedSequenceNr, startSequenceNr }: StreamPlace,
): string | undefined {
  if (startSequenceNr > deletedSequenceNr)
    return `"${persistenceId}" cannot start behind its events`
  if (present === undefined) return undefined
  if (epoch < present.epoch) {
    return `"${persistenceId}" has epoch ${present.epoch} here, and cannot fall to ${epoch}`
  }
  const isSame =
    present.deletedSequenceNr === deletedSequenceNr && present.startSequenceNr === startSequenceNr
  return present.highestSequenceNr === 0 || isSame
    ? undefined
    : `"${persistenceId}" has ${present.highestSequenceNr} events here, which begin elsewhere`
}

export function problemWithStatePlace(
  present: StoredState | undefined,
  { persistenceId, epoch, revision }: StoredState,
): string | undefined {
  if (present === undefined) return undefined
  const isBehind = epoch < present.epoch || revision < present.revision
  return isBehind
    ? `The state "${persistenceId}" has epoch ${present.epoch} and revision ${present.revision} here, and neither may fall`
    : undefined
}

export function problemWithRegisterPlace(
  name: string,
  present: StoredRegister | undefined,
  { revision, bytes }: StoredRegister,
): string | undefined {
  if (present === undefined || revision > present.revision) return undefined
  const isSame = revision === present.revision && Buffer.compare(present.bytes, bytes) === 0
  return isSame
    ? undefined
    : `Register "${name}" has revision ${present.revision} here, and cannot become another ${revision}`
}
