/**
 * Actors: state that only one thing at a time can touch, addressed by refs and spoken to by messages.
 *
 * Reading order: `behavior/` (what an actor does, and how to say it), `context/` (what it may do), `cell/` (how it runs
 * and how it ends), `supervision/` (how it fails), `ref/` (how it is addressed and asked), `events/` (what is told about
 * it), `actor-system.ts` (the family), `shutdown/` (the orderly end).
 *
 * Promises: one message at a time per actor, async handlers included; order per sender and receiver; every message is
 * handled, or is a `DeadLetter`, `Dropped` or `UnhandledMessage` on the event stream with a reason; every ask ends.
 */
export type { ActorContext, Askable, AskAnswer, SpawnOptions } from './context/actor-context.ts'
export * from './actor-errors.ts'
export { InvalidSettings } from '../foundation/invalid-settings.ts'
export type { ActorPath } from './ref/actor-path.ts'
export type { ActorRef, AskOptions } from './ref/actor-ref.ts'
export { type ActorSettings, defaultActorSettings } from './actor-settings.ts'
export { ActorSystem } from './actor-system.ts'
export type { ActorSystemOptions } from './actor-system-options.ts'
export type { TimerKey, TimerScheduler } from './context/actor-timers.ts'
export type {
  Behavior,
  ContextMessageHandler,
  MessageHandler,
  Next,
  Receive,
  Result,
  SignalHandlers,
  BehaviorKind,
} from './behavior/behavior.ts'
export * as Behaviors from './behavior/behaviors.ts'
export type { Supervised } from './behavior/behaviors.ts'
export { PoisonPill } from './cell/envelope.ts'
export {
  type EventClass,
  type EventStream,
  InvalidSubscription,
  type Subscription,
} from './events/event-stream.ts'
export type { Interceptor } from './behavior/interceptor.ts'
export {
  type ActorDeadLetterReason,
  type ActorDroppedReason,
  DeadLetter,
  Dropped,
  type LostMessage,
  UnhandledMessage,
  notInfluenceReceiveTimeout,
  suppressDeadLetterLog,
} from './events/lost-messages.ts'
export type { MailboxOptions, OverflowPolicy } from './cell/mailbox.ts'
export type { MessageMatch } from './context/message-adapters.ts'
export type { CoordinatedShutdown } from './shutdown/coordinated-shutdown.ts'
export * from './shutdown/shutdown-errors.ts'
export {
  defaultShutdownPhases,
  type ShutdownPhase,
  type ShutdownPhaseName,
  type ShutdownPhases,
} from './shutdown/shutdown-phases.ts'
export type { ActorShutdownReason, ShutdownReason } from './shutdown/shutdown-reason.ts'
export {
  ChildFailed,
  MessageAdaptionFailure,
  PostStop,
  PreRestart,
  type Signal,
  Terminated,
} from './behavior/signals.ts'
export type { StashBuffer } from './context/stash-buffer.ts'
export { StatusReply } from './ref/status-reply.ts'
export {
  type BackoffOptions,
  type RestartOptions,
  SupervisorStrategy,
  type BackoffStrategy,
  type RestartStrategy,
  type ResumeStrategy,
  type StopStrategy,
} from './supervision/supervisor-strategy.ts'
export type { RestartOnStopOptions } from './supervision/supervising-parent.ts'
export type { ShutdownTask } from './shutdown/shutdown-phase-run.ts'
