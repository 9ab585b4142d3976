/** Entities without events that have asked, in the command that runs, to leave the memory after it. Costs nothing before the first has. */
export class WantedRests {
  #wanted: WeakSet<object> | undefined

  want(entity: object): void {
    this.#wanted ??= new WeakSet()
    this.#wanted.add(entity)
  }

  /** Whether it has; not any more. */
  take(entity: object): boolean {
    return this.#wanted !== undefined && this.#wanted.delete(entity)
  }
}
