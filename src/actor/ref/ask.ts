/**
 * Questions with one answer. The address for the answer, the promise and its timer are one object in the system's timer
 * wheel: no actor and no timer of the platform per question. An answer that comes too late is a dead letter.
 */
import type { CallerContext } from '../../foundation/async-context.ts'
import { InvalidSettings, problemsWithSignal } from '../../foundation/invalid-settings.ts'
import { show } from '../../foundation/show.ts'
import type { WheelTimer } from '../../foundation/timer-wheel.ts'
import {
  AskAborted,
  AskTargetTerminated,
  AskTimeout,
  InvalidMessage,
  InvalidStatusReply,
  PromiseAsReply,
  StatusError,
} from '../actor-errors.ts'
import type { Askable } from '../context/actor-context.ts'
import type { Abortable } from './abort-fan-out.ts'
import { ActorPath } from './actor-path.ts'
import type { ActorRef, AskOptions, InternalRef, Watcher } from './actor-ref.ts'
import { disown, isPromise } from '../behavior/interpret.ts'
import { DeadLetter } from '../events/lost-messages.ts'
import { kindOfMessage } from '../events/kind-of-message.ts'
import type { Runtime } from '../runtime.ts'
import { isStatusReply, type StatusReply } from './status-reply.ts'

/** Sends a message with its question apart, for targets that carry the address for the answer in their own way. */
export type SendQuestion<in M> = (message: M, question: Question) => void

/** Whoever can be asked: an actor, or what stands for one. */
export interface AskTarget<in M> extends Askable<M> {
  readonly isTerminated?: boolean
  /** Stands in the name of the address for the answer, percent-encoded, so that people see who was asked. */
  readonly askLabel?: string
  /** How a question goes there; a target without one is told the message. */
  readonly sendQuestion?: SendQuestion<M>
}

/** Whoever asks: says what, and hears what comes of it. */
export interface Asker<out M> {
  makeMessage(replyTo: Question): M
  answered(reply: unknown): void
  failed(error: unknown): void
}

export function ask<M, Reply>(
  target: AskTarget<M>,
  makeMessage: (replyTo: ActorRef<Reply>) => M,
  options: AskOptions | undefined,
  runtime: Runtime,
  send = target.sendQuestion,
): Promise<Reply> {
  return new Promise<Reply>((resolve, reject) => {
    askFor(target, new PromisedAnswer(makeMessage, resolve, reject), options, runtime, send)
  })
}

/**
 * A class, not a literal: where many of the first literals of a place live long, as the questions of a start do, V8 makes all
 * later ones old from birth, and each keeps what it leads to from being collected while it is young.
 */
class PromisedAnswer<M, Reply> implements Asker<M> {
  readonly makeMessage: (replyTo: ActorRef<Reply>) => M
  readonly answered: (reply: unknown) => void
  readonly failed: (error: unknown) => void

  constructor(
    makeMessage: (replyTo: ActorRef<Reply>) => M,
    resolve: (reply: Reply) => void,
    reject: (error: unknown) => void,
  ) {
    this.makeMessage = makeMessage
    this.answered = resolve as (reply: unknown) => void
    this.failed = reject
  }
}

/** The same for somebody who makes its own promise of it. Throws `InvalidSettings` and `AskAborted`. */
export function askFor<M>(
  target: AskTarget<M>,
  asker: Asker<M>,
  options: AskOptions | undefined,
  runtime: Runtime,
  send = target.sendQuestion,
): void {
  const timeoutMs = runtime.askTimeoutMs(options?.timeout)
  const signal = options?.signal
  if (signal !== undefined) refuseUnusable(signal, target)
  const question = new Question(runtime, target, timeoutMs, asker)
  try {
    const message = asker.makeMessage(question)
    question.asked = message
    // Also to a dead target: there it becomes the dead letter that says who was asked.
    if (send === undefined) target.tell(message)
    else send(message, question)
  } catch (error) {
    // An answer to what was never asked is a late one.
    question.fail(error)
  }
  if (question.isOver) return
  if (target.isTerminated === true) question.fail(new AskTargetTerminated(target.toString()))
  else if (timeoutMs === 0) question.fire()
  else question.wait(signal)
}

function refuseUnusable(signal: AbortSignal, target: AskTarget<never>): void {
  const problems = problemsWithSignal('signal', signal)
  if (problems.length > 0) throw new InvalidSettings('The options of an ask', problems)
  if (signal.aborted) throw new AskAborted(target.toString(), signal.reason)
}

export function askWithStatus<M, Value>(
  target: AskTarget<M>,
  makeMessage: (replyTo: ActorRef<StatusReply<Value>>) => M,
  options: AskOptions | undefined,
  runtime: Runtime,
  send = target.sendQuestion,
): Promise<Value> {
  return ask(target, makeMessage, options, runtime, send).then((reply) => {
    const answer: unknown = reply
    if (!isStatusReply(answer)) throw new InvalidStatusReply(target.toString(), answer)
    if (reply.status === 'success') return reply.value
    throw typeof reply.error === 'string' ? new StatusError(reply.error) : reply.error
  })
}

/** Whoever waits on this node for the answer to this message hears that there will be none, if a field of it says who. */
export function failAsker(message: unknown, makeError: () => unknown): void {
  if (typeof message !== 'object' || message === null) return
  for (const value of Object.values(message) as unknown[]) {
    // It may also carry the address of somebody who asked something else.
    if (value instanceof Question && value.asked === message) value.fail(makeError())
  }
}

