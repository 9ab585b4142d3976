/** A clock that stands still until it is told to move, and its timers. Equal deadlines come in the order of starts. */
import { BinaryHeap } from '../foundation/binary-heap.ts'
import type { Clock } from '../foundation/clock.ts'
import type { Timer, Timers } from '../foundation/timers.ts'

/** The wall clock at the start: 1 January 2000, the same in every run. */
const startWallMs = 946_684_800_000

interface VirtualTimer extends Timer {
  readonly deadlineMs: number
  readonly number: number
  readonly callback: () => void
  isCancelled: boolean
}

export class VirtualTime implements Clock, Timers {
  readonly #timers = new BinaryHeap<VirtualTimer>(
    (a, b) => a.deadlineMs < b.deadlineMs || (a.deadlineMs === b.deadlineMs && a.number < b.number),
  )
  #nowMs = 0
  #started = 0

  monotonicMs(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return startWallMs + this.#nowMs
  }

  /** Timers started so far. */
  get started(): number {
    return this.#started
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer: VirtualTimer = {
      deadlineMs: this.#nowMs + delayMs,
      number: this.#started++,
      callback,
      isCancelled: false,
      cancel: () => {
        timer.isCancelled = true
      },
    }
    this.#timers.push(timer)
    return timer
  }

  /** Undefined when no timer waits. */
  get nextDeadlineMs(): number | undefined {
    while (this.#timers.peek()?.isCancelled === true) this.#timers.pop()
    return this.#timers.peek()?.deadlineMs
  }

  /** Goes to the next deadline and makes that one call; false when none is due by `limitMs`. */
  fireNext(limitMs: number): boolean {
    const deadlineMs = this.nextDeadlineMs
    if (deadlineMs === undefined || deadlineMs > limitMs) return false
    this.moveTo(deadlineMs)
    this.#timers.pop()?.callback()
    return true
  }

  /** Goes there without calling anybody. Never goes back. */
  moveTo(ms: number): void {
    this.#nowMs = Math.max(this.#nowMs, ms)
  }
}
