/** The refs of one peer's actors, so that the same text gives the same ref. Keeps the most recent, and all that are watched. */
import { assert } from '../../foundation/assert.ts'
import type { Lane } from '../lane.ts'
import type { LaneChoice } from './lane-choice.ts'
import { localText, type RefText } from './ref-text.ts'
import { type Outbox, type RefHome, RemoteRef } from './remote-ref.ts'

export interface RemoteRefsOptions {
  readonly home: RefHome
  readonly outboxOf: (lane: Lane) => Outbox
  readonly refsMax: number
  readonly lanes: LaneChoice
  readonly isWatched: (ref: RemoteRef) => boolean
}

export class RemoteRefs {
  readonly #options: RemoteRefsOptions
  readonly #refs = new Map<string, RemoteRef>()
  /** Goes on with every ref that is forgotten. */
  #oldest: MapIterator<[string, RemoteRef]> | undefined

  constructor(options: RemoteRefsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#refs.size
  }

  refTo(text: RefText): RemoteRef {
    const local = localText(text.names, text.uid)
    const key = text.nodeUid === undefined ? local : `${local}.${text.nodeUid}`
    const known = this.#refs.get(key)
    if (known !== undefined) return known
    const { home, outboxOf, lanes } = this.#options
    const ref = new RemoteRef(home, outboxOf(lanes.laneOf(text.names)), text)
    this.#refs.set(key, ref)
    if (this.#refs.size > this.#options.refsMax) this.#forgetOldest()
    return ref
  }

  #forgetOldest(): void {
    // Kept from one time to the next: a new one would walk over the places of all that were forgotten before.
    this.#oldest ??= this.#refs.entries()
    // Not all of them: when everything is watched, nothing can be forgotten.
    for (let tries = 8; tries > 0; tries--) {
      const next = this.#oldest.next()
      assert(
        next.done !== true,
        'all that it has passed were taken out, so those that are left follow',
      )
      const [key, ref] = next.value
      this.#refs.delete(key)
      if (!this.#options.isWatched(ref)) return
      // Somebody may unwatch it, and must then find the same one: it is the newest again.
      this.#refs.set(key, ref)
    }
  }
}