/** One question in flight: the address for its answer. */
export class Question implements Abortable, InternalRef, WheelTimer {
  deadlineMs = 0
  next: WheelTimer | undefined = undefined
  previous: WheelTimer | undefined = undefined
  slot = -1
  isOver = false
  /** Under which number it is answered from elsewhere; set by whoever first takes the question out of this process. */
  wireNumber = -1
  /** The message that carries it, to be named should no answer come. */
  asked: unknown = undefined
  /**
   * Set for messages that mean nothing once the question is over. One that has waited before it leaves this process is
   * then sent only while the question is open, and as this says: with the time that is left.
   */
  renew: ((message: unknown, leftMs: number) => unknown) | undefined = undefined
  /** Set where it is kept: the async context of whoever asked, for what is done to answer. Stays in this process. */
  context: CallerContext | undefined = undefined
  readonly #runtime: Runtime
  readonly #number: number
  readonly #target: AskTarget<never>
  readonly #timeoutMs: number
  /** Until it is over. */
  #asker: Asker<unknown> | undefined
  #stopListening: (() => void) | undefined = undefined
  #watchers: Set<Watcher> | undefined = undefined

  constructor(
    runtime: Runtime,
    target: AskTarget<never>,
    timeoutMs: number,
    asker: Asker<unknown>,
  ) {
    this.#runtime = runtime
    this.#number = runtime.nextAskNumber()
    this.#target = target
    this.#timeoutMs = timeoutMs
    this.#asker = asker
  }

  wait(signal: AbortSignal | undefined): void {
    this.#runtime.wheel.startLazily(this, this.#timeoutMs)
    if (signal === undefined) return
    if (signal.aborted) return this.abort(signal.reason)
    this.#stopListening = this.#runtime.aborts.listen(signal, this)
  }

  abort(reason: unknown): void {
    this.fail(new AskAborted(this.#target.toString(), reason))
  }

  tell(reply: unknown): void {
    if (reply === undefined) throw new InvalidMessage(this.toString())
    if (this.isOver) return this.#runtime.lost(new DeadLetter(reply, this, 'late-reply'))
    // Resolving with a promise would wait for it, without a timeout.
    if (isPromise(reply)) {
      disown(reply)
      return this.fail(new PromiseAsReply(this.#target.toString()))
    }
    this.#end()?.answered(reply)
  }

  /** Time is up. */
  fire(): void {
    this.fail(new AskTimeout(this.#target.toString(), this.#timeoutMs, nameOf(this.asked)))
  }

  fail(error: unknown): void {
    if (this.isOver) return
    this.#end()?.failed(error)
  }

  /**
   * Answers who is to hear of it. Lets go of all it led to: whoever still has the address, be it a message that V8 keeps for a
   * while although nobody needs it, would keep promise and message as well.
   */
  #end(): Asker<unknown> | undefined {
    const asker = this.#asker
    this.isOver = true
    this.#asker = undefined
    this.asked = undefined
    this.#runtime.wheel.cancel(this)
    this.#stopListening?.()
    if (this.#watchers !== undefined) this.#tellWatchers(this.#watchers)
    return asker
  }

  #tellWatchers(watchers: ReadonlySet<Watcher>): void {
    this.#watchers = undefined
    for (const watcher of watchers) watcher.watchedTerminated(this, undefined)
  }

  /** How long an answer was to be waited for, in all. */
  get timeoutMs(): number {
    return this.#timeoutMs
  }

  get leftMs(): number {
    return this.slot < 0 ? this.#timeoutMs : this.#runtime.wheel.leftMs(this)
  }

  /** The message as it leaves this process after it has waited here; undefined when nobody needs it any more. */
  afterWaiting(message: unknown): unknown {
    if (this.renew === undefined) return message
    return this.isOver ? undefined : this.renew(message, this.leftMs)
  }

  /** Who was asked. */
  get target(): AskTarget<never> {
    return this.#target
  }

  get path(): ActorPath {
    const parent = new ActorPath('temp', this.#runtime.root.path, 0)
    const { askLabel } = this.#target
    const label = askLabel === undefined ? '' : `-${askLabel}`
    return new ActorPath(`$ask-${this.#number}${label}`, parent, 0)
  }

  get isTerminated(): boolean {
    return this.isOver
  }

  ask<Reply>(make: (replyTo: ActorRef<Reply>) => never, options?: AskOptions): Promise<Reply> {
    return ask(this, make, options, this.#runtime)
  }

  askWithStatus<Value>(
    make: (replyTo: ActorRef<StatusReply<Value>>) => never,
    options?: AskOptions,
  ): Promise<Value> {
    return askWithStatus(this, make, options, this.#runtime)
  }

  addWatcher(watcher: Watcher): void {
    if (this.isOver) return watcher.watchedTerminated(this, undefined)
    this.#watchers ??= new Set()
    this.#watchers.add(watcher)
  }

  removeWatcher(watcher: Watcher): void {
    this.#watchers?.delete(watcher)
  }

  toString(): string {
    return this.path.toString()
  }

  toJSON(): string {
    return this.toString()
  }
}

/** What people call a message: a text itself, or what it is in the log. */
function nameOf(message: unknown): string | undefined {
  if (typeof message === 'string') return show(message)
  return typeof message === 'object' && message !== null ? kindOfMessage(message) : undefined
}
