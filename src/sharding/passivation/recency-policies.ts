/** Policies that ask only when an entity was used last: the one unused for longest goes first, or the one used just now. */
import { RecencyList } from './recency-list.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import type { Tracked } from './tracked.ts'

/** For traffic in which what was used lately is used again soon. */
export class LeastRecentlyUsed implements ReplacementPolicy {
  readonly #list = new RecencyList()

  get size(): number {
    return this.#list.size
  }

  [Symbol.iterator](): IterableIterator<Tracked> {
    return this.#list[Symbol.iterator]()
  }

  setLimit(): void {
    // Nothing is divided here.
  }

  add(entity: Tracked): void {
    this.#list.add(entity)
  }

  touch(entity: Tracked): void {
    this.#list.touch(entity)
  }

  remove(entity: Tracked): void {
    this.#list.remove(entity)
  }

  peek(): Tracked | undefined {
    return this.#list.oldest
  }

  evict(): Tracked | undefined {
    const victim = this.#list.oldest
    if (victim !== undefined) this.#list.remove(victim)
    return victim
  }
}

/** For loops over more entities than there is room for: who was used just now comes again last. */
export class MostRecentlyUsed implements ReplacementPolicy {
  readonly #list = new RecencyList()

  get size(): number {
    return this.#list.size
  }

  [Symbol.iterator](): IterableIterator<Tracked> {
    return this.#list[Symbol.iterator]()
  }

  setLimit(): void {
    // Nothing is divided here.
  }

  add(entity: Tracked): void {
    this.#list.add(entity)
  }

  touch(entity: Tracked): void {
    this.#list.touch(entity)
  }

  remove(entity: Tracked): void {
    this.#list.remove(entity)
  }

  peek(): Tracked | undefined {
    return this.#list.newest
  }

  evict(): Tracked | undefined {
    const victim = this.#list.newest
    if (victim !== undefined) this.#list.remove(victim)
    return victim
  }
}
