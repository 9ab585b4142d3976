/**
 * How large the window of newcomers should be, found by trying: a step that let more messages find their entity active is
 * followed by one in the same direction, and a step that did not by one back. Steps become smaller while little changes, and
 * are large again when much does. It begins with a smaller window.
 */

export interface HillClimbing {
  /** Uses from one step to the next, per entity that there may be. */
  readonly adjustMultiplier: number
  /** The first step, as a share of all places. */
  readonly initialStep: number
  /** A change of the hit rate from which on steps are large again. */
  readonly restartThreshold: number
  /** By how much a step is smaller than the one before, when little has changed. */
  readonly stepDecay: number
}

export class WindowOptimizer {
  readonly #options: HillClimbing
  /** Uses from one step to the next. */
  #period = Infinity
  #uses = 0
  #hits = 0
  #hitRate = 0
  #nextStep: number

  constructor(options: HillClimbing) {
    this.#options = options
    this.#nextStep = -options.initialStep
  }

  /** What was seen with another limit says nothing. */
  setLimit(limit: number): void {
    this.#period = Math.max(1, Math.floor(this.#options.adjustMultiplier * limit))
    this.#uses = 0
    this.#hits = 0
  }

  /** Uses until it is time for a step. */
  get usesLeft(): number {
    return this.#period - this.#uses
  }

  used(hits: number, misses: number): void {
    this.#hits += hits
    this.#uses += hits + misses
  }

  /** By how much the share of the window is to change now. */
  step(): number {
    const { restartThreshold, initialStep, stepDecay } = this.#options
    const hitRate = this.#hits / this.#uses
    const change = hitRate - this.#hitRate
    const step = change >= 0 ? this.#nextStep : -this.#nextStep
    this.#nextStep =
      Math.abs(change) >= restartThreshold ? initialStep * Math.sign(step) : step * stepDecay
    this.#hitRate = hitRate
    this.#uses = 0
    this.#hits = 0
    return step
  }
}
