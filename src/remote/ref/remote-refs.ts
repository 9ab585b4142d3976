/** The refs of one peer's actors, so that the same text gives the same ref. Keeps the most recent, and all that are watched. */
import type { Lane } from '../handshake/handshake-messages.ts'
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
    // Not all of them: when everything is watched, nothing can be forgotten.
    for (const [key, ref] of [...firstOf(this.#refs, 8)]) {
      this.#refs.delete(key)
      if (!this.#options.isWatched(ref)) return
      // Somebody may unwatch it, and must then find the same one: it is the newest again.
      this.#refs.set(key, ref)
    }
  }
}

function* firstOf<T>(values: Iterable<T>, count: number): IterableIterator<T> {
  let left = count
  for (const value of values) {
    if (left-- === 0) return
    yield value
  }
}
