/**
 * Guards the behavior inside it: catches what it throws and resumes, stops or restarts it.
 *
 *   running ──failure──▶ restarting (children stop, the delay passes, messages are held) ──▶ running, held messages first
 *
 * While restarting, messages and signals are held up to a maximum; what does not fit is `Dropped`. A failure that this
 * supervisor does not answer for, or no longer, is thrown on to the one around it.
 */
import { AssertionFailed } from '../../foundation/assert.ts'
import { isInstance } from '../../foundation/is-instance.ts'
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import type { Timer } from '../../foundation/timers.ts'
import type { WheelTimer } from '../../foundation/timer-wheel.ts'
import {
  type AnyBehavior,
  type Result,
  Failed,
  type Wrap,
  type Wrapper,
  same,
} from '../behavior/behavior.ts'
import { endReplays } from '../cell/before-mail.ts'
import type { Cell } from '../cell/cell.ts'
import {
  interpretMessage,
  interpretSignal,
  isPromise,
  startBehavior,
  toldOutside,
  transition,
} from '../behavior/interpret.ts'
import { HeldSignal, messageIn, Replayed, RestartDue, Settled } from '../behavior/inward.ts'
import { Dropped } from '../events/lost-messages.ts'
import { type Signal, preRestart } from '../behavior/signals.ts'
import { endIncarnation, stopChildren } from './end-incarnation.ts'
import { FailureCount } from './failure-count.ts'
import type { BackoffStrategy, RestartStrategy, SupervisorStrategy } from './supervisor-strategy.ts'

/** Errors a supervisor answers for; undefined means all. */
export type ErrorClass = (abstract new (...args: never[]) => unknown) | undefined

export class Supervise implements Wrap {
  readonly kind = 'wrap'
  readonly #behavior: unknown
  readonly #errorClass: ErrorClass
  readonly #strategy: SupervisorStrategy

  constructor(behavior: unknown, errorClass: ErrorClass, strategy: SupervisorStrategy) {
    this.#behavior = behavior
    this.#errorClass = errorClass
    this.#strategy = strategy
  }

  start(cell: Cell): AnyBehavior {
    return new Supervisor(cell, this.#behavior, this.#errorClass, this.#strategy).start()
  }
}

/** Something that came while restarting. */
type Held = { readonly message: unknown } | { readonly signal: Signal }

class Supervisor implements Wrapper, WheelTimer {
  readonly kind = 'wrapped'
  deadlineMs = 0
  next: WheelTimer | undefined = undefined
  previous: WheelTimer | undefined = undefined
  slot = -1
  readonly errorClass: ErrorClass
  outer: Wrapper | undefined
  readonly #cell: Cell
  readonly #initial: unknown
  readonly #strategy: SupervisorStrategy
  #failures: FailureCount | undefined = undefined
  readonly #keep = (inner: AnyBehavior): AnyBehavior | undefined => {
    this.#inner = inner
    if (inner.kind !== 'wrapped') return undefined
    if (!hasSupervisor(inner, this.errorClass)) return toldOutside(this)
    // A behavior that wraps itself anew with each step must not pile up supervisors: the inner one stands. What was held
    // here is still to pass through all that is between the two.
    if (this.#held !== undefined && this.#held.size > 0) return toldOutside(this)
    inner.outer = this.outer
    return inner
  }
  #inner: AnyBehavior = same
  #isRestarting = false
  #isDelayOver = true
  /** Ends the wait for a PreRestart that does not settle; undefined when there is none. */
  #patience: Timer | undefined = undefined
  #childrenLeft: Set<object> | undefined = undefined
  #held: RingBuffer<Held> | undefined = undefined

  constructor(cell: Cell, initial: unknown, errorClass: ErrorClass, strategy: SupervisorStrategy) {
    this.#cell = cell
    this.#initial = initial
    this.errorClass = errorClass
    this.#strategy = strategy
    this.outer = cell.state().scope
  }

  get inner(): AnyBehavior {
    return this.#inner
  }

  get isRestarting(): boolean {
    return this.#isRestarting
  }

  start(): AnyBehavior {
    const result = this.#guard(this.#cell, new RestartDue(this))
    return result === same ? this : (result as AnyBehavior)
  }

