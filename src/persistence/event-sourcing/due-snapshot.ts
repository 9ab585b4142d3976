/**
 * A snapshot that waits for its events to be stored. The state is encoded as soon as it is due: a later command may change it in
 * place, and the snapshot would say what the events up to its number do not.
 */
import type { ValueCodec } from '../../serialization/internals.ts'
import { crossesMultiple, type Retention } from './retention.ts'
import { encodedState, type SnapshotForm } from './snapshot-form.ts'

export interface DueSnapshot {
  readonly sequenceNr: number
  readonly encoded: EncodedState
  /** Whether what is old may go then; a state that was kept for its own sake deletes nothing. */
  readonly isRetained: boolean
}

/** Or why it could not be encoded: told when it would have been kept. */
export type EncodedState = { readonly bytes: Uint8Array } | { readonly error: unknown }

/** When states are kept, and how. */
interface SnapshotPlan<State> extends SnapshotForm<State> {
  readonly codec: ValueCodec
  readonly retention?: Retention | undefined
}

/** Numbers of the events of one command, and whether `snapshotWhen` has asked for a snapshot of one of them. */
interface HandledEvents {
  readonly before: number
  readonly last: number
  readonly isWanted: boolean
}

/** Undefined when none is due after these events. */
export function dueSnapshot<State>(
  plan: SnapshotPlan<State>,
  state: State,
  { before, last, isWanted }: HandledEvents,
): DueSnapshot | undefined {
  const { retention } = plan
  const isRetained =
    retention !== undefined && crossesMultiple(retention.snapshotEvery, before, last)
  return isRetained || isWanted ? snapshotOf(plan, state, last, isRetained) : undefined
}

/** A state that is nothing is not kept. */
export function snapshotOf<State>(
  plan: SnapshotPlan<State>,
  state: State,
  sequenceNr: number,
  isRetained: boolean,
): DueSnapshot | undefined {
  if (state === null || state === undefined) return undefined
  return { sequenceNr, encoded: encodedOr(plan, state), isRetained }
}

function encodedOr<State>(plan: SnapshotPlan<State>, state: State): EncodedState {
  try {
    return { bytes: encodedState(plan, plan.codec, state) }
  } catch (error) {
    return { error }
  }
}
