/**
 * Keyed timers of one actor. A timer fires into the mailbox; whether the tick still counts is decided when it is
 * reached there, so a replaced or cancelled timer is never heard of again, even if its tick was already queued.
 */
import { type Duration, InvalidDuration, toMs } from '../../foundation/duration.ts'
import type { WheelTimer } from '../../foundation/timer-wheel.ts'
import type { Cell } from '../cell/cell.ts'
import { Envelope } from '../cell/envelope.ts'

/** Keyed timers of one actor: each sends it a message. A key that is used again replaces its timer. */
export interface TimerScheduler<in T> {
  /** One message after `delay`. A timer with the same key is replaced. */
  startSingle(key: TimerKey, delay: Duration, message: T): void
  /** A message again and again, each `delay` after the one before was taken up: never two of them wait. */
  startFixedDelay(key: TimerKey, delay: Duration, message: T, initialDelay?: Duration): void
  /**
   * A message every `interval` on average: after a pause, of the process or of this actor, the missed ones come in a burst
   * of at most 10,000.
   */
  startFixedRate(key: TimerKey, interval: Duration, message: T, initialDelay?: Duration): void
  isActive(key: TimerKey): boolean
  cancel(key: TimerKey): void
  cancelAll(): void
}

/** Compared as Map keys are: strings, numbers and symbols by value, objects by identity. */
export type TimerKey = string | number | symbol | object

/** Ticks of a fixed rate that wait after a pause, of the process or of the actor. */
const burstMax = 10_000
/** Of what repeats: by less a clock that has run for long does not move on, and time would never pass. */
export const shortestMs = 0.001

type Repetition = 'single' | 'fixed-delay' | 'fixed-rate'

export class ActorTimer implements WheelTimer {
  deadlineMs = 0
  next: WheelTimer | undefined = undefined
  previous: WheelTimer | undefined = undefined
  slot = -1
  readonly cell: Cell
  readonly key: TimerKey
  readonly message: unknown
  readonly repetition: Repetition
  readonly intervalMs: number
  /** When the next tick is due, on a clock that does not slip with late wake-ups. */
  dueMs = 0
  /** Ticks of a fixed rate in the mailbox. */
  ticksWaiting = 0

  constructor(
    cell: Cell,
    key: TimerKey,
    message: unknown,
    repetition: Repetition,
    intervalMs: number,
  ) {
    this.cell = cell
    this.key = key
    this.message = message
    this.repetition = repetition
    this.intervalMs = intervalMs
  }

  get isInternal(): boolean {
    return this.cell.isInternal
  }

  fire(): void {
    const tick = new Envelope({ type: 'TimerTick', timer: this })
    if (this.repetition !== 'fixed-rate') return this.cell.sendEnvelope(tick)
    const { environment, wheel } = this.cell.runtime
    const nowMs = environment.clock.monotonicMs()
    const lateMs = nowMs - this.dueMs
    const due = Math.min(Math.floor(lateMs / this.intervalMs) + 1, burstMax - this.ticksWaiting)
    for (let count = 0; count < due; count++) this.cell.sendEnvelope(tick)
    this.ticksWaiting += due
    const restMs = this.intervalMs - (lateMs % this.intervalMs)
    this.dueMs = nowMs + restMs
    wheel.start(this, restMs)
  }
}

export class ActorTimers implements TimerScheduler<unknown> {
  readonly #cell: Cell
  readonly #timers = new Map<TimerKey, ActorTimer>()

  constructor(cell: Cell) {
    this.#cell = cell
  }

  startSingle(key: TimerKey, delay: Duration, message: unknown): void {
    const delayMs = toMs(delay, 'timer delay')
    this.#start(key, message, 'single', delayMs, delayMs)
  }

  startFixedDelay(key: TimerKey, delay: Duration, message: unknown, initialDelay = delay): void {
    const delayMs = toMs(delay, 'timer delay')
    this.#start(key, message, 'fixed-delay', delayMs, toMs(initialDelay, 'initial delay'))
  }

  startFixedRate(
    key: TimerKey,
    interval: Duration,
    message: unknown,
    initialDelay = interval,
  ): void {
    const intervalMs = toMs(interval, 'timer interval')
    this.#start(key, message, 'fixed-rate', intervalMs, toMs(initialDelay, 'initial delay'))
  }

  isActive(key: TimerKey): boolean {
    return this.#timers.has(key)
  }

  cancel(key: TimerKey): void {
    this.#cell.assertTurn('timers')
    this.#remove(key)
  }

  cancelAll(): void {
    this.#cell.assertTurn('timers')
    this.cancelEvery()
  }

  /** For the runtime: on restart and stop. */
  cancelEvery(): void {
    for (const key of [...this.#timers.keys()]) this.#remove(key)
  }

  /** A tick was reached in the mailbox. */
  deliver(timer: ActorTimer): void {
    if (this.#timers.get(timer.key) !== timer) return
    if (timer.repetition === 'single') this.#timers.delete(timer.key)
    else if (timer.repetition === 'fixed-rate') timer.ticksWaiting--
    else this.#cell.runtime.wheel.start(timer, timer.intervalMs)
    this.#cell.receiveTick(timer.message)
  }

  #start(
    key: TimerKey,
    message: unknown,
    repetition: Repetition,
    intervalMs: number,
    initialMs: number,
  ): void {
    this.#cell.assertTurn('timers')
    this.#cell.assertMessage(message)
    if (repetition !== 'single' && intervalMs < shortestMs)
      throw new InvalidDuration(intervalMs, `interval (at least ${shortestMs} ms)`)
    this.#remove(key)
    const timer = new ActorTimer(this.#cell, key, message, repetition, intervalMs)
    this.#timers.set(key, timer)
    const { environment, wheel } = this.#cell.runtime
    timer.dueMs = environment.clock.monotonicMs() + initialMs
    wheel.start(timer, initialMs)
  }

  #remove(key: TimerKey): void {
    const timer = this.#timers.get(key)
    if (timer === undefined) return
    this.#timers.delete(key)
    this.#cell.runtime.wheel.cancel(timer)
  }
}
