/** How many entities of a node recover at the same time, so that many that start together do not ask the journal for everything at once. */
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import { CodedError } from '../../foundation/coded-error.ts'

/** Held by one recovery, or waited for. */
export interface RecoveryPermit {
  /** Gives it back, or no longer waits for it. May be called twice. */
  release(): void
}

class InvalidRecoveryPermits extends CodedError {
  readonly code = 'INVALID_RECOVERY_PERMITS'
}

type PermitState = 'waiting' | 'held' | 'returned'

export class RecoveryPermits {
  readonly #waiting = new RingBuffer<Permit>()
  #free: number

  constructor(concurrentRecoveriesMax = 50) {
    if (!Number.isSafeInteger(concurrentRecoveriesMax) || concurrentRecoveriesMax < 1) {
      throw new InvalidRecoveryPermits(
        `concurrentRecoveriesMax must be a whole number of at least 1, not ${concurrentRecoveriesMax}.`,
      )
    }
    this.#free = concurrentRecoveriesMax
  }

  /** `granted` is called once: now, or when those before have returned theirs. It must not throw. */
  request(granted: () => void): RecoveryPermit {
    const permit = new Permit(granted, () => this.#returned())
    this.#waiting.push(permit)
    this.#grant()
    return permit
  }

  #returned(): void {
    this.#free++
    this.#grant()
  }

  #grant(): void {
    while (this.#free > 0) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      if (next.grant()) this.#free--
    }
  }
}

class Permit implements RecoveryPermit {
  readonly #granted: () => void
  readonly #returned: () => void
  #state: PermitState = 'waiting'

  constructor(granted: () => void, returned: () => void) {
    this.#granted = granted
    this.#returned = returned
  }

  /** False when nobody waits for it any more. */
  grant(): boolean {
    if (this.#state === 'returned') return false
    this.#state = 'held'
    this.#granted()
    return true
  }

  release(): void {
    const before = this.#state
    this.#state = 'returned'
    if (before === 'held') this.#returned()
  }
}
