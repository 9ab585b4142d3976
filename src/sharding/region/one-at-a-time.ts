/**
 * Runs pieces of work one after the other, never one inside another: what is given during one waits for its end. So the
 * effects of one step are performed completely before the next step, also when somebody who is told of one of them sends
 * the next message at once.
 */
import { RingBuffer } from '../../foundation/ring-buffer.ts'

export class OneAtATime {
  /** Whether work is under way. */
  isBusy = false
  readonly #waiting = new RingBuffer<() => void>()
  readonly #onError: (error: unknown) => void

  /** `onError` hears what a piece of work threw; the others go on. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  run(work: () => void): void {
    if (this.isBusy) {
      this.#waiting.push(work)
      return
    }
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
      this.#onError(error)
    }
  }
}
