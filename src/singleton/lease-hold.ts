/**
 * What a node has of the lease of a singleton: nothing, its question, a doubt, the lease, or its way back. One at a time: whoever wants
 * it anew while it is on its way back asks after that.
 */
import type { SingletonEffect } from './singleton-inputs.ts'

export class LeaseHold {
  /**
   * `had`: it was granted, and has not been given back, though it may be lost. `doubtful`: nobody could tell whether it was granted,
   * so that it may stand in the name of this node.
   */
  #state: 'none' | 'asked' | 'doubtful' | 'had' | 'releasing' = 'none'

  get isHad(): boolean {
    return this.#state === 'had'
  }

  get isNone(): boolean {
    return this.#state === 'none'
  }

  ask(): SingletonEffect[] {
    if (this.#state !== 'none' && this.#state !== 'doubtful') return []
    this.#state = 'asked'
    return [{ type: 'AcquireLease' }]
  }

  /** Also what was only asked for, and what may have been granted. */
  giveBack(): SingletonEffect[] {
    if (this.#state === 'none' || this.#state === 'releasing') return []
    this.#state = 'releasing'
    return [{ type: 'ReleaseLease' }]
  }

  // ---- answers: true for one that was waited for

  acquired(): boolean {
    return this.#answered('asked', 'had')
  }

  refused(isDoubtful: boolean): boolean {
    return this.#answered('asked', isDoubtful ? 'doubtful' : 'none')
  }

  released(): boolean {
    return this.#answered('releasing', 'none')
  }

  #answered(question: 'asked' | 'releasing', state: 'none' | 'doubtful' | 'had'): boolean {
    if (this.#state !== question) return false
    this.#state = state
    return true
  }
}
