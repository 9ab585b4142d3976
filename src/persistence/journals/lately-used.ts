/** What was used lately, by number, in two generations: nothing that is in use is dropped, and no more than two are kept. */
export class LatelyUsed<Value> {
  /** Of one generation. */
  readonly #max: number
  #young = new Map<number, Value>()
  #old = new Map<number, Value>()

  constructor(max: number) {
    this.#max = max
  }

  get(key: number): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: number, value: Value): void {
    if (this.#young.size >= this.#max) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }
}
