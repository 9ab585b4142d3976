/** What was used lately, by a number or a name, in two generations: nothing that is in use is dropped, and no more than two are kept. */
export class LatelyUsed<Value, Key extends number | string = number> {
  /** Of one generation. */
  readonly #max: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  constructor(max: number) {
    this.#max = max
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#max) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: Key): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
