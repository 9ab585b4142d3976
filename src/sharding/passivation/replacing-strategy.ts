/** A limit with one policy: when there is no room for a new entity, the policy says who goes. The new one never does. */
import type { PassivationStrategy, Victims } from './passivation-strategy.ts'
import { nobody } from './passivation-strategy.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import { noSeat, type Seat } from './seat.ts'

export class ReplacingStrategy implements PassivationStrategy {
  readonly #policy: ReplacementPolicy
  #limit = 1
  #reserved = 0

  constructor(policy: ReplacementPolicy) {
    this.#policy = policy
  }

  get size(): number {
    return this.#policy.size
  }

  setLimit(limit: number): Victims {
    this.#limit = limit
    return this.#resize()
  }

  reserve(places: number): Victims {
    this.#reserved = places
    return this.#resize()
  }

  add(seat: Seat): Victims {
    const victims =
      this.#policy.size < this.#room ? nobody : evictDownTo(this.#policy, this.#room - 1)
    this.#policy.add(seat)
    return victims
  }

  touch(seats: Int32Array, count: number): void {
    this.#policy.touch(seats, 0, count)
  }

  remove(seat: Seat): void {
    this.#policy.remove(seat)
  }

  get #room(): number {
    return Math.max(1, this.#limit - this.#reserved)
  }

  #resize(): Victims {
    this.#policy.setLimit(this.#room)
    return evictDownTo(this.#policy, this.#room)
  }
}

/** Until no more than so many are left. */
export function evictDownTo(policy: ReplacementPolicy, size: number): Seat[] {
  const victims: Seat[] = []
  while (policy.size > size) {
    const victim = policy.evict()
    if (victim === noSeat) break
    victims.push(victim)
  }
  return victims
}
