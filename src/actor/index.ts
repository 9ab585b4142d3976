/**
 * Actors: state that only one thing at a time can touch, addressed by refs and spoken to by messages.
 *
 * Reading order: `behavior.ts` (what an actor does), `behaviors.ts` (how to say it), `actor-context.ts` (what it may
 * do), `cell.ts` (how it runs), `stopping.ts` (how it ends), `supervision/` (how it fails), `ask.ts`,
 * `actor-system.ts`, `shutdown/`.
 *
 * Promises: one message at a time per actor, async handlers included; order per sender and receiver; every message is
 * handled, or is a `DeadLetter`, `Dropped` or `UnhandledMessage` on the event stream with a reason; every ask ends.
 */
export type { ActorContext, AskAnswer, SpawnOptions } from './actor-context.ts'
export * from './actor-errors.ts'
export { ActorPath } from './actor-path.ts'
export type { ActorRef, AskOptions } from './actor-ref.ts'
export { type ActorSettings, defaultActorSettings } from './actor-settings.ts'
export { ActorSystem, type ActorSystemOptions } from './actor-system.ts'
export type { TimerKey, TimerScheduler } from './actor-timers.ts'
export type {
  Behavior,
  ContextMessageHandler,
  MessageHandler,
  Next,
  Receive,
  Result,
  SignalHandlers,
} from './behavior.ts'
export * as Behaviors from './behaviors.ts'
export type { Supervised } from './behaviors.ts'
export { PoisonPill } from './envelope.ts'
export {
  type EventClass,
  type EventStream,
  InvalidSubscription,
  type Subscription,
} from './event-stream.ts'
export type { Interceptor } from './interceptor.ts'
export {
  DeadLetter,
  type DeadLetterReason,
  Dropped,
  type DroppedReason,
  type LostMessage,
  UnhandledMessage,
  notInfluenceReceiveTimeout,
  suppressDeadLetterLog,
} from './lost-messages.ts'
export type { MailboxOptions, OverflowPolicy } from './mailbox.ts'
export type { MessageMatch } from './message-adapters.ts'
export {
  CoordinatedShutdown,
  type CoordinatedShutdownOptions,
} from './shutdown/coordinated-shutdown.ts'
export * from './shutdown/shutdown-errors.ts'
export {
  defaultShutdownPhases,
  InvalidShutdownPhases,
  type ShutdownPhase,
  type ShutdownPhaseName,
  type ShutdownPhases,
} from './shutdown/shutdown-phases.ts'
export type { ShutdownReason } from './shutdown/shutdown-reason.ts'
export {
  ChildFailed,
  MessageAdaptionFailure,
  PostStop,
  PreRestart,
  type Signal,
  Terminated,
} from './signals.ts'
export type { StashBuffer } from './stash-buffer.ts'
export { StatusReply } from './status-reply.ts'
export {
  type BackoffOptions,
  type RestartOptions,
  SupervisorStrategy,
} from './supervision/supervisor-strategy.ts'
