/**
 * The entity with the fewest uses goes first, among equals the one unused for longest. Entities with the same priority share a
 * list, and the lists stand in order, so that a further use is a step to the next list.
 *
 * With aging, whoever comes or is used gets the priority of the last one that had to go on top of its uses: what was popular
 * once is outlived. A use then steps over the lists of all priorities that were passed since the entity's last use.
 */
import type { RecencyList, RecencyLists } from './recency-lists.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import { noSeat, type Seat, withRoomFor } from './seat.ts'

/** More are not counted. */
const usesMax = 2 ** 31 - 1

export class LeastFrequentlyUsed implements ReplacementPolicy {
  readonly #lists: RecencyLists
  readonly #isAging: boolean
  /** Messages since it was taken in, by seat. */
  #uses: Int32Array = new Int32Array(8)
  #age = 0
  #lowest: RecencyList | undefined
  /** Emptied lists, linked by `higher`: a further use of an entity allocates nothing. */
  #spare: RecencyList | undefined
  #size = 0

  constructor(
    lists: RecencyLists,
    { dynamicAging = false }: { readonly dynamicAging?: boolean } = {},
  ) {
    this.#lists = lists
    this.#isAging = dynamicAging
  }

  get size(): number {
    return this.#size
  }

  /** The priority of the last one that had to go; 0 without aging. */
  get age(): number {
    return this.#age
  }

  *[Symbol.iterator](): IterableIterator<Seat> {
    for (let list = this.#lowest; list !== undefined; list = list.higher) yield* list
  }

  setLimit(): void {
    // Nothing is divided here.
  }

  has(seat: Seat): boolean {
    return this.#lists.of(seat).owner === this
  }

  add(seat: Seat): void {
    this.#uses = withRoomFor(this.#uses, seat + 1)
    this.#uses[seat] = 1
    this.#listFor(1 + this.#age, undefined).add(seat)
    this.#size++
  }

  /** Between evictions it does not matter by which lists somebody comes to the one of its last use. */
  touch(seats: Int32Array, from: number, to: number): void {
    const uses = this.#uses
    for (let index = from; index < to; index++) {
      const seat = seats[index] as Seat
      uses[seat] = Math.min(usesMax, (uses[seat] as number) + 1)
    }
    const begin = this.#lists.lastUses(seats, from, to)
    for (let index = begin; index < to; index++) this.#rise(seats[index] as Seat)
  }

  #rise(seat: Seat): void {
    const from = this.#lists.of(seat)
    const priority = (this.#uses[seat] as number) + this.#age
    const { higher } = from
    // Alone in its list: that rises with it.
    if (from.size === 1 && (higher === undefined || higher.rank > priority)) {
      from.rank = priority
      return
    }
    // Found from where it was, so its list goes only then.
    const to = this.#listFor(priority, from)
    from.remove(seat)
    to.add(seat)
    if (from.size === 0) this.#drop(from)
  }

  remove(seat: Seat): void {
    const from = this.#lists.of(seat)
    from.remove(seat)
    if (from.size === 0) this.#drop(from)
    this.#size--
  }

  peek(): Seat {
    return this.#lowest?.oldest ?? noSeat
  }

  evict(): Seat {
    const lowest = this.#lowest
    if (lowest === undefined) return noSeat
    const victim = lowest.oldest
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
    const list = this.#spare ?? this.#lists.make(this)
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
