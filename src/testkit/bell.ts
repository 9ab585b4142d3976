/** Wakes all who wait for the next change of something. */
export class Bell {
  #next: Promise<void> | undefined
  #wake: (() => void) | undefined

  /** Resolves when the bell is rung the next time. */
  next(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#wake = resolve
    })
    return this.#next
  }

  ring(): void {
    this.#wake?.()
    this.#next = undefined
    this.#wake = undefined
  }
}
