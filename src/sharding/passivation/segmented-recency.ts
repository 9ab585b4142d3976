/**
 * Several lists by last use, one above the other. An entity begins in the lowest, and each further use lifts it by one; a list
 * with too many gives its oldest to the list below, and who goes, goes from the lowest. So entities that are used once push out
 * each other, and not those that were used again.
 */
import { assert } from '../../foundation/assert.ts'
import { RecencyList } from './recency-list.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import type { Tracked } from './tracked.ts'

export class SegmentedRecency implements ReplacementPolicy {
  readonly #proportions: readonly number[]
  readonly #segments: readonly RecencyList[]
  /** How many each segment may keep; what the lowest has more goes when there is no room. */
  #limits: readonly number[]
  #size = 0

  /** A share of the limit for each segment, the lowest first. */
  constructor(proportions: readonly number[]) {
    this.#proportions = proportions
    this.#segments = proportions.map((_, level) => new RecencyList(level))
    this.#limits = proportions.map(() => 0)
  }

  get size(): number {
    return this.#size
  }

  /** By segment, the lowest first; in each from the oldest on. */
  get segments(): readonly (readonly Tracked[])[] {
    return this.#segments.map((segment) => [...segment])
  }

  *[Symbol.iterator](): IterableIterator<Tracked> {
    for (const segment of this.#segments) yield* segment
  }

  /** Whole places for all but the lowest, and what is left for that. */
  setLimit(limit: number): void {
    const higher = this.#proportions.slice(1).map((proportion) => Math.floor(proportion * limit))
    this.setLimits([limit - higher.reduce((sum, each) => sum + each, 0), ...higher])
  }

  setLimits(limits: readonly number[]): void {
    assert(limits.length === this.#segments.length, 'every segment has its limit')
    this.#limits = limits
  }

  add(entity: Tracked): void {
    this.#segmentAt(0).add(entity)
    this.#size++
  }

  touch(entity: Tracked): void {
    const segment = entity.list as RecencyList
    const above = this.#segments[segment.rank + 1]
    if (above === undefined) return segment.touch(entity)
    segment.remove(entity)
    above.add(entity)
    if (above.size > this.#limitOf(above)) demote(above, segment)
  }

  remove(entity: Tracked): void {
    entity.list?.remove(entity)
    this.#size--
  }

  peek(): Tracked | undefined {
    this.#shrinkHigher()
    return this.#segmentAt(0).oldest
  }

  evict(): Tracked | undefined {
    const victim = this.peek()
    if (victim !== undefined) this.remove(victim)
    return victim
  }

  /** After the limit became smaller; from the top, so that what one gives down is passed on by the next. */
  #shrinkHigher(): void {
    for (let level = this.#segments.length - 1; level > 0; level--) {
      const segment = this.#segmentAt(level)
      while (segment.size > this.#limitOf(segment)) demote(segment, this.#segmentAt(level - 1))
    }
  }

  #segmentAt(level: number): RecencyList {
    return this.#segments[level] as RecencyList
  }

  #limitOf({ rank }: RecencyList): number {
    return this.#limits[rank] as number
  }
}

function demote(from: RecencyList, to: RecencyList): void {
  const { oldest } = from
  assert(oldest !== undefined, 'a segment with too many is not empty')
  from.remove(oldest)
  to.add(oldest)
}
