/** What stands for a process in tests of the contract of leases: it can vanish without a word, and what it got is known. */
import type { Environment } from '../../foundation/environment.ts'
import type { Logger } from '../../foundation/logger.ts'
import { systemTimers } from '../../foundation/system-timers.ts'
import type { Timer } from '../../foundation/timers.ts'
import type { Lease, LeaseLoss, Leases } from '../../lease/index.ts'

const silent = (): void => {}
const logger: Logger = { trace: silent, debug: silent, info: silent, warn: silent, error: silent }

export class ContractProcess {
  readonly leases: Leases
  readonly losses: LeaseLoss[] = []
  readonly #timers = new Set<Timer>()
  #isGone = false

  constructor(start: (environment: Partial<Environment>) => Leases) {
    const after = (delayMs: number, callback: () => void): Timer => {
      if (this.#isGone) return { cancel: silent }
      const timer = systemTimers.after(delayMs, () => {
        this.#timers.delete(timer)
        callback()
      })
      this.#timers.add(timer)
      return timer
    }
    this.leases = start({ logger, timers: { after } })
  }

  lease(name = 'lease'): Lease {
    return this.leases.lease(name)
  }

  /** With a note of its loss. */
  acquire(name = 'lease'): Promise<boolean> {
    return this.lease(name).acquire((loss) => void this.losses.push(loss))
  }

  /** Nothing of it renews any more. */
  vanish(): void {
    this.#isGone = true
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
  }
}
