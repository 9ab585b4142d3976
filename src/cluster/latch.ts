/** Something that happens once, or turns out never to happen, and can be waited for. */
export class Latch {
  readonly promise: Promise<void>
  readonly #resolve: () => void
  readonly #reject: (error: Error) => void
  #isSet = false

  constructor() {
    let resolve!: () => void
    let reject!: (error: Error) => void
    this.promise = new Promise<void>((yes, no) => {
      resolve = yes
      reject = no
    })
    this.#resolve = resolve
    this.#reject = reject
    // Nobody has to wait for it.
    this.promise.catch(() => undefined)
  }

  get isSet(): boolean {
    return this.#isSet
  }

  set(): void {
    this.#isSet = true
    this.#resolve()
  }

  /** It will not happen. Does nothing when it has. */
  fail(error: Error): void {
    this.#reject(error)
  }
}
