/** What a command causes, held until its events are stored; then it happens, or is undone with a reason. */
import { type ActorRef, Dropped } from '../../actor/index.ts'
import { Question, type Runtime } from '../../actor/internals.ts'
import type { EventSourcedDroppedReason } from './event-sourced-drop-reasons.ts'
import type { SideEffect } from './effect.ts'
import type { DueSnapshot } from './due-snapshot.ts'
import type { PersistenceFailure } from './event-sourced-errors.ts'

export interface HeldEffects<State> {
  readonly command: unknown
  /** After the events of the command. */
  readonly state: State
  readonly sequenceNr: number
  readonly sideEffects: readonly SideEffect<State>[]
  readonly stops: boolean
  /** What is to be kept as a snapshot of the state once it is stored; undefined when it is not. */
  readonly snapshot: DueSnapshot | undefined
}

/** Whoever hears of what an async one of them rejects with. */
export interface Performing {
  rejected(error: unknown): void
}

/** Lets them happen in order. What one of them throws ends the rest; nobody waits for an async one. */
export function perform<State>(
  sideEffects: readonly SideEffect<State>[],
  state: State,
  performing: Performing,
): void {
  for (const sideEffect of sideEffects) {
    if (sideEffect.type === 'Run') {
      const result: unknown = sideEffect.run(state)
      if (result instanceof Promise) result.catch((error) => performing.rejected(error))
      continue
    }
    const { to, message } = sideEffect
    const made: unknown =
      typeof message === 'function' ? (message as (state: State) => unknown)(state) : message
    ;(to as ActorRef<unknown>).tell(made)
  }
}

/** Nothing of it happens. Whoever waits for an answer gets the error, where there is a way to. */
export function discard<State>(
  { command, sideEffects }: HeldEffects<State>,
  error: PersistenceFailure,
  self: ActorRef<never>,
  runtime: Runtime,
): void {
  for (const sideEffect of sideEffects) {
    if (sideEffect.type === 'Run') continue
    const { to, orElse } = sideEffect
    if (orElse !== undefined) (to as ActorRef<unknown>).tell(orElse(error))
    else if (to instanceof Question) to.fail(error)
  }
  runtime.lost(new Dropped(command, self, 'not-stored' satisfies EventSourcedDroppedReason))
}
