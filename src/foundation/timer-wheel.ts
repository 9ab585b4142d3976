/**
 * All timers of one actor system (asks, actor timers, receive timeouts) behind one timer of the port. A timer is linked
 * into the slot of its deadline, so starting and cancelling cost the same however many wait, and allocate nothing.
 *
 * Invariant: while timers wait, the port timer is armed for a time not later than the earliest deadline, or for now.
 * Cancelling leaves it armed, even for nothing: arming costs more than an ask, and a wake-up that finds nothing due sets
 * it right. A wake-up fires a limited number of timers: the others that are due wait until the event loop has turned.
 */
import { assert } from './assert.ts'
import type { Clock } from './clock.ts'
import type { Timer, Timers } from './timers.ts'

/** What the wheel links into its slots: the object that waits. */
export interface WheelTimer {
  /** Set by the wheel: whole milliseconds on the monotonic clock. */
  deadlineMs: number
  /** Used by the wheel. */
  next: WheelTimer | undefined
  /** Used by the wheel. */
  previous: WheelTimer | undefined
  /** Used by the wheel; -1 means not waiting, and is where it starts. */
  slot: number
  /** Timers of the runtime itself that are due fire before all others, as internal tasks take their turns. */
  readonly isInternal?: boolean
  /** Called once at the deadline, when the timer no longer waits. May start and cancel timers; must not throw. */
  fire(): void
}

const NOT_WAITING = -1
const SLOT_MS = 10
const SLOT_COUNT = 512
/** A list beyond the slots: timers whose deadline has passed and whose turn to fire has not come. */
const DUE = SLOT_COUNT
/** The same for internal ones. */
const DUE_INTERNAL = SLOT_COUNT + 1
/** Another one: timers whose deadline has not been worked out. */
const FRESH = SLOT_COUNT + 2
const LIST_COUNT = SLOT_COUNT + 3
/**
 * What one wake-up fires. A call that times out costs about 0.1 ms, most of it in promises that go on after `fire`, where
 * no clock of ours would see it; so it is a number. Thousands in one go would look from outside like a process that sleeps.
 */
const FIRES_MAX = 100

