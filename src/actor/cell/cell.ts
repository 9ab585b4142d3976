/**
 * A running actor: its mailbox, its current behavior and its turn. Takes one message at a time, whatever its handlers
 * do; system business (start, stop, children that ended, a settled promise) goes before messages.
 *
 *   unstarted ──▶ running ⇄ suspended (an async handler is in flight)
 *                    └────────┴──▶ stopping ──children gone, handler settled, PostStop──▶ terminated
 *
 * Invariant: user code of one actor never runs inside another call of its own user code, nor while an async handler of
 * it is in flight.
 */
import { AssertionFailed } from '../../foundation/assert.ts'
import type { Task } from '../../foundation/dispatcher.ts'
import { isInstance } from '../../foundation/is-instance.ts'
import type { RingBuffer } from '../../foundation/ring-buffer.ts'
import type { ActorContext } from '../context/actor-context.ts'
import { ActorStopped, ContextOutsideTurn, InvalidMessage } from '../actor-errors.ts'
import type { Failure, InternalRef, Watcher } from '../ref/actor-ref.ts'
import {
  type AnyBehavior,
  type Result,
  type Failed,
  type Stopped,
  same,
  unhandled,
} from '../behavior/behavior.ts'
import {
  guarded,
  internalPriority,
  inTurn,
  inwardWaits,
  replaying,
  scheduled,
  stopAsked,
  stopping,
  suspended,
  terminated,
  timed,
  unstarted,
  withheld,
} from './cell-flags.ts'
import { endReplays, goInward, replayNext } from './before-mail.ts'
import { CellState, type Replay } from './cell-state.ts'
import { Envelope, isEnvelope, PoisonPill } from './envelope.ts'
import type { Gate } from './gate.ts'
import {
  interpretMessage,
  interpretSignal,
  isFinal,
  isPromise,
  startBehavior,
  transition,
} from '../behavior/interpret.ts'
import { HeldSignal, type Inward, messageIn } from '../behavior/inward.ts'
import type { LocalRef } from '../ref/local-ref.ts'
import { UnhandledMessage } from '../events/lost-messages.ts'
import { mayQueue } from './mailbox.ts'
import { isMail, openEnvelope, returnEnvelope } from './open-envelope.ts'
import type { Runtime } from '../runtime.ts'
import type { Signal } from '../behavior/signals.ts'
import { continueStopping } from './stopping.ts'
import { enterScope, suspend } from './suspension.ts'
import { stopsAtOnce } from './withheld-mail.ts'

/** What keeps the cell from taking mail straight away. */
const beforeMail =
  unstarted | suspended | stopping | terminated | inwardWaits | replaying | stopAsked | withheld
const notSendable = terminated | guarded | withheld
const notSchedulable = scheduled | suspended | stopping | withheld

export class Cell implements Task, Watcher {
  readonly ref: LocalRef
  readonly runtime: Runtime
  /** Before the start the initial behavior, afterwards always a started one. */
  behavior: AnyBehavior
  mailbox: RingBuffer<unknown> | undefined
  flags: number
  gate: Gate | undefined
  #state: CellState | undefined
  #context: ActorContext<unknown> | undefined

  constructor(ref: LocalRef, runtime: Runtime, behavior: AnyBehavior, isInternal: boolean) {
    this.ref = ref
    this.runtime = runtime
    this.behavior = behavior
    this.mailbox = undefined
    this.flags = unstarted | scheduled | (isInternal ? internalPriority : 0)
    this.gate = undefined
    this.#state = undefined
    this.#context = undefined
    ref.cell = this
    runtime.dispatcher.execute(this)
  }

  get isInternal(): boolean {
    return (this.flags & internalPriority) !== 0
  }

  get isTerminated(): boolean {
    return (this.flags & terminated) !== 0
  }

  get context(): ActorContext<unknown> {
    this.#context ??= this.runtime.contextOf(this)
    return this.#context
  }

  /** The rare state, created now if there was none. */
  state(): CellState {
    this.#state ??= new CellState()
    return this.#state
  }

  get stateIfAny(): CellState | undefined {
    return this.#state
  }

