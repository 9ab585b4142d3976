/** Which actors of this node one other node watches. */
import type { InternalRef, Watcher } from '../../actor/internals.ts'

export class WatchedHere {
  readonly #byId = new Map<number, { readonly ref: InternalRef; readonly watcher: Watcher }>()
  readonly #onDeath: (id: number) => void

  constructor(onDeath: (id: number) => void) {
    this.#onDeath = onDeath
  }

  get size(): number {
    return this.#byId.size
  }

  watch(id: number, ref: InternalRef): void {
    // A number is used once; whoever uses it again must not leave the watcher before it behind.
    this.unwatch(id)
    const watcher: Watcher = {
      watchedTerminated: () => {
        if (this.#byId.delete(id)) this.#onDeath(id)
      },
    }
    this.#byId.set(id, { ref, watcher })
    // Last, because an actor that is gone says so at once.
    ref.addWatcher(watcher)
  }

  unwatch(id: number): void {
    const watched = this.#byId.get(id)
    if (watched === undefined) return
    this.#byId.delete(id)
    watched.ref.removeWatcher(watched.watcher)
  }

  /** The other node is gone. */
  clear(): void {
    for (const id of [...this.#byId.keys()]) this.unwatch(id)
  }
}
