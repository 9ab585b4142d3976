/**
 * Time that passes only when the world says so, from deadline to deadline. It is kept in whole microseconds, so that
 * adding a delay never lands a hair before its deadline.
 */
import { assert } from '../foundation/assert.ts'
import type { Clock } from '../foundation/clock.ts'

/** The wall clock of every world starts here: 2026-01-01T00:00:00Z. */
export const startOfTimeMs = 1_767_225_600_000

/** The one time of a world. Nodes see it through their own clocks. */
export class VirtualClock {
  #nowUs = 0

  get nowUs(): number {
    return this.#nowUs
  }

  /** Milliseconds since the world began. */
  get nowMs(): number {
    return this.#nowUs / 1_000
  }

  advanceTo(timeUs: number): void {
    assert(timeUs >= this.#nowUs, 'virtual time does not go back')
    this.#nowUs = timeUs
  }

  /** When `delayMs` will have passed. */
  deadlineUs(delayMs: number): number {
    // What is beyond a thousandth of a microsecond is the noise of fractions of milliseconds.
    return this.#nowUs + Math.ceil(delayMs * 1_000 - 0.001)
  }
}

/** How the clocks of a node differ from the time of its world. */
export interface ClockErrors {
  /** Differs between nodes: a monotonic time that travels is a mistake, and shall look like one. */
  readonly monotonicStartMs?: number
  readonly wallOffsetMs?: number
  /** Seconds that both clocks count while one of the world passes. */
  readonly rate?: number
}

/** How one node sees the time of its world. */
export class NodeClock implements Clock {
  readonly rate: number
  readonly #world: VirtualClock
  readonly #startedUs: number
  readonly #monotonicStartUs: number
  #wallOffsetMs: number

  constructor(world: VirtualClock, errors: ClockErrors = {}) {
    const { monotonicStartMs = 0, wallOffsetMs = 0, rate = 1 } = errors
    this.rate = rate
    this.#world = world
    this.#startedUs = world.nowUs
    this.#monotonicStartUs = Math.round(monotonicStartMs * 1_000)
    this.#wallOffsetMs = wallOffsetMs
  }

  monotonicMs(): number {
    return (this.#countedUs() + this.#monotonicStartUs) / 1_000
  }

  wallMs(): number {
    return startOfTimeMs + (this.#startedUs + this.#countedUs()) / 1_000 + this.#wallOffsetMs
  }

  /** Milliseconds since the node started. */
  uptimeMs(): number {
    return this.#countedUs() / 1_000
  }

  #countedUs(): number {
    return (this.#world.nowUs - this.#startedUs) * this.rate
  }

  /** Lets the wall clock jump, in either direction. */
  stepWall(byMs: number): void {
    this.#wallOffsetMs += byMs
  }
}
