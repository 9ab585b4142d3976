/**
 * A limit whose places have to be earned. Newcomers stay in a window first; who has to leave the window gets a place in the
 * main area when there is one, or when it was used more often lately than the one who would have to go for it; else it goes
 * itself. With a window by last use, a sketch as the filter and a segmented main area this is W-TinyLFU.
 *
 * Invariant: an entity is in one area; no area has more than its limit. Moving the border between them makes nobody go.
 */
import type { EntityId } from '../shard-id.ts'
import type { SketchOptions } from './frequency-sketch.ts'
import { nobody, type PassivationStrategy, type Victims } from './passivation-strategy.ts'
import { evictDownTo } from './replacing-strategy.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import { noSeat, type Seat, withRoomFor } from './seat.ts'
import { SeatFrequencies } from './seat-frequencies.ts'
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
  readonly #frequencies: SeatFrequencies | undefined
  #proportion: number
  #limit = 0
  #reserved = 0
  #windowLimit = 0
  #mainLimit = 0
  /** Where the uses of the main area are gathered. */
  #ofMain: Int32Array = new Int32Array(0)

  constructor(options: AdmittingOptions) {
    const { main, window, filter } = options
    this.#options = options
    this.#main = main
    this.#window = window?.policy
    this.#proportion = window?.proportion ?? 0
    this.#optimizer = window?.optimizer && new WindowOptimizer(window.optimizer)
    this.#frequencies = filter && new SeatFrequencies(filter)
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
    this.#frequencies?.setCapacity(limit)
    this.#divide()
    return this.#shrink()
  }

  reserve(places: number): Victims {
    this.#reserved = places
    this.#divide()
    return this.#shrink()
  }

  add(seat: Seat, entityId: EntityId): Victims {
    this.#frequencies?.enter(seat, entityId)
    const victims = this.#takeIn(seat)
    this.#count(0, 1)
    return victims
  }

  touch(seats: Int32Array, count: number): void {
    this.#frequencies?.touch(seats, count)
    let from = 0
    while (from < count) {
      const to = Math.min(count, from + (this.#optimizer?.usesLeft ?? count))
      this.#touchAreas(seats, from, to)
      this.#count(to - from, 0)
      from = to
    }
  }

  remove(seat: Seat): void {
    if (this.#window?.has(seat) === true) this.#window.remove(seat)
    else this.#main.remove(seat)
  }

  #touchAreas(seats: Int32Array, from: number, to: number): void {
    const window = this.#window
    if (window === undefined) return this.#main.touch(seats, from, to)
    const ofMain = (this.#ofMain = withRoomFor(this.#ofMain, to - from))
    let mainCount = 0
    let windowEnd = from
    for (let index = from; index < to; index++) {
      const seat = seats[index] as Seat
      if (window.has(seat)) seats[windowEnd++] = seat
      else ofMain[mainCount++] = seat
    }
    if (mainCount > 0) this.#main.touch(ofMain, 0, mainCount)
    if (windowEnd > from) window.touch(seats, from, windowEnd)
  }

  #takeIn(seat: Seat): Victims {
    const window = this.#window
    if (window === undefined || this.#windowLimit === 0) return this.#admit(seat)
    const victims = this.#admitAll(evictDownTo(window, this.#windowLimit - 1))
    window.add(seat)
    return victims
  }

  #admitAll(candidates: readonly Seat[]): Victims {
    return candidates.length === 0
      ? nobody
      : candidates.flatMap((candidate) => this.#admit(candidate))
  }

  /** A place for it in the main area, or none: answers who has to go, which may be itself. */
  #admit(candidate: Seat): Victims {
    const main = this.#main
    if (main.size < this.#mainLimit) {
      main.add(candidate)
      return nobody
    }
    const incumbent = main.peek()
    if (incumbent === noSeat || !this.#isPreferred(candidate, incumbent)) return [candidate]
    const victims = evictDownTo(main, this.#mainLimit - 1)
    main.add(candidate)
    return victims
  }

  /** Who is here stays when both are equal. */
  #isPreferred(candidate: Seat, incumbent: Seat): boolean {
    return this.#frequencies?.isHigher(candidate, incumbent) ?? true
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

  #count(hits: number, misses: number): void {
    this.#optimizer?.used(hits, misses)
    if (this.#optimizer?.usesLeft === 0) this.#adapt()
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
    for (const moved of evictDownTo(this.#main, this.#mainLimit)) window.add(moved)
    for (const moved of evictDownTo(window, this.#windowLimit)) this.#main.add(moved)
  }
}
