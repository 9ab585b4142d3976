/** The context that handlers get: checks that the actor may act now, then acts on its cell. */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { type Duration, toMs } from '../../foundation/duration.ts'
import type { Logger } from '../../foundation/logger.ts'
import { show } from '../../foundation/show.ts'
import type { ActorContext, Askable, AskAnswer, SpawnOptions } from '../context/actor-context.ts'
import { AbortedByStop, InvalidRef, NotAChild, WatchConflict } from '../actor-errors.ts'
import type { ActorPath } from '../ref/actor-path.ts'
import { type ActorRef, internal, isRef } from '../ref/actor-ref.ts'
import type { ActorSystem } from '../actor-system.ts'
import { ActorTimers, shortestMs, type TimerScheduler } from '../context/actor-timers.ts'
import type { Behavior, MessageHandler } from '../behavior/behavior.ts'
import type { Cell } from './cell.ts'
import { stopAsked, stopping, terminated, timed } from './cell-flags.ts'
import { Envelope } from './envelope.ts'
import { ask, askWithStatus } from '../ref/ask.ts'
import type { StatusReply } from '../ref/status-reply.ts'
import { LocalRef } from '../ref/local-ref.ts'
import { MessageAdapters, type Translate } from '../context/message-adapters.ts'
import { ReceiveTimeout } from '../context/receive-timeout.ts'
import { childNamed, spawnChild } from './spawn.ts'
import { StashBuffer } from '../context/stash-buffer.ts'

export class CellContext implements ActorContext<unknown> {
  readonly #cell: Cell
  #log: Logger | undefined = undefined

  constructor(cell: Cell) {
    this.#cell = cell
  }

  get self(): ActorRef<unknown> {
    return this.#cell.ref
  }

  get path(): ActorPath {
    return this.#cell.ref.path
  }

  get system(): ActorSystem {
    return this.#cell.runtime.system
  }

  get log(): Logger {
    this.#log ??= this.#cell.runtime.loggerOf(this.#cell.ref)
    return this.#log
  }

