/**
 * How to make behaviors. Handlers answer the next behavior, or nothing to stay as they are; they may be async.
 *
 *   const counter = (count: number): Behavior<Command> =>
 *     Behaviors.receiveMessage((message) => (message.type === 'add' ? counter(count + message.by) : Behaviors.stopped()))
 */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { show } from '../../foundation/show.ts'
import { withFields } from '../../foundation/with-fields.ts'
import type { LogFields, Logger } from '../../foundation/logger.ts'
import type { ActorContext } from '../context/actor-context.ts'
import type { ActorRef } from '../ref/actor-ref.ts'
import type { TimerScheduler } from '../context/actor-timers.ts'
import {
  type Behavior,
  type ContextMessageHandler,
  type MessageHandler,
  Receive,
  Setup,
  type SignalHandlers,
  Stopped,
  unhandled,
} from './behavior.ts'
import { Intercept, type Interceptor } from './interceptor.ts'
import type { StashBuffer } from '../context/stash-buffer.ts'
import { Supervise } from '../supervision/supervisor.ts'
import {
  checkErrorClass,
  checkStrategy,
  type SupervisorStrategy,
} from '../supervision/supervisor-strategy.ts'

export { empty, ignore, same, unhandled } from './behavior.ts'
export { restartOnStop } from '../supervision/supervising-parent.ts'

/** Builds the behavior when the actor starts, and again when it restarts. State belongs in here. */
export function setup<T>(
  factory: (context: ActorContext<T>) => Behavior<T> | MessageHandler<T>,
): Behavior<T> {
  assertFunction(factory, 'Behaviors.setup')
  return new Setup<T>(factory)
}

/** Handles messages with the context at hand. */
export function receive<T>(onMessage: ContextMessageHandler<T>): Receive<T> {
  assertFunction(onMessage, 'Behaviors.receive')
  return new Receive<T>('receive', onMessage)
}

/** Handles messages. */
export function receiveMessage<T>(onMessage: MessageHandler<T>): Receive<T> {
  assertFunction(onMessage, 'Behaviors.receiveMessage')
  return new Receive<T>('receiveMessage', onMessage)
}

/** Handles lifecycle signals only; every message is unhandled. */
export function receiveSignal<T>(onSignal: SignalHandlers<T>): Receive<T> {
  return new Receive<T>('receiveMessage', () => unhandled, onSignal)
}

/** Stops the actor. `callback` runs last, after PostStop. */
export function stopped(callback?: () => void): Behavior<unknown> {
  return new Stopped(callback)
}

/** Builds a behavior that has timers. */
export function withTimers<T>(
  factory: (timers: TimerScheduler<T>) => Behavior<T> | MessageHandler<T>,
): Behavior<T> {
  assertFunction(factory, 'Behaviors.withTimers')
  return setup<T>((context) => factory(context.timers))
}

/** Builds a behavior that can keep up to `messagesMax` messages for later. */
export function withStash<T>(
  messagesMax: number,
  factory: (stash: StashBuffer<T>) => Behavior<T> | MessageHandler<T>,
): Behavior<T> {
  assertFunction(factory, 'Behaviors.withStash')
  return setup<T>((context) => factory(context.stash(messagesMax)))
}

/** Says what happens when the behavior fails. Supervisions nest: the innermost that matches answers. */
export function supervise<T>(behavior: Behavior<T> | MessageHandler<T>): Supervised<T> {
  return {
    onFailure: (...args: unknown[]): Behavior<T> => {
      const strategy = args.at(-1)
      checkStrategy(strategy)
      if (args.length > 1) checkErrorClass(args[0])
      const errorClass = args.length > 1 ? (args[0] as abstract new () => unknown) : undefined
      return new Supervise(behavior, errorClass, strategy as SupervisorStrategy)
    },
  }
}

/** A behavior that waits to hear what happens when it fails. */
export interface Supervised<T> {
  /** For every error. */
  onFailure(strategy: SupervisorStrategy): Behavior<T>
  /** For errors of that class and its subclasses. */
  onFailure(
    errorClass: abstract new (...args: never[]) => unknown,
    strategy: SupervisorStrategy,
  ): Behavior<T>
}

/** Puts an interceptor around the behavior; a fresh one each time the behavior starts. */
export function intercept<Outer, Inner = Outer>(
  makeInterceptor: () => Interceptor<Outer, Inner>,
  behavior: Behavior<Inner> | MessageHandler<Inner>,
): Behavior<Outer> {
  return new Intercept(makeInterceptor, behavior)
}

/** Sends a copy of every message to another actor as well. */
export function monitor<T>(
  observer: ActorRef<T>,
  behavior: Behavior<T> | MessageHandler<T>,
): Behavior<T> {
  const makeInterceptor = (): Interceptor<T, T> & { readonly monitors: ActorRef<T> } => ({
    monitors: observer,
    aroundReceive: (_context, message, next) => {
      observer.tell(message)
      return next(message)
    },
    isSame: (enclosing) => 'monitors' in enclosing && enclosing.monitors === observer,
  })
  return intercept(makeInterceptor, behavior)
}

/** Lets the behavior take another protocol, translated message by message. */
export function transformMessages<Outer, Inner>(
  translate: (message: Outer) => Inner,
  behavior: Behavior<Inner> | MessageHandler<Inner>,
): Behavior<Outer> {
  return intercept<Outer, Inner>(
    () => ({ aroundReceive: (_context, message, next) => next(translate(message)) }),
    behavior,
  )
}

/** Adds these fields to every line that the behavior logs through the logger it is given. */
export function withLogFields<T>(
  fields: LogFields,
  factory: (log: Logger) => Behavior<T> | MessageHandler<T>,
): Behavior<T> {
  return setup<T>((context) => factory(withFields(context.log, fields)))
}

/** Where it is given, not when the first message comes. */
function assertFunction(value: unknown, where: string): void {
  if (typeof value === 'function') return
  throw new InvalidSettings(where, [`it takes a function, not ${show(value)}`])
}
