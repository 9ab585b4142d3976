/** What a command of an actor with a durable state comes to: the next state, and what happens once it is stored. */
import type { ActorRef } from '../../actor/index.ts'
import { Effect } from '../event-sourcing/effect.ts'
import type { PersistenceFailure } from '../event-sourcing/event-sourced-errors.ts'

/** Chained on as any effect: `thenReply`, `thenRun`, `thenTell`, `thenStop`, `thenUnstashAll`. */
export type DurableStateEffect<State> = Effect<State, State>

/** The makers of effects for one type of state. */
export interface DurableStateEffects<State> {
  /** Puts this state in the place of the one before. */
  persist(state: State): DurableStateEffect<State>
  /** Nothing is left of the state but its revision: from now on it is the empty one. */
  delete(): DurableStateEffect<State>
  none(): DurableStateEffect<State>
  unhandled(): DurableStateEffect<State>
  stop(): DurableStateEffect<State>
  stash(): DurableStateEffect<State>
  unstashAll(): DurableStateEffect<State>
  reply<Reply>(
    replyTo: ActorRef<Reply>,
    reply: NoInfer<Reply> | ((state: State) => NoInfer<Reply>),
    orElse?: (error: PersistenceFailure) => NoInfer<Reply>,
  ): DurableStateEffect<State>
  noReply(): DurableStateEffect<State>
}

const nothing: readonly never[] = []

/** `const effect = durableEffectsFor<State>()` */
export function durableEffectsFor<State>(): DurableStateEffects<State> {
  const { none, unhandled, stop, stash, unstashAll, noReply } = Effect
  return {
    // In a list, since a state may be a list itself.
    persist: (state) => Effect.persist<State, State>([state]),
    // The empty state is filled in by whoever knows it.
    delete: () => Effect.applied<State, State>(nothing, undefined as State, true),
    ...{ none, unhandled, stop, stash, unstashAll, noReply },
    reply: (replyTo, reply, orElse) =>
      Effect.none<State, State>().thenReply(replyTo, reply, orElse),
  }
}
