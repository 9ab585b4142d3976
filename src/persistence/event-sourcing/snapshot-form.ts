/**
 * What is stored of a state that is kept as a snapshot: its version and itself, after the adapter. What was stored in another
 * form, or by another version without an upcaster, is refused here, before anybody starts from it.
 */
import { CodedError } from '../../foundation/coded-error.ts'
import { isRecord } from '../../foundation/is-object.ts'
import { show } from '../../foundation/show.ts'
import { CannotSerialize } from '../../serialization/index.ts'
import type { ValueCodec } from '../../serialization/internals.ts'
import { wordsOf } from './event-sourced-errors.ts'
import { checkBySchema, problemsBySchema, type StandardSchema } from './standard-schema.ts'

/** Between the state that handlers know and what is stored of it as a snapshot. */
export interface SnapshotAdapter<State> {
  /** What is stored of the state: a value that can be stored. When it throws, this snapshot has failed. */
  toJournal(state: State): unknown
  /** The state of what was stored. When it throws, the snapshot is passed over. */
  fromJournal(stored: unknown): State
}

/** How states of this version are stored, and how those of others are read. */
export interface SnapshotForm<State> {
  readonly snapshotAdapter?: SnapshotAdapter<State> | undefined
  /** Of the shape of the state; 0 when not given. Snapshots of another version are passed over, or upcast when it was a lower one. */
  readonly snapshotVersion?: number | undefined
  /** Makes a state of this version of what was stored by an earlier one. What a later one has stored is never given to it. */
  readonly upcastSnapshot?: ((stored: unknown, version: number) => State) | undefined
  readonly schemas?: { readonly state?: StandardSchema | undefined } | undefined
}

/** How it lies in the store. */
export interface VersionedState {
  readonly version: number
  readonly state: unknown
}

/** A snapshot lies in the store that this version cannot start from. */
export class SnapshotRefused extends CodedError {
  readonly code = 'SNAPSHOT_REFUSED'
}

/** Throws `CannotSerialize`, `RefusedBySchema`, and what the adapter throws. */
export function encodedState<State>(
  { snapshotAdapter, snapshotVersion = 0, schemas }: SnapshotForm<State>,
  codec: ValueCodec,
  state: State,
): Uint8Array {
  checkBySchema(schemas?.state, state, 'The state')
  const stored = snapshotAdapter === undefined ? state : snapshotAdapter.toJournal(state)
  if (stored === undefined) {
    throw new CannotSerialize('the state', 'is undefined: nothing would be left of it')
  }
  const form: VersionedState = { version: snapshotVersion, state: stored }
  return codec.encode(form, 'stored')
}

/** Throws `SnapshotRefused` with the reason. */
export function decodedSnapshot<State>(
  form: SnapshotForm<State>,
  codec: ValueCodec,
  bytes: Uint8Array,
): State {
  try {
    return restoredState(form, codec.decode(bytes))
  } catch (error) {
    if (error instanceof SnapshotRefused) throw error
    throw new SnapshotRefused(wordsOf(error), { cause: error })
  }
}

/** The state of what was decoded. Throws `SnapshotRefused`, and what the adapter and the upcaster throw. */
export function restoredState<State>(form: SnapshotForm<State>, stored: unknown): State {
  const { snapshotAdapter, snapshotVersion = 0, schemas } = form
  if (!isRecord(stored) || typeof stored['version'] !== 'number' || !('state' in stored)) {
    throw new SnapshotRefused(`It is ${show(stored)}, which is no snapshot.`)
  }
  const { version } = stored
  const isOfThisVersion = version === snapshotVersion
  if (!isOfThisVersion && form.upcastSnapshot === undefined) {
    throw new SnapshotRefused(
      `It is of version ${version}, and this is version ${snapshotVersion}, without an upcaster.`,
    )
  }
  // An upcaster knows what came before it. A newer state, as in a rolling deploy, it would take for an old one.
  if (version > snapshotVersion && form.upcastSnapshot !== undefined) {
    throw new SnapshotRefused(
      `It is of version ${version}, and this is version ${snapshotVersion}, which is older.`,
    )
  }
  const read = (value: unknown): State =>
    snapshotAdapter === undefined ? (value as State) : snapshotAdapter.fromJournal(value)
  const state = isOfThisVersion
    ? read(stored['state'])
    : (form.upcastSnapshot?.(stored['state'], version) as State)
  if (state instanceof Promise) {
    state.catch(() => undefined)
    throw new SnapshotRefused('A promise was made of it: a state is made at once, or not at all.')
  }
  if (state === undefined) throw new SnapshotRefused('Nothing was made of it.')
  const problems = problemsBySchema(schemas?.state, state, 'the state')
  if (problems !== undefined) throw new SnapshotRefused(`The schema refuses it: ${problems}.`)
  return state
}
