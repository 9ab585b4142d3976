/** Chance for stories that are to stay the same whatever is drawn in between: always the first, never the unlikely. */
import type { Chance } from './network.ts'

export class NoChance implements Chance {
  #uid = 0n

  float(): number {
    return 0
  }

  below(): number {
    return 0
  }

  uid(): bigint {
    return ++this.#uid
  }

  chance(probability: number): boolean {
    return probability === 1
  }

  pick<T>(values: readonly T[]): T {
    return values[0] as T
  }

  fork(): Chance {
    return this
  }
}
