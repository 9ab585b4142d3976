/** A priority queue in one array: the value that comes before all others is always on top. Equals leave in no set order. */
export class BinaryHeap<T> {
  readonly #isBefore: (a: T, b: T) => boolean
  readonly #values: T[] = []

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#values.length
  }

  push(value: T): void {
    this.#values.push(value)
    this.#rise(this.#values.length - 1, value)
  }

  /** Takes the first value; undefined when empty. */
  pop(): T | undefined {
    const values = this.#values
    if (values.length < 2) return values.pop()
    const first = values[0]
    this.#sink(values.pop() as T)
    return first
  }

  /** The first value, left in place; undefined when empty. */
  peek(): T | undefined {
    return this.#values[0]
  }

  clear(): void {
    this.#values.length = 0
  }

  #rise(from: number, value: T): void {
    const values = this.#values
    let index = from
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = values[parentIndex] as T
      if (!this.#isBefore(value, parent)) break
      values[index] = parent
      index = parentIndex
    }
    values[index] = value
  }

  #sink(value: T): void {
    const values = this.#values
    const firstLeaf = values.length >> 1
    let index = 0
    while (index < firstLeaf) {
      let childIndex = 2 * index + 1
      let child = values[childIndex] as T
      const rightIndex = childIndex + 1
      if (rightIndex < values.length && this.#isBefore(values[rightIndex] as T, child)) {
        childIndex = rightIndex
        child = values[rightIndex] as T
      }
      if (!this.#isBefore(child, value)) break
      values[index] = child
      index = childIndex
    }
    values[index] = value
  }
}
