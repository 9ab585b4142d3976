/** How long a record must stand still before others build on it, and how long before that whoever relies on it stops. */

export interface FoundingTimings {
  readonly foundingStillMs: number
}

/** The share of the wait after which a node freezes: the rest is for clocks that run unequally, and for ticks. */
const freezeShare = 0.8

/**
 * How long a node goes on that is not shown that its founding lives. It counts from before the record was written, whoever
 * would succeed it from after that, and for longer: so it is frozen first, whatever the calls to the store take.
 */
export function foundingFreezeMs({ foundingStillMs }: FoundingTimings): number {
  return freezeShare * foundingStillMs
}
