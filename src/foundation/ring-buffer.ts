/**
 * A first-in, first-out queue in one array: the mailbox of every actor. The capacity is a power of two, so that positions
 * wrap by a mask. It doubles when full; once drained, storage beyond 1,024 slots is given back.
 */
const SMALLEST_CAPACITY = 8
const KEPT_CAPACITY = 1_024

export class RingBuffer<T> {
  #slots: (T | undefined)[]
  #mask: number
  #head = 0
  #size = 0

  constructor(initialCapacity = SMALLEST_CAPACITY) {
    this.#slots = emptySlots(capacityFor(initialCapacity))
    this.#mask = this.#slots.length - 1
  }

  get size(): number {
    return this.#size
  }

  /** Slots held right now, used or not. */
  get capacity(): number {
    return this.#slots.length
  }

  push(value: T): void {
    if (this.#size > this.#mask) this.#grow()
    this.#slots[(this.#head + this.#size) & this.#mask] = value
    this.#size++
  }

  /** Takes the oldest value; undefined when empty. */
  shift(): T | undefined {
    if (this.#size === 0) return undefined
    const head = this.#head
    const value = this.#slots[head]
    // A taken message must not stay reachable from here.
    this.#slots[head] = undefined
    this.#head = (head + 1) & this.#mask
    if (--this.#size === 0 && this.#mask >= KEPT_CAPACITY) this.#resize(KEPT_CAPACITY)
    return value
  }

  /** The oldest value, left in place; undefined when empty. */
  peek(): T | undefined {
    return this.#slots[this.#head]
  }

  /** The value that `index` others precede; undefined outside. */
  at(index: number): T | undefined {
    if (!(index >= 0 && index < this.#size)) return undefined
    return this.#slots[(this.#head + index) & this.#mask]
  }

  /** Takes the value that `index` others precede: only those are moved. */
  take(index: number): T | undefined {
    if (!(index >= 0 && index < this.#size)) return undefined
    const value = this.at(index)
    for (let each = index; each > 0; each--) {
      this.#slots[(this.#head + each) & this.#mask] = this.at(each - 1)
    }
    this.shift()
    return value
  }

  clear(): void {
    this.#slots = emptySlots(Math.min(this.#slots.length, KEPT_CAPACITY))
    this.#mask = this.#slots.length - 1
    this.#head = 0
    this.#size = 0
  }

  /** Gives back every slot that the waiting values do not need. */
  release(): void {
    const needed = capacityFor(this.#size)
    if (needed < this.#slots.length) this.#resize(needed)
  }

  *[Symbol.iterator](): IterableIterator<T> {
    for (let index = 0; index < this.#size; index++) yield this.at(index) as T
  }

  /** In place, which the engine does by copying memory; only what had wrapped around is moved by hand. */
  #grow(): void {
    const slots = this.#slots
    const full = slots.length
    slots.length = full * 2
    for (let index = 0; index < this.#head; index++) {
      slots[full + index] = slots[index]
      slots[index] = undefined
    }
    this.#mask = slots.length - 1
  }

  #resize(capacity: number): void {
    const slots = emptySlots<T>(capacity)
    for (let index = 0; index < this.#size; index++) slots[index] = this.at(index)
    this.#slots = slots
    this.#mask = capacity - 1
    this.#head = 0
  }
}

/** The smallest power of two that holds `count` values. */
function capacityFor(count: number): number {
  let capacity = SMALLEST_CAPACITY
  while (capacity < count) capacity *= 2
  return capacity
}

function emptySlots<T>(capacity: number): (T | undefined)[] {
  return new Array<T | undefined>(capacity).fill(undefined)
}
