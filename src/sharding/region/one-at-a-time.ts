/**
 * Runs pieces of work one after the other, never one inside another: what is given during one waits for its end. So the
 * effects of one step are performed completely before the next step, also when somebody who is told of one of them sends
 * the next message at once. Whoever must know of a sleep of this process does so first: what a timer, a store or a peer
 * brings may be for a node that was given up meanwhile.
 */
import { RingBuffer } from '../../foundation/ring-buffer.ts'

export interface OneAtATimeOptions {
  /** Called before the first of several pieces; what is run meanwhile is done before it. */
  readonly lookFirst: () => void
  /** Hears what a piece of work threw; the others go on. */
  readonly onError: (error: unknown) => void
}

export class OneAtATime {
  /** Whether work is under way. */
  isBusy = false
  readonly #waiting = new RingBuffer<() => void>()
  readonly #options: OneAtATimeOptions

  constructor(options: OneAtATimeOptions) {
    this.#options = options
  }

  run(work: () => void): void {
    if (this.isBusy) {
      this.#waiting.push(work)
      return
    }
    this.#try(this.#options.lookFirst)
    this.isBusy = true
    this.#try(work)
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#try(next)
    }
    this.isBusy = false
  }

  #try(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#options.onError(error)
    }
  }
}
