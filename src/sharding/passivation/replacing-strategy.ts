/** A limit with one policy: when there is no room for a new entity, the policy says who goes. The new one never does. */
import type { PassivationStrategy, Victims } from './passivation-strategy.ts'
import { nobody } from './passivation-strategy.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import type { Tracked } from './tracked.ts'

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

  add(entity: Tracked): Victims {
    const victims =
      this.#policy.size < this.#room ? nobody : evictDownTo(this.#policy, this.#room - 1)
    this.#policy.add(entity)
    return victims
  }

  touch(entity: Tracked): void {
    this.#policy.touch(entity)
  }

  remove(entity: Tracked): void {
    this.#policy.remove(entity)
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
export function evictDownTo(policy: ReplacementPolicy, size: number): Tracked[] {
  const victims: Tracked[] = []
  while (policy.size > size) {
    const victim = policy.evict()
    if (victim === undefined) break
    victims.push(victim)
  }
  return victims
}
