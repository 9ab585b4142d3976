/** Timers that work as ever and say what they were told. */
import type { TimerKey, TimerScheduler } from '../../actor/index.ts'
import { type Duration, toMs } from '../../foundation/duration.ts'
import type { BehaviorEffect, BehaviorEffectOf } from './behavior-effect.ts'

export class RecordingTimers<T> implements TimerScheduler<T> {
  readonly #timers: TimerScheduler<T>
  readonly #record: (effect: BehaviorEffect) => void

  constructor(timers: TimerScheduler<T>, record: (effect: BehaviorEffect) => void) {
    this.#timers = timers
    this.#record = record
  }

  startSingle(key: TimerKey, delay: Duration, message: T): void {
    this.#timers.startSingle(key, delay, message)
    this.#started('single', key, message, delay)
  }

  startFixedDelay(key: TimerKey, delay: Duration, message: T, initialDelay?: Duration): void {
    this.#timers.startFixedDelay(key, delay, message, initialDelay)
    this.#started('fixed-delay', key, message, delay, initialDelay)
  }

  startFixedRate(key: TimerKey, interval: Duration, message: T, initialDelay?: Duration): void {
    this.#timers.startFixedRate(key, interval, message, initialDelay)
    this.#started('fixed-rate', key, message, interval, initialDelay)
  }

  isActive(key: TimerKey): boolean {
    return this.#timers.isActive(key)
  }

  cancel(key: TimerKey): void {
    this.#timers.cancel(key)
    this.#record({ type: 'TimerCancelled', key })
  }

  cancelAll(): void {
    this.#timers.cancelAll()
    this.#record({ type: 'AllTimersCancelled' })
  }

  #started(
    kind: BehaviorEffectOf<'TimerStarted'>['kind'],
    key: TimerKey,
    message: T,
    delay: Duration,
    initialDelay?: Duration,
  ): void {
    const delayMs = toMs(delay)
    const started: BehaviorEffect = { type: 'TimerStarted', key, kind, delayMs, message }
    const isGiven = initialDelay !== undefined
    this.#record(isGiven ? { ...started, initialDelayMs: toMs(initialDelay) } : started)
  }
}
