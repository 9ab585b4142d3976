/**
 * The least a first-in-first-out queue can do: a power-of-two ring that doubles when full and never
 * shrinks.
 */
export class BareRing<T> {
  slots: (T | undefined)[]
  mask: number
  head = 0
  size = 0

  constructor(capacity: number) {
    this.slots = Array.from<T | undefined>({ length: capacity }).fill(undefined)
    this.mask = capacity - 1
  }

  push(value: T): void {
    if (this.size > this.mask) this.grow()
    this.slots[(this.head + this.size++) & this.mask] = value
  }

  /** Only call it when `size` is not 0. */
  shift(): T {
    const value = this.slots[this.head] as T
    this.slots[this.head] = undefined
    this.head = (this.head + 1) & this.mask
    this.size--
    return value
  }

  grow(): void {
    const { slots, mask, head, size } = this
    const bigger = Array.from<T | undefined>({ length: size * 2 }).fill(undefined)
    for (let index = 0; index < size; index++) bigger[index] = slots[(head + index) & mask]
    this.slots = bigger
    this.mask = size * 2 - 1
    this.head = 0
  }
}
