/**
 * A limit whose places have to be earned. Newcomers stay in a window first; who has to leave the window gets a place in the
 * main area when there is one, or when it was used more often lately than the one who would have to go for it; else it goes
 * itself. With a window by last use, a sketch as the filter and a segmented main area this is W-TinyLFU.
 *
 * Invariant: an entity is in one area; no area has more than its limit. Moving the border between them makes nobody go.
 */
import { FrequencySketch, type SketchOptions } from './frequency-sketch.ts'
import { nobody, type PassivationStrategy, type Victims } from './passivation-strategy.ts'
import { evictDownTo } from './replacing-strategy.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import type { Tracked } from './tracked.ts'
import { type HillClimbing, WindowOptimizer } from './window-optimizer.ts'

export interface WindowOptions {
  readonly policy: ReplacementPolicy
  /** Its share of all places at the start, and within which bounds it may change. */
  readonly proportion: number
  readonly minProportion: number
  readonly maxProportion: number
  /** Undefined keeps the share as it is. */
  readonly optimizer: HillClimbing | undefined
}

export interface AdmittingOptions {
  readonly main: ReplacementPolicy
  /** Undefined: newcomers ask for a place at once. */
  readonly window: WindowOptions | undefined
  /** Undefined: whoever leaves the window gets a place. */
  readonly filter: SketchOptions | undefined
}

export class AdmittingStrategy implements PassivationStrategy {
  readonly #options: AdmittingOptions
  readonly #main: ReplacementPolicy
  readonly #window: ReplacementPolicy | undefined
  readonly #optimizer: WindowOptimizer | undefined
  #proportion: number
  #limit = 0
  #reserved = 0
  #windowLimit = 0
  #mainLimit = 0
  #sketch: FrequencySketch | undefined

  constructor(options: AdmittingOptions) {
    const { main, window } = options
    this.#options = options
    this.#main = main
    this.#window = window?.policy
    this.#proportion = window?.proportion ?? 0
    if (window?.optimizer !== undefined) this.#optimizer = new WindowOptimizer(window.optimizer)
  }

  get size(): number {
    return this.#main.size + (this.#window?.size ?? 0)
  }

  /** The share of the window by now. */
  get proportion(): number {
    return this.#proportion
  }

  /** What was counted under another limit is forgotten. */
  setLimit(limit: number): Victims {
    this.#limit = limit
    this.#optimizer?.setLimit(limit)
    // A shard that begins is told many limits while others begin beside it: the first entity makes the sketch.
    this.#sketch = this.size === 0 ? undefined : this.#makeSketch()
    this.#divide()
    return this.#shrink()
  }

  reserve(places: number): Victims {
    this.#reserved = places
    this.#divide()
    return this.#shrink()
  }

  add(entity: Tracked): Victims {
    this.#sketch ??= this.#makeSketch()
    this.#sketch?.increment(entity.spots)
    const victims = this.#takeIn(entity)
    if (this.#optimizer?.used(false) === true) this.#adapt()
    return victims
  }

  touch(entity: Tracked): void {
    this.#sketch?.increment(entity.spots)
    if (entity.isInWindow) this.#window?.touch(entity)
    else this.#main.touch(entity)
    if (this.#optimizer?.used(true) === true) this.#adapt()
  }

  remove(entity: Tracked): void {
    if (entity.isInWindow) this.#window?.remove(entity)
    else this.#main.remove(entity)
  }

  #makeSketch(): FrequencySketch | undefined {
    const { filter } = this.#options
    return filter === undefined ? undefined : new FrequencySketch(this.#limit, filter)
  }

  #takeIn(entity: Tracked): Victims {
    const window = this.#window
    if (window === undefined || this.#windowLimit === 0) return this.#admit(entity)
    const victims = this.#admitAll(evictDownTo(window, this.#windowLimit - 1))
    enter(window, entity, true)
    return victims
  }

  #admitAll(candidates: readonly Tracked[]): Victims {
    return candidates.length === 0
      ? nobody
      : candidates.flatMap((candidate) => this.#admit(candidate))
  }

  /** A place for it in the main area, or none: answers who has to go, which may be itself. */
  #admit(candidate: Tracked): Victims {
    const main = this.#main
    if (main.size < this.#mainLimit) {
      enter(main, candidate, false)
      return nobody
    }
    const incumbent = main.peek()
    if (incumbent === undefined || !this.#isPreferred(candidate, incumbent)) return [candidate]
    const victims = evictDownTo(main, this.#mainLimit - 1)
    enter(main, candidate, false)
    return victims
  }

  /** Who is here stays when both are equal. */
  #isPreferred(candidate: Tracked, incumbent: Tracked): boolean {
    const sketch = this.#sketch
    return (
      sketch === undefined || sketch.frequency(candidate.spots) > sketch.frequency(incumbent.spots)
    )
  }

  /** The window first: what leaves it may still find a place. */
  #shrink(): Victims {
    const window = this.#window
    const leaving = window === undefined ? [] : evictDownTo(window, this.#windowLimit)
    const refused = this.#admitAll(leaving)
    return [...refused, ...evictDownTo(this.#main, this.#mainLimit)]
  }

  #divide(): void {
    const room = Math.max(1, this.#limit - this.#reserved)
    this.#windowLimit = Math.floor(this.#proportion * room)
    this.#mainLimit = room - this.#windowLimit
    this.#window?.setLimit(this.#windowLimit)
    this.#main.setLimit(this.#mainLimit)
  }

  /** Moves the border between the areas, and whoever is on the wrong side of it then. */
  #adapt(): void {
    const { window: options } = this.#options
    const window = this.#window
    if (this.#optimizer === undefined || options === undefined || window === undefined) return
    const wanted = this.#proportion + this.#optimizer.step()
    const { minProportion, maxProportion } = options
    this.#proportion = Math.min(maxProportion, Math.max(minProportion, wanted))
    this.#divide()
    for (const moved of evictDownTo(this.#main, this.#mainLimit)) enter(window, moved, true)
    for (const moved of evictDownTo(window, this.#windowLimit)) enter(this.#main, moved, false)
  }
}

function enter(area: ReplacementPolicy, entity: Tracked, isWindow: boolean): void {
  entity.isInWindow = isWindow
  area.add(entity)
}
