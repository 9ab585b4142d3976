/** How an actor with a durable state is described. */
import type { EventSourcedOptions } from '../event-sourcing/event-sourced-options.ts'
import type { SnapshotAdapter } from '../event-sourcing/snapshot-form.ts'
import type { StandardSchema } from '../event-sourcing/standard-schema.ts'
import type { DurableStateEffect } from './durable-state-effects.ts'

/** What an event-sourced actor has as well, and means the same. */
type Shared<Command, State> = Pick<
  EventSourcedOptions<Command, State, State>,
  | 'persistenceId'
  | 'signals'
  | 'refused'
  | 'journal'
  | 'settings'
  | 'onStashOverflow'
  | 'recoveryPermits'
  | 'writer'
  | 'onPersistFailure'
>

export interface DurableStateOptions<Command, State> extends Shared<Command, State> {
  /** @internal One for many saves memory. It must be for stored values. */
  readonly codec?: EventSourcedOptions<Command, State, State>['codec']
  /** Before anything was stored, and after it was deleted. */
  readonly emptyState: State
  /** Decides. `context.lastSequenceNr` is the revision of the state at hand: how many states there were. May be async. */
  readonly commandHandler: (
    state: State,
    command: Command,
    context: Parameters<EventSourcedOptions<Command, State, State>['commandHandler']>[2],
  ) => DurableStateEffect<State> | Promise<DurableStateEffect<State>>
  /** Between the state and what is stored of it. */
  readonly stateAdapter?: SnapshotAdapter<State> | undefined
  /** Of the shape of the state; 0 when not given. A stored state of another version needs `upcastState`. */
  readonly stateVersion?: number | undefined
  /** Makes a state of this version of what was stored by a lower one. One of a higher version fails the recovery. */
  upcastState?(stored: unknown, version: number): State
  /** What it refuses fails its command, and nothing is stored; a stored one that it refuses fails the recovery. */
  readonly schemas?: { readonly state?: StandardSchema | undefined } | undefined
}
