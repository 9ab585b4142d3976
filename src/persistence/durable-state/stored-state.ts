/** What is stored of a durable state, and how it is read by another version: as a snapshot, in its own words. */
import { CodedError } from '../../foundation/coded-error.ts'
import { show } from '../../foundation/show.ts'
import { wordsOf } from '../event-sourcing/event-sourced-errors.ts'
import {
  restoredState,
  type SnapshotAdapter,
  type SnapshotForm,
} from '../event-sourcing/snapshot-form.ts'
import type { StandardSchema } from '../event-sourcing/standard-schema.ts'

export interface StateForm<State> {
  readonly stateAdapter?: SnapshotAdapter<State> | undefined
  readonly stateVersion?: number | undefined
  upcastState?(stored: unknown, version: number): State
  readonly schemas?: { readonly state?: StandardSchema | undefined } | undefined
}

/** A state lies in the store that this version cannot read. There is nothing else to begin with. */
export class StoredStateRefused extends CodedError {
  readonly code = 'STORED_STATE_REFUSED'
  readonly revision: number

  constructor(persistenceId: string, revision: number, cause: unknown) {
    super(
      `The stored state of ${show(persistenceId)}, revision ${revision}, cannot be read by this version: ${wordsOf(cause)} Run the version that wrote it, or say in an upcaster what it is now (stateVersion, upcastState).`,
      { cause },
    )
    this.revision = revision
  }
}

/** A durable state is stored as a snapshot is. */
export function snapshotFormOf<State>(form: StateForm<State>): SnapshotForm<State> {
  const { stateAdapter, stateVersion, schemas } = form
  return {
    ...{ snapshotAdapter: stateAdapter, snapshotVersion: stateVersion, schemas },
    ...(form.upcastState !== undefined && {
      upcastSnapshot: (stored: unknown, version: number) =>
        form.upcastState?.(stored, version) as State,
    }),
  }
}

/** Throws `StoredStateRefused`. */
export function storedState<State>(
  form: StateForm<State>,
  stored: unknown,
  persistenceId: string,
  revision: number,
): State {
  try {
    return restoredState(snapshotFormOf(form), stored)
  } catch (error) {
    throw new StoredStateRefused(persistenceId, revision, error)
  }
}
