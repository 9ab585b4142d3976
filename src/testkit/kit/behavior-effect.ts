/** What a behavior did through its context while it ran in a `BehaviorKit`, as plain data. */
import type { ActorRef, Askable, Behavior, MessageHandler, TimerKey } from '../../actor/index.ts'

/** One thing that a behavior did through its context. */
export type BehaviorEffect =
  | {
      readonly type: 'Spawned'
      readonly behavior: Behavior<never> | MessageHandler<never>
      /** As it was given; for a child without a name, the one it got. */
      readonly name: string
      readonly ref: ActorRef<never>
    }
  /** A child was stopped. The end of the actor itself is `kit.isAlive`. */
  | { readonly type: 'Stopped'; readonly ref: ActorRef<never> }
  | { readonly type: 'Watched'; readonly ref: ActorRef<never> }
  | { readonly type: 'WatchedWith'; readonly ref: ActorRef<never>; readonly message: unknown }
  | { readonly type: 'Unwatched'; readonly ref: ActorRef<never> }
  | {
      readonly type: 'TimerStarted'
      readonly key: TimerKey
      readonly kind: 'single' | 'fixed-delay' | 'fixed-rate'
      readonly delayMs: number
      /** Only there when it was given. */
      readonly initialDelayMs?: number
      readonly message: unknown
    }
  | { readonly type: 'TimerCancelled'; readonly key: TimerKey }
  | { readonly type: 'AllTimersCancelled' }
  | { readonly type: 'ReceiveTimeoutSet'; readonly timeoutMs: number; readonly message: unknown }
  | { readonly type: 'ReceiveTimeoutCancelled' }
  /** `match` is undefined for a translation of everything. */
  | { readonly type: 'MessageAdapterRegistered'; readonly match: unknown }
  | { readonly type: 'PipedToSelf'; readonly promise: Promise<unknown> }
  | { readonly type: 'Asked'; readonly target: Askable<never> }
  /** The behavior had no use for the message it was run with. */
  | { readonly type: 'Unhandled'; readonly message: unknown }

/** The effects of that type. */
export type BehaviorEffectOf<Type extends BehaviorEffect['type']> = Extract<
  BehaviorEffect,
  { readonly type: Type }
>