  toString(): string {
    return this.ref.toString()
  }

  // ---- mail

  send(message: unknown): void {
    if ((this.flags & notSendable) !== 0 && !mayQueue(this, message)) return
    this.#queue(message)
  }

  /** Queues what is never refused, dropped or counted against the mailbox. */
  sendEnvelope(envelope: Envelope): void {
    if (this.isTerminated) return returnEnvelope(this, envelope, 'terminated')
    if ((this.flags & guarded) !== 0) this.state().envelopesQueued++
    this.#queue(envelope)
    if ((this.flags & withheld) !== 0 && envelope === PoisonPill) this.schedule()
  }

  /** Queues a message from an owner that must be heard, whatever waits already. */
  sendUnbounded(message: unknown): void {
    if (isEnvelope(message) || this.isTerminated) return this.send(message)
    this.#queue(message)
  }

  #queue(message: unknown): void {
    const mailbox = (this.mailbox ??= this.runtime.mailboxes.take())
    mailbox.push(message)
    if ((this.flags & notSchedulable) === 0) this.schedule()
  }

  schedule(): void {
    if ((this.flags & scheduled) !== 0) return
    this.flags |= scheduled
    this.runtime.dispatcher.execute(this)
  }

  boundMailbox(options: CellState['mailbox']): void {
    this.state().mailbox = options
    this.flags |= guarded
  }

  // ---- turns

  run(quota: number): number {
    if (this.gate?.isClosed === true && (this.flags & stopping) === 0) return this.gate.park(this)
    this.flags |= inTurn
    let done = 0
    while (done < quota) {
      if ((this.flags & beforeMail) !== 0) {
        if (!this.#attend()) break
        done++
      } else {
        const taken = this.#takeMail(quota - done)
        if (taken === 0) break
        done += taken
      }
    }
    if ((this.flags & suspended) !== 0) enterScope(this)
    this.flags &= ~inTurn
    if (done < quota) {
      this.flags &= ~scheduled
      if (this.mailbox?.size === 0) {
        this.runtime.mailboxes.give(this.mailbox)
        this.mailbox = undefined
      }
    }
    return done
  }

  #takeMail(limit: number): number {
    const mailbox = this.mailbox
    if (mailbox === undefined) return 0
    let done = 0
    try {
      while (done < limit && (this.flags & beforeMail) === 0) {
        const message = mailbox.shift()
        if (message === undefined) break
        done++
        if (isEnvelope(message)) this.#open(message)
        else this.receive(message)
      }
    } catch (error) {
      this.#failed(error)
    }
    return done
  }

  /** Does one thing that goes before mail; answers false when the turn has to end. */
  #attend(): boolean {
    const flags = this.flags
    if ((flags & terminated) !== 0) return false
    try {
      if ((flags & stopping) !== 0) return continueStopping(this)
      if ((flags & unstarted) !== 0) this.#start()
      else if ((flags & suspended) !== 0) return false
      else if ((flags & inwardWaits) !== 0) goInward(this)
      else if ((flags & stopAsked) !== 0) this.stop()
      else if ((flags & replaying) !== 0) replayNext(this)
      else return stopsAtOnce(this)
    } catch (error) {
      this.#failed(error)
    }
    return true
  }

  #start(): void {
    this.flags &= ~unstarted
    const started = startBehavior(this.behavior, this)
    if (isFinal(started)) {
      // Nothing ever ran, so there is nobody to hear PostStop.
      this.behavior = same
      this.#end(started)
    } else {
      this.behavior = started
    }
  }

  #open(envelope: Envelope): void {
    if ((this.flags & guarded) !== 0 && !isMail(envelope)) this.state().envelopesQueued--
    openEnvelope(this, envelope.content)
  }

  /** Hands a message from somebody to the behavior. */
  receive(message: unknown): void {
    if ((this.flags & timed) !== 0) this.#state?.receiveTimeout?.push(message)
    this.receiveTick(message)
  }

  /** Hands a message to the behavior; one from the actor's own timers does not count as being busy. */
  receiveTick(message: unknown): void {
    const behavior = this.behavior
    const result: Result<unknown> =
      behavior.kind === 'receiveMessage'
        ? behavior.onMessage(message)
        : interpretMessage(behavior, this, message)
    if (result === undefined || result === same) return
    this.become(result, message)
  }

  /** Hands a signal to the behavior. */
  signal(signal: Signal): void {
    const result = interpretSignal(this.behavior, this, signal)
    if (result === undefined || result === same || result === unhandled) return
    this.become(result, new HeldSignal(signal))
  }

  /** Goes on with what a handler answered. `cause` is what was handled: a message, or a signal as `HeldSignal`. */
  become(result: Result<unknown>, cause: unknown): void {
    if (isPromise(result)) return suspend(this, result, cause)
    const end = transition(this, result, (started) => {
      this.behavior = started
      return undefined
    })
    if (end === unhandled) {
      const message = messageIn(cause)
      if (message !== undefined) this.runtime.lost(new UnhandledMessage(message, this.ref))
    } else if (end !== same) {
      this.#end(end as Stopped | Failed)
    }
  }

  #end(final: Stopped | Failed): void {
    if (final.kind === 'failed') {
      this.#fail(final.cause)
    } else {
      this.state().stopCallback = final.callback
      this.stop()
    }
  }

  // ---- what goes before mail

  /** Goes down through the wrappers, before any mail. */
  sendInward(inward: Inward): void {
    const waiting = (this.state().inward ??= [])
    waiting.push(inward)
    this.flags |= inwardWaits
    this.schedule()
  }

  /** Lets these messages go before the mailbox. */
  replay(replay: Replay): void {
    const state = this.state()
    // Of one, which is the rule: pushed onto an empty list it would take room for sixteen. That room is used again.
    if (state.replays === undefined) state.replays = [replay]
    else state.replays.push(replay)
    this.flags |= replaying
  }

  // ---- failure and stop

  #failed(error: unknown): void {
    endReplays(this)
    this.#fail(error)
  }

  /** Fails whatever supervises it: for what no supervisor may answer. */
  failForGood(cause: unknown): void {
    this.#failed(cause)
  }

  /**
   * For actors of which there may be a million: drops the rare state if nothing is in it, and the context, of which there can be
   * another. Not in a turn of this actor.
   */
  dropBlankState(): void {
    if ((this.flags & inTurn) !== 0) return
    this.#context = undefined
    if (this.#state?.isBlank === true) this.#state = undefined
  }

  /** Stops the actor for this reason; nobody supervises it any more. */
  #fail(cause: unknown): void {
    const { runtime } = this
    runtime.failureLog.record(this.ref, cause)
    if (isInstance(cause, AssertionFailed)) runtime.brokenInvariant(cause)
    this.state().failure = { cause }
    this.stop()
  }

  stop(): void {
    if ((this.flags & (stopping | terminated)) !== 0) return
    this.flags |= stopping
    this.schedule()
  }

  // ---- family

  watchedTerminated(ref: InternalRef, failure: Failure | undefined): void {
    if (this.#state?.watching?.has(ref) === true) {
      this.sendEnvelope(new Envelope({ type: 'Terminated', ref, failure }))
    }
  }

  childTerminated(child: LocalRef): void {
    const children = this.#state?.children
    if (children?.get(child.name) !== child) return
    children.delete(child.name)
    if ((this.flags & stopping) !== 0 && children.size === 0) this.schedule()
    else this.#state?.childListener?.(child)
  }

  /** Forgets everything: only the address remains, for dead letters. */
  release(): void {
    this.flags = terminated | (this.flags & (internalPriority | scheduled | inTurn))
    this.behavior = same
    this.#state = undefined
    this.#context = undefined
  }

  /** Throws unless this can be a message to the actor itself. */
  assertMessage(message: unknown): void {
    if (message === undefined) throw new InvalidMessage(this.toString())
  }

  /** Throws unless user code of this actor may act right now. */
  assertTurn(operation: string): void {
    if ((this.flags & (stopping | terminated)) !== 0) {
      throw new ActorStopped(operation, this.toString())
    }
    if ((this.flags & (inTurn | suspended)) === 0) {
      throw new ContextOutsideTurn(operation, this.toString())
    }
  }
}