export class TimerWheel {
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #wake = (): void => this.#sweep()
  readonly #settle = (): void => this.#settleFresh()
  readonly #heads = new Array<WheelTimer | undefined>(LIST_COUNT).fill(undefined)
  readonly #tails = new Array<WheelTimer | undefined>(LIST_COUNT).fill(undefined)
  /** The earliest deadline in each occupied slot; too early, never too late, where it is stale. */
  readonly #earliestMs = new Float64Array(LIST_COUNT)
  readonly #isStale = new Uint8Array(LIST_COUNT)
  #size = 0
  #armed: Timer | undefined
  #armedForMs = Infinity
  #settling: Timer | undefined

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock
    this.#timers = timers
  }

  /** Timers that wait. */
  get size(): number {
    return this.#size
  }

  /** Lets `timer` fire once `delayMs` have passed, at the next whole millisecond. */
  start(timer: WheelTimer, delayMs: number): void {
    assert(timer.slot === NOT_WAITING, 'a timer waits in one place')
    assert(delayMs >= 0 && delayMs < Infinity, 'a timer waits for a finite time')
    this.#place(timer, delayMs, this.#clock.monotonicMs())
  }

  /**
   * As `start`, for timers most of which are cancelled at once: the clock is read only when the event loop turns, for
   * those that still wait. So it fires late by at most that turn, and never early.
   */
  startLazily(timer: WheelTimer, delayMs: number): void {
    assert(timer.slot === NOT_WAITING, 'a timer waits in one place')
    assert(delayMs >= 0 && delayMs < Infinity, 'a timer waits for a finite time')
    timer.deadlineMs = delayMs
    this.#link(timer, FRESH)
    this.#settling ??= this.#timers.after(0, this.#settle)
  }

  /** The timer will not fire. Harmless when it does not wait. */
  cancel(timer: WheelTimer): void {
    const { slot } = timer
    if (slot === NOT_WAITING) return
    if (timer.deadlineMs === this.#earliestMs[slot]) this.#isStale[slot] = 1
    this.#unlink(timer)
  }

  /** How long it still waits: all of its time while its deadline has not been worked out. */
  leftMs({ slot, deadlineMs }: WheelTimer): number {
    return slot === FRESH ? deadlineMs : deadlineMs - this.#clock.monotonicMs()
  }

  /** Forgets all timers and answers them. The wheel can be used again. */
  close(): WheelTimer[] {
    const forgotten: WheelTimer[] = []
    this.#armed?.cancel()
    this.#armed = undefined
    this.#armedForMs = Infinity
    this.#settling?.cancel()
    this.#settling = undefined
    for (let slot = 0; slot < LIST_COUNT; slot++) {
      for (let timer = this.#heads[slot]; timer !== undefined; timer = this.#heads[slot]) {
        this.#unlink(timer)
        forgotten.push(timer)
      }
    }
    return forgotten
  }

  #link(timer: WheelTimer, slot: number): void {
    const tail = this.#tails[slot]
    timer.slot = slot
    timer.previous = tail
    this.#tails[slot] = timer
    if (tail === undefined) {
      this.#heads[slot] = timer
      this.#earliestMs[slot] = timer.deadlineMs
      this.#isStale[slot] = 0
    } else {
      tail.next = timer
      if (timer.deadlineMs < this.#earliestMs[slot]!) this.#earliestMs[slot] = timer.deadlineMs
    }
    this.#size++
  }

  #unlink(timer: WheelTimer): void {
    const { next, previous, slot } = timer
    if (previous === undefined) this.#heads[slot] = next
    else previous.next = next
    if (next === undefined) this.#tails[slot] = previous
    else next.previous = previous
    timer.next = undefined
    timer.previous = undefined
    timer.slot = NOT_WAITING
    this.#size--
  }

  #settleFresh(): void {
    this.#settling = undefined
    const nowMs = this.#clock.monotonicMs()
    for (let timer = this.#heads[FRESH]; timer !== undefined; timer = this.#heads[FRESH]) {
      this.#unlink(timer)
      this.#place(timer, timer.deadlineMs, nowMs)
    }
  }

  #place(timer: WheelTimer, delayMs: number, nowMs: number): void {
    const deadlineMs = Math.ceil(nowMs + delayMs)
    timer.deadlineMs = deadlineMs
    this.#link(timer, Math.floor(deadlineMs / SLOT_MS) & (SLOT_COUNT - 1))
    if (deadlineMs < this.#armedForMs) this.#arm(deadlineMs, nowMs)
  }

  #sweep(): void {
    this.#armed = undefined
    // Nothing is earlier than this: timers started by what fires wait for the arming at the end.
    this.#armedForMs = -Infinity
    try {
      this.#gatherDue(this.#clock.monotonicMs())
      this.#fireSome()
    } finally {
      // Also when a timer broke its promise not to throw: the others still wait.
      this.#armedForMs = Infinity
      const earliestMs = this.#nextDue?.deadlineMs ?? this.#earliestDeadline()
      if (earliestMs < Infinity) this.#arm(earliestMs, this.#clock.monotonicMs())
    }
  }

  #fireSome(): void {
    for (let fires = 0; fires < FIRES_MAX; fires++) {
      const timer = this.#nextDue
      if (timer === undefined) break
      this.#unlink(timer)
      timer.fire()
    }
  }

  get #nextDue(): WheelTimer | undefined {
    return this.#heads[DUE_INTERNAL] ?? this.#heads[DUE]
  }

  /**
   * Moves what is due into its due list, in the order of deadlines and then of starts. What was left there from before is
   * due earlier.
   */
  #gatherDue(nowMs: number): void {
    const due: WheelTimer[] = []
    for (let slot = 0; slot < SLOT_COUNT; slot++) {
      if (this.#heads[slot] === undefined || this.#earliestMs[slot]! > nowMs) continue
      let earliestMs = Infinity
      for (let timer = this.#heads[slot]; timer !== undefined; timer = timer.next) {
        if (timer.deadlineMs <= nowMs) due.push(timer)
        else if (timer.deadlineMs < earliestMs) earliestMs = timer.deadlineMs
      }
      this.#earliestMs[slot] = earliestMs
      this.#isStale[slot] = 0
    }
    // Equal deadlines share a slot, where they are in the order of starts; the sort is stable.
    due.sort((a, b) => a.deadlineMs - b.deadlineMs)
    for (const timer of due) {
      this.#unlink(timer)
      this.#link(timer, timer.isInternal === true ? DUE_INTERNAL : DUE)
    }
  }

  #earliestDeadline(): number {
    for (;;) {
      let slot = DUE
      let earliestMs = Infinity
      for (let each = 0; each < SLOT_COUNT; each++) {
        if (this.#heads[each] === undefined || this.#earliestMs[each]! >= earliestMs) continue
        slot = each
        earliestMs = this.#earliestMs[each]!
      }
      if (this.#isStale[slot] === 0) return earliestMs
      this.#refresh(slot)
    }
  }

  #refresh(slot: number): void {
    let earliestMs = Infinity
    for (let timer = this.#heads[slot]; timer !== undefined; timer = timer.next) {
      if (timer.deadlineMs < earliestMs) earliestMs = timer.deadlineMs
    }
    this.#earliestMs[slot] = earliestMs
    this.#isStale[slot] = 0
  }

  #arm(deadlineMs: number, nowMs: number): void {
    this.#armed?.cancel()
    this.#armedForMs = deadlineMs
    this.#armed = this.#timers.after(Math.max(0, deadlineMs - nowMs), this.#wake)
  }
}