  receive(cell: Cell, message: unknown): Result<unknown> {
    if (!this.#isRestarting) return this.#guard(cell, message)
    if (isInstance(message, Settled)) return this.#preRestartEnded(cell, message)
    if (!isInstance(message, RestartDue)) return this.#hold(cell, { message })
    // One that is not for this one was for a supervisor inside, which this restart has ended.
    return message.supervisor === this ? this.#guard(cell, message) : same
  }

  signal(cell: Cell, signal: Signal): Result<unknown> {
    // What is inside ends, with its actor or by a supervisor around: it is not restarted, and nothing is held for it.
    if (signal.type === 'PostStop' || signal.type === 'PreRestart') {
      return interpretSignal(this.#inner, cell, signal)
    }
    if (this.#isRestarting) return this.#hold(cell, { signal })
    return this.#guard(cell, new HeldSignal(signal))
  }

  /** Hands `message` to the behavior inside: what that throws is answered here, what it becomes stays here. */
  #guard(cell: Cell, message: unknown): Result<unknown> {
    const state = cell.state()
    const enclosing = state.scope
    state.scope = this
    try {
      return transition(cell, this.#handle(cell, message), this.#keep)
    } catch (error) {
      return this.#failed(cell, error)
    } finally {
      state.scope = enclosing
    }
  }

  #handle(cell: Cell, message: unknown): Result<unknown> {
    if (message instanceof Replayed && message.scope === this) {
      return this.#handle(cell, message.message)
    }
    if (message instanceof HeldSignal) return interpretSignal(this.#inner, cell, message.signal)
    if (message instanceof RestartDue && message.supervisor === this) return this.#build(cell)
    return interpretMessage(this.#inner, cell, message)
  }

  // ---- answering failures

  #failed(cell: Cell, error: unknown): Result<unknown> {
    endReplays(cell)
    if (!this.#answersFor(error)) throw error
    switch (this.#strategy.type) {
      case 'resume':
        if (isVacant(this)) throw error
        this.#log(cell, 'warn', error, 'actor failed and resumes')
        return same
      case 'stop':
        return new Failed(error)
      case 'restart':
        // Without a limit a behavior that cannot start would be started for ever.
        if (this.#inner === same && this.#strategy.restartsMax === Infinity) throw error
        return this.#restart(cell, this.#strategy, error)
      case 'backoff':
        return this.#restart(cell, this.#strategy, error)
    }
  }

  #answersFor(error: unknown): boolean {
    // A broken invariant of ours is nobody's to repair.
    if (isInstance(error, AssertionFailed)) return false
    // One inside for the same errors has taken the place of this one.
    if (hasSupervisor(this.#inner, this.errorClass)) return false
    return this.errorClass === undefined || isInstance(error, this.errorClass)
  }

  #restart(
    cell: Cell,
    strategy: RestartStrategy | BackoffStrategy,
    error: unknown,
  ): Result<unknown> {
    const { clock, random } = cell.runtime.environment
    const chance = strategy.type === 'backoff' && strategy.randomFactor > 0 ? random.float() : 0
    this.#failures ??= new FailureCount(strategy)
    const verdict = this.#failures.failed(clock.monotonicMs(), chance)
    if (!verdict.mayRestart) throw error
    const isCritical = strategy.type === 'backoff' && verdict.failures >= strategy.criticalAfter
    this.#log(
      cell,
      isCritical ? 'error' : 'warn',
      error,
      'actor failed and restarts',
      verdict.delayMs,
    )
    const ending = this.#endInner(cell)
    this.#isRestarting = true
    this.#isDelayOver = verdict.delayMs === 0
    if (!this.#isDelayOver) cell.runtime.wheel.start(this, verdict.delayMs)
    this.#clearAway(cell)
    this.#continue(cell)
    return ending
  }

  /** Answers a promise when PreRestart is async. */
  #endInner(cell: Cell): Result<unknown> {
    let ending: Result<unknown> = same
    try {
      const result = this.#inner === same ? same : interpretSignal(this.#inner, cell, preRestart)
      if (isPromise(result)) ending = this.#patiently(cell, result)
    } catch (error) {
      this.#log(cell, 'warn', error, 'PreRestart failed')
    }
    dropHeld(this.#inner, cell)
    this.#inner = same
    return ending
  }

  /** What the behavior inside has made ends with it. */
  #clearAway(cell: Cell): void {
    endIncarnation(cell, this)
    this.#childrenLeft = (this.#strategy as RestartStrategy).stopChildren
      ? stopChildren(cell, (child) => this.#childGone(cell, child))
      : undefined
  }

  /** The fresh behavior is not built before the old one has ended, but it does not wait for ever either. */
  #patiently(cell: Cell, ending: Promise<unknown>): Promise<undefined> {
    const { environment, settings } = cell.runtime
    return new Promise((resolve, reject) => {
      const end = (): void => resolve(undefined)
      this.#patience = environment.timers.after(settings.handlerStopTimeoutMs, end)
      Promise.resolve(ending).then(end, reject)
    })
  }

  #preRestartEnded(cell: Cell, { isRejected, result }: Settled): Result<unknown> {
    if (this.#patience === undefined) return same
    this.#patience.cancel()
    this.#patience = undefined
    if (isRejected) this.#log(cell, 'warn', result, 'PreRestart failed')
    // Once more: it may have started timers and children after an await.
    this.#clearAway(cell)
    this.#continue(cell)
    return same
  }

  // ---- coming back

  /** The back-off delay is over. */
  fire(): void {
    this.#isDelayOver = true
    this.#continue(this.#cell)
  }

  #childGone(cell: Cell, child: object): void {
    if (this.#childrenLeft?.delete(child) === true) this.#continue(cell)
  }

  #continue(cell: Cell): void {
    const areChildrenGone = this.#childrenLeft === undefined || this.#childrenLeft.size === 0
    const isReady = this.#isDelayOver && this.#patience === undefined && areChildrenGone
    if (!this.#isRestarting || !isReady) return
    this.#childrenLeft = undefined
    cell.sendInward(new RestartDue(this))
  }

  #build(cell: Cell): Result<unknown> {
    this.#isRestarting = false
    const started = startBehavior(this.#initial, cell)
    this.#replayHeld(cell)
    return started
  }

  #replayHeld(cell: Cell): void {
    if (this.#held === undefined) return
    cell.replay({ endsOnFailure: false, take: () => this.#takeHeld() })
  }

  #hold(cell: Cell, held: Held): Result<unknown> {
    const { stashedMessagesMax } = this.#strategy as RestartStrategy
    this.#held ??= new RingBuffer()
    const heldMax = stashedMessagesMax ?? cell.runtime.settings.restartStashMessagesMax
    // The end of a watched actor is news that comes once: it is never dropped.
    const mustHold = 'signal' in held || cell.state().isNewsOfDeath
    if (mustHold || this.#held.size < heldMax) {
      this.#held.push(held)
    } else {
      cell.runtime.lost(new Dropped(messageIn(held.message), cell.ref, 'restart-stash-full'))
    }
    return same
  }

  #takeHeld(): Replayed | undefined {
    if (this.#isRestarting) return undefined
    const held = this.#held?.shift()
    if (held === undefined) return undefined
    return new Replayed('signal' in held ? new HeldSignal(held.signal) : held.message, this)
  }

  /** Takes out the messages that were held for a restart. */
  giveUpHeld(): unknown[] {
    const messages: unknown[] = []
    for (let held = this.#held?.shift(); held !== undefined; held = this.#held?.shift()) {
      if ('message' in held) messages.push(messageIn(held.message))
    }
    return messages
  }

  /** The supervised part is gone for good: no late timer may revive it. */
  forget(cell: Cell): void {
    cell.runtime.wheel.cancel(this)
    this.#patience?.cancel()
    this.#isRestarting = false
  }

  #log(
    cell: Cell,
    level: 'warn' | 'error',
    error: unknown,
    message: string,
    delayMs?: number,
  ): void {
    const fields = { err: error, actor: cell.toString() }
    const isDelayed = delayMs !== undefined && delayMs > 0
    cell.runtime.logger[level](isDelayed ? { ...fields, delayMs } : fields, message)
  }
}

/** What the supervisors of this behavior hold for a restart that will not come; they are told to forget it. */
export function heldMessages(behavior: AnyBehavior, cell: Cell): unknown[] {
  const messages: unknown[] = []
  let current: AnyBehavior | undefined = behavior
  while (current !== undefined && current.kind === 'wrapped') {
    if (current instanceof Supervisor) {
      for (const message of current.giveUpHeld()) messages.push(message)
      current.forget(cell)
    }
    current = current.inner
  }
  return messages
}

/** The behavior is gone, and another one stands in its place. */
export function dropHeld(behavior: AnyBehavior, cell: Cell): void {
  for (const message of heldMessages(behavior, cell)) {
    cell.runtime.lost(new Dropped(message, cell.ref, 'stash-discarded-by-restart'))
  }
}

/** There is nothing to resume: what is inside was never built, or could not be built again. */
function isVacant(supervisor: Supervisor): boolean {
  let inner: AnyBehavior = supervisor
  while (inner.kind === 'wrapped') {
    if (inner instanceof Supervisor && inner.isRestarting) return false
    ;({ inner } = inner)
  }
  return inner === same
}

function hasSupervisor(behavior: AnyBehavior, errorClass: ErrorClass): boolean {
  for (let each = behavior; each.kind === 'wrapped'; each = each.inner) {
    if (each instanceof Supervisor && each.errorClass === errorClass) return true
  }
  return false
}
