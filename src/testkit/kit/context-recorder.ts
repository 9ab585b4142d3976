/**
 * Makes the context of one actor say what is done through it. There is one context per actor, and every handler, wrapper
 * and supervisor of it gets that one: so the calls are laid over the context itself, and whatever the behavior is made
 * of is seen. Each call still does what it says, but children do not run: they keep what they are told.
 */
import {
  type ActorContext,
  type ActorRef,
  type Askable,
  type Behavior,
  Behaviors,
  type MessageHandler,
  type SpawnOptions,
  type TimerScheduler,
} from '../../actor/index.ts'
import { toMs } from '../../foundation/duration.ts'
import type { BehaviorEffect, BehaviorEffectOf } from './behavior-effect.ts'
import { Inbox, collect } from './inbox.ts'
import { RecordingTimers } from './recording-timers.ts'

type Context = ActorContext<unknown>
type Started<U> = Behavior<U> | MessageHandler<U>

export interface RecordedChild {
  readonly ref: ActorRef<never>
  readonly inbox: Inbox<unknown>
  /** Stops it behind the back of the behavior. */
  stop(): void
}

export class ContextRecorder {
  /** By name: as it was given or, without one, as the child got it. */
  readonly children = new Map<string, RecordedChild>()
  /** Whom the behavior watches, and how it asked for it. */
  readonly watched = new Map<ActorRef<never>, BehaviorEffectOf<'Watched' | 'WatchedWith'>>()
  readonly #effects: BehaviorEffect[] = []
  /** Calls that the context makes of itself are no news. */
  #isSilent = false

  attach(context: Context): void {
    this.#layFamily(context)
    this.#layWatching(context)
    this.#layTime(context)
    this.#layQuestions(context)
  }

  /** The effects since the last time. */
  take(): BehaviorEffect[] {
    return this.#effects.splice(0)
  }

  add(effect: BehaviorEffect): void {
    if (!this.#isSilent) this.#effects.push(effect)
  }

  silently(act: () => void): void {
    const before = this.#isSilent
    this.#isSilent = true
    try {
      act()
    } finally {
      this.#isSilent = before
    }
  }

  #layFamily(context: Context): void {
    const spawn = context.spawn.bind(context)
    const stop = context.stop.bind(context)
    lay(context, 'spawn', <U>(behavior: Started<U>, options?: string | SpawnOptions) => {
      const ref = spawn<U>(Behaviors.ignore, options)
      this.#spawned(ref, behavior, options)
      return ref
    })
    lay(context, 'stop', (...given) => {
      stop(...given)
      const [child] = given
      if (child !== undefined && child !== context.self) this.add({ type: 'Stopped', ref: child })
    })
  }

  #spawned(
    ref: ActorRef<never>,
    behavior: Started<never>,
    options: string | SpawnOptions | undefined,
  ): void {
    const given = typeof options === 'string' ? options : options?.name
    const name = given ?? ref.path.name
    const collected = collect<unknown>(ref as ActorRef<unknown>)
    const inbox = new Inbox(collected)
    this.children.set(name, { ref, inbox, stop: () => collected.stop() })
    this.add({ type: 'Spawned', behavior, name, ref })
  }

  #layWatching(context: Context): void {
    const watch = context.watch.bind(context)
    const watchWith = context.watchWith.bind(context)
    const unwatch = context.unwatch.bind(context)
    lay(context, 'watch', (ref) => {
      watch(ref)
      this.#watched({ type: 'Watched', ref })
    })
    lay(context, 'watchWith', (ref, message) => {
      watchWith(ref, message)
      this.#watched({ type: 'WatchedWith', ref, message })
    })
    lay(context, 'unwatch', (ref) => {
      unwatch(ref)
      this.watched.delete(ref)
      this.add({ type: 'Unwatched', ref })
    })
  }

  #watched(effect: BehaviorEffectOf<'Watched' | 'WatchedWith'>): void {
    if (!this.#isSilent) this.watched.set(effect.ref, effect)
    this.add(effect)
  }

  #layTime(context: Context): void {
    const set = context.setReceiveTimeout.bind(context)
    const cancel = context.cancelReceiveTimeout.bind(context)
    lay(context, 'setReceiveTimeout', (timeout, message) => {
      this.silently(() => set(timeout, message))
      this.add({ type: 'ReceiveTimeoutSet', timeoutMs: toMs(timeout), message })
    })
    lay(context, 'cancelReceiveTimeout', () => {
      cancel()
      this.add({ type: 'ReceiveTimeoutCancelled' })
    })
    const contextClass = Object.getPrototypeOf(context) as object
    const record = (effect: BehaviorEffect): void => this.add(effect)
    Object.defineProperty(context, 'timers', {
      get: () => {
        // The getter underneath: it says no outside of the actor's turn.
        const timers = Reflect.get(contextClass, 'timers', context) as TimerScheduler<unknown>
        return new RecordingTimers(timers, record)
      },
    })
  }

  #layQuestions(context: Context): void {
    const pipeToSelf = context.pipeToSelf.bind(context)
    const ask = context.ask.bind(context) as (...args: unknown[]) => void
    const askWithStatus = context.askWithStatus.bind(context) as (...args: unknown[]) => void
    const messageAdapter = context.messageAdapter.bind(context) as (...args: unknown[]) => never
    lay(context, 'pipeToSelf', (promise, done, failed) => {
      pipeToSelf(promise, done, failed)
      this.add({ type: 'PipedToSelf', promise })
    })
    lay(context, 'ask', (target: Askable<never>, ...rest: unknown[]) => {
      ask(target, ...rest)
      this.add({ type: 'Asked', target })
    })
    lay(context, 'askWithStatus', (target: Askable<never>, ...rest: unknown[]) => {
      askWithStatus(target, ...rest)
      this.add({ type: 'Asked', target })
    })
    lay(context, 'messageAdapter', (...args: unknown[]) => {
      const ref = messageAdapter(...args)
      this.add({ type: 'MessageAdapterRegistered', match: args.length > 1 ? args[0] : undefined })
      return ref
    })
  }
}

function lay<Name extends keyof Context>(context: Context, name: Name, call: Context[Name]): void {
  Object.defineProperty(context, name, { value: call })
}
