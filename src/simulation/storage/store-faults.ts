/** The faults that a simulated store can have, and those of a calm one. */

/** How slow the store is, and how often it fails. */
export interface StoreFaults {
  /** How long a call takes on average until it takes effect, and again until it answers. */
  readonly latencyMeanMs: number
  /** The part of calls that take up to `stallMaxMs` more. */
  readonly stallChance: number
  readonly stallMaxMs: number
  /** The part of calls that fail and do nothing. */
  readonly failsBefore: number
  /** The part of writes that fail although they took effect, and as many that fail without. */
  readonly failsUnknown: number
}

export const calmStore: StoreFaults = {
  latencyMeanMs: 1,
  stallChance: 0,
  stallMaxMs: 0,
  failsBefore: 0,
  failsUnknown: 0,
}
