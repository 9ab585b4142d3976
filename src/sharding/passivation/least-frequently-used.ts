/**
 * The entity with the fewest uses goes first, among equals the one unused for longest. Entities with the same priority share a
 * list, and the lists stand in order, so that a further use is a step to the next list.
 *
 * With aging, whoever comes or is used gets the priority of the last one that had to go on top of its uses: what was popular
 * once is outlived. A use then steps over the lists of all priorities that were passed since the entity's last use.
 */
import { RecencyList } from './recency-list.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import type { Tracked } from './tracked.ts'

export class LeastFrequentlyUsed implements ReplacementPolicy {
  readonly #isAging: boolean
  #age = 0
  #lowest: RecencyList | undefined
  /** Emptied lists, linked by `higher`: a further use of an entity allocates nothing. */
  #spare: RecencyList | undefined
  #size = 0

  constructor({ dynamicAging = false }: { readonly dynamicAging?: boolean } = {}) {
    this.#isAging = dynamicAging
  }

  get size(): number {
    return this.#size
  }

  /** The priority of the last one that had to go; 0 without aging. */
  get age(): number {
    return this.#age
  }

  *[Symbol.iterator](): IterableIterator<Tracked> {
    for (let list = this.#lowest; list !== undefined; list = list.higher) yield* list
  }

  setLimit(): void {
    // Nothing is divided here.
  }

  add(entity: Tracked): void {
    entity.uses = 1
    this.#listFor(1 + this.#age, undefined).add(entity)
    this.#size++
  }

  touch(entity: Tracked): void {
    const from = entity.list as RecencyList
    const priority = ++entity.uses + this.#age
    const { higher } = from
    // Alone in its list: that rises with it.
    if (from.size === 1 && (higher === undefined || higher.rank > priority)) {
      from.rank = priority
      return
    }
    // Found from where it was, so its list goes only then.
    const to = this.#listFor(priority, from)
    from.remove(entity)
    to.add(entity)
    if (from.size === 0) this.#drop(from)
  }

  remove(entity: Tracked): void {
    const from = entity.list as RecencyList
    from.remove(entity)
    if (from.size === 0) this.#drop(from)
    this.#size--
  }

  peek(): Tracked | undefined {
    return this.#lowest?.oldest
  }

  evict(): Tracked | undefined {
    const lowest = this.#lowest
    const victim = lowest?.oldest
    if (lowest === undefined || victim === undefined) return undefined
    if (this.#isAging) this.#age = lowest.rank
    this.remove(victim)
    return victim
  }

  /** The list of this priority, above `from` or above all. */
  #listFor(priority: number, from: RecencyList | undefined): RecencyList {
    let lower = from
    let higher = from === undefined ? this.#lowest : from.higher
    while (higher !== undefined && higher.rank <= priority) {
      lower = higher
      higher = higher.higher
    }
    return lower?.rank === priority ? lower : this.#insert(priority, lower, higher)
  }

  #insert(
    priority: number,
    lower: RecencyList | undefined,
    higher: RecencyList | undefined,
  ): RecencyList {
    const list = this.#spare ?? new RecencyList()
    if (list === this.#spare) this.#spare = list.higher
    list.rank = priority
    list.lower = lower
    list.higher = higher
    if (lower === undefined) this.#lowest = list
    else lower.higher = list
    if (higher !== undefined) higher.lower = list
    return list
  }

  #drop(list: RecencyList): void {
    const { lower, higher } = list
    if (lower === undefined) this.#lowest = higher
    else lower.higher = higher
    if (higher !== undefined) higher.lower = lower
    list.lower = undefined
    list.higher = this.#spare
    this.#spare = list
  }
}