  get signal(): AbortSignal {
    const isOver = (this.#cell.flags & (stopping | terminated)) !== 0
    const before = this.#cell.stateIfAny?.abort
    if (before !== undefined) return before.signal
    if (isOver) return AbortSignal.abort(new AbortedByStop(this.#cell.toString()))
    const abort = new AbortController()
    this.#cell.state().abort = abort
    return abort.signal
  }

  get timers(): TimerScheduler<unknown> {
    this.#cell.assertTurn('timers')
    return (this.#cell.state().timers ??= new ActorTimers(this.#cell))
  }

  get children(): readonly ActorRef<never>[] {
    this.#cell.assertTurn('children')
    return [...(this.#cell.stateIfAny?.children?.values() ?? [])]
  }

  spawn<U>(
    behavior: Behavior<U> | MessageHandler<U>,
    options?: string | SpawnOptions,
  ): ActorRef<U> {
    this.#cell.assertTurn('spawn')
    return spawnChild(this.#cell, behavior, options)
  }

  child(name: string): ActorRef<never> | undefined {
    this.#cell.assertTurn('child')
    return childNamed(this.#cell, name)
  }

  stop(...given: [child?: ActorRef<never>]): void {
    this.#cell.assertTurn('stop')
    const [child] = given
    // `stop(undefined)` is a child that was not found, not a wish to end.
    if (given.length === 0 || child === this.self) {
      this.#cell.flags |= stopAsked
    } else if (child instanceof LocalRef && child.parent === this.#cell.ref) {
      child.cell?.stop()
    } else {
      throw new NotAChild(child, this.#cell.toString())
    }
  }

  watch(ref: ActorRef<never>): void {
    this.#cell.assertTurn('watch')
    this.#watch(ref, undefined)
  }

  watchWith(ref: ActorRef<never>, message: unknown): void {
    this.#cell.assertTurn('watchWith')
    this.#cell.assertMessage(message)
    this.#watch(ref, message)
  }

  #watch(ref: ActorRef<never>, message: unknown): void {
    if (ref === this.self) return
    if (!isRef(ref)) throw new InvalidRef(ref, 'context.watch')
    const state = this.#cell.state()
    state.watching ??= new Map()
    const { watching } = state
    const watched = internal(ref)
    const before = watching.get(watched)
    if (before?.isInherited === false && before.message !== message) {
      throw new WatchConflict(ref.toString(), this.#cell.toString())
    }
    watching.set(watched, { message, isInherited: false })
    if (before === undefined) watched.addWatcher(this.#cell)
  }

  unwatch(ref: ActorRef<never>): void {
    this.#cell.assertTurn('unwatch')
    const watched = internal(ref)
    if (this.#cell.state().watching?.delete(watched) === true) watched.removeWatcher(this.#cell)
  }

  setReceiveTimeout(timeout: Duration, message: unknown): void {
    this.#cell.assertTurn('setReceiveTimeout')
    this.#cell.assertMessage(message)
    const timeoutMs = toMs(timeout, 'receive timeout')
    if (timeoutMs < shortestMs) {
      const problem = `the timeout must be at least ${shortestMs} ms, not ${timeoutMs}`
      throw new InvalidSettings('setReceiveTimeout', [problem])
    }
    this.cancelReceiveTimeout()
    this.#cell.state().receiveTimeout = new ReceiveTimeout(this.#cell, timeoutMs, message)
    this.#cell.flags |= timed
  }

  cancelReceiveTimeout(): void {
    this.#cell.assertTurn('cancelReceiveTimeout')
    const state = this.#cell.state()
    state.receiveTimeout?.cancel()
    state.receiveTimeout = undefined
    this.#cell.flags &= ~timed
  }

  stash(messagesMax: number): StashBuffer<unknown> {
    this.#cell.assertTurn('stash')
    if (!Number.isSafeInteger(messagesMax) || messagesMax < 0) {
      const problem = `messagesMax must be a whole number of at least 0, not ${messagesMax}`
      throw new InvalidSettings('The stash', [problem])
    }
    return new StashBuffer<unknown>(this.#cell, messagesMax)
  }

  messageAdapter(matchOrTranslate: unknown, translate?: Translate): ActorRef<unknown> {
    this.#cell.assertTurn('messageAdapter')
    const adapters = (this.#cell.state().adapters ??= new MessageAdapters(this.#cell))
    if (translate === undefined) adapters.register(undefined, matchOrTranslate)
    else adapters.register(matchOrTranslate, translate)
    return adapters.ref
  }

  pipeToSelf<V>(
    promise: Promise<V>,
    done: (value: V) => unknown,
    failed?: (error: unknown) => unknown,
  ): void {
    this.#cell.assertTurn('pipeToSelf')
    this.#pipe(promise, done, failed)
  }

  #pipe<V>(
    promise: Promise<V>,
    done: (value: V) => unknown,
    failed: ((error: unknown) => unknown) | undefined,
  ): void {
    const cell = this.#cell
    const send = (value: unknown, map: () => unknown): void =>
      cell.sendEnvelope(new Envelope({ type: 'Piped', value, map }))
    const fail = (error: unknown): never => {
      throw error
    }
    // A foreign thenable may settle as often as it likes; a promise of ours around it may not.
    Promise.resolve(promise).then(
      (value) => send(value, () => done(value)),
      (error: unknown) => send(error, () => (failed ?? fail)(error)),
    )
  }

  ask<Reply>(
    target: Askable<unknown>,
    makeMessage: (replyTo: ActorRef<Reply>) => unknown,
    answer: AskAnswer<unknown, Reply>,
  ): void {
    this.#cell.assertTurn('ask')
    assertAnswer(answer, 'context.ask')
    // The question is the asker's: its time runs on the asker's clock, even when the other is far away and gone.
    const asked = ask(target, makeMessage, answer, this.#cell.runtime)
    this.#pipe(asked, answer.done, answer.failed)
  }

  askWithStatus<Value>(
    target: Askable<unknown>,
    makeMessage: (replyTo: ActorRef<StatusReply<Value>>) => unknown,
    answer: AskAnswer<unknown, Value>,
  ): void {
    this.#cell.assertTurn('askWithStatus')
    assertAnswer(answer, 'context.askWithStatus')
    const asked = askWithStatus(target, makeMessage, answer, this.#cell.runtime)
    this.#pipe(asked, answer.done, answer.failed)
  }
}

/** Before anything is asked: an answer that nobody takes would be a rejection that nobody heeds. */
function assertAnswer(answer: unknown, where: string): void {
  const { done } = (answer ?? {}) as Partial<AskAnswer<unknown, never>>
  if (typeof done === 'function') return
  throw new InvalidSettings(where, [`done must be a function, not ${show(done)}`])
}
