/** Whom actors of this node watch on one other node. However many watch the same actor, the other node is asked once. */
import type { Watcher } from '../../actor/internals.ts'
import type { RemoteRef } from '../ref/remote-ref.ts'

interface RemoteWatch {
  readonly id: number
  readonly ref: RemoteRef
  readonly watchers: Set<Watcher>
}

export class RemoteWatches {
  readonly #byRef = new Map<RemoteRef, RemoteWatch>()
  readonly #byId = new Map<number, RemoteWatch>()
  #lastId = 0

  has(ref: RemoteRef): boolean {
    return this.#byRef.has(ref)
  }

  /** Whether anybody waits to hear under this number. */
  hasId(id: number): boolean {
    return this.#byId.has(id)
  }

  get size(): number {
    return this.#byRef.size
  }

  /** The number under which to ask the other node; undefined when it has been asked already. */
  add(ref: RemoteRef, watcher: Watcher): number | undefined {
    const known = this.#byRef.get(ref)
    if (known !== undefined) {
      known.watchers.add(watcher)
      return undefined
    }
    const watch: RemoteWatch = { id: ++this.#lastId, ref, watchers: new Set([watcher]) }
    this.#byRef.set(ref, watch)
    this.#byId.set(watch.id, watch)
    return watch.id
  }

  /** The number under which nobody asks any more; undefined while somebody does. */
  remove(ref: RemoteRef, watcher: Watcher): number | undefined {
    const watch = this.#byRef.get(ref)
    if (watch === undefined) return undefined
    watch.watchers.delete(watcher)
    if (watch.watchers.size > 0) return undefined
    this.#forget(watch)
    return watch.id
  }

  /** The other node says so. An unknown number is that of a watch taken back. */
  died(id: number): void {
    const watch = this.#byId.get(id)
    if (watch !== undefined) this.#tell(watch)
  }

  /** The numbers under which these were asked for. */
  idsOf(isChosen: (ref: RemoteRef) => boolean): Set<number> {
    const ids = new Set<number>()
    for (const { id, ref } of this.#byRef.values()) if (isChosen(ref)) ids.add(id)
    return ids
  }

  /** There is nobody left to hear it from. */
  giveUp(isChosen: (ref: RemoteRef) => boolean): void {
    for (const watch of [...this.#byRef.values()]) if (isChosen(watch.ref)) this.#tell(watch)
  }

  #tell(watch: RemoteWatch): void {
    this.#forget(watch)
    for (const watcher of watch.watchers) watcher.watchedTerminated(watch.ref, undefined)
  }

  #forget(watch: RemoteWatch): void {
    this.#byRef.delete(watch.ref)
    this.#byId.delete(watch.id)
  }
}
