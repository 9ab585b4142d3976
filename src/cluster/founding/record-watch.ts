/**
 * What one node knows of the record from its looks: what stands there, for how long it has stood still, and since when at
 * the soonest. Two nodes that look at one record never know the time of a write, but both know bounds of it: a watcher
 * counts from the end of the look that first showed it, whoever relies on it from the start of the last one that did not.
 */
import { type FoundingRecord, hasEnded } from './founding-record.ts'

/** An answer of the store to a look that began then. */
export interface Sight {
  readonly revision: number
  readonly record: FoundingRecord | undefined
  readonly areAllGone: boolean
  readonly beganAt: number
}

export class RecordWatch {
  readonly #gapMaxMs: number
  #sight: Sight | undefined
  /** When the look ended that first showed this revision; later where looks had gaps, since the watcher may have slept. */
  #stillSince = 0
  #answeredAt = -Infinity
  #firstSeenAt = -Infinity
  #boundAt = -Infinity
  #advances = 0

  /** Looks that are further apart than this show nothing about the time between them. */
  constructor(gapMaxMs: number) {
    this.#gapMaxMs = gapMaxMs
  }

  /** Undefined before the first answer. */
  get revision(): number | undefined {
    return this.#sight?.revision
  }

  get record(): FoundingRecord | undefined {
    return this.#sight?.record
  }

  /** When the last look began that was answered. */
  get beganAt(): number {
    return this.#sight?.beganAt ?? -Infinity
  }

  /** No sooner than this was the revision written that stands there. */
  get boundAt(): number {
    return this.#boundAt
  }

  get firstSeenAt(): number {
    return this.#firstSeenAt
  }

  /** How often somebody was seen to carry a founding on, or to begin one: a sign of life. */
  get advances(): number {
    return this.#advances
  }

  /** Nobody can be left who acts in the founding that stands there, whatever the clocks say. */
  get isOver(): boolean {
    const { record, areAllGone = false } = this.#sight ?? {}
    return this.#sight !== undefined && (record === undefined || hasEnded(record) || areAllGone)
  }

  /** For how long it has stood still, seen by looks that came regularly. */
  stillForMs(now: number): number {
    return now - this.#answeredAt > this.#gapMaxMs ? 0 : now - this.#stillSince
  }

  saw(sight: Sight, now: number): void {
    const before = this.#sight
    // Late: something newer is known.
    if (before !== undefined && sight.revision < before.revision) return
    const isNews = sight.revision !== before?.revision
    if (isNews) {
      this.#boundAt = before?.beganAt ?? -Infinity
      this.#firstSeenAt = now
      if (before !== undefined && hasAdvanced(before.record, sight.record)) this.#advances++
    }
    // Not the time that the answer took: a slow store shows as much as a quick one.
    if (isNews || sight.beganAt - this.#answeredAt > this.#gapMaxMs) this.#stillSince = now
    this.#answeredAt = now
    this.#sight = sight
  }

  /** This node has written it, with a call that began then. */
  wrote(sight: Omit<Sight, 'areAllGone'>, now: number): void {
    this.#sight = { ...sight, areAllGone: false }
    this.#boundAt = sight.beganAt
    this.#firstSeenAt = now
    this.#stillSince = now
    this.#answeredAt = now
  }

  /** The time between the last look and now does not count. */
  slept(): void {
    this.#answeredAt = -Infinity
  }
}

/** Not when members only took themselves out: they may be the last. */
function hasAdvanced(
  before: FoundingRecord | undefined,
  after: FoundingRecord | undefined,
): boolean {
  if (after === undefined) return false
  if (before === undefined || after.number !== before.number) return true
  return after.counter > before.counter
}
