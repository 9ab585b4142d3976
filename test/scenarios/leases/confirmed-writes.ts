/**
 * What the store has confirmed to one life of a node, seen from outside of the leases: until when it may count on each, by its
 * own clock. What happens around a sleep or a wall clock that was set does not count, since then nobody can tell.
 */
import type { Clock } from '../../../src/foundation/clock.ts'
import type { LeaseSettings } from '../../../src/lease/index.ts'
import { leaseOfBytes, registerOfLease } from '../../../src/lease/internals.ts'
import type {
  Registers,
  RegisterWrite,
  RegisterWriteResult,
  StoredRegister,
} from '../../../src/persistence/index.ts'

interface Confirmation {
  readonly validUntilMs: number
  readonly shocks: number
}

export interface ConfirmedWritesOptions {
  readonly registers: Registers
  readonly clock: Clock
  readonly settings: LeaseSettings
  /** How often the node has slept, and its wall clock was set. */
  readonly shocks: () => number
}

export class ConfirmedWrites implements Registers {
  readonly #options: ConfirmedWritesOptions
  readonly #confirmed = new Map<string, Confirmation>()

  constructor(options: ConfirmedWritesOptions) {
    this.#options = options
  }

  readRegister(name: string): Promise<StoredRegister | undefined> {
    return this.#options.registers.readRegister(name)
  }

  async writeRegister(write: RegisterWrite): Promise<RegisterWriteResult> {
    const { registers, clock, settings } = this.#options
    const { ttlMs, clockDriftMax, operationTimeoutMs } = settings
    const shocks = this.#options.shocks()
    const sentMs = clock.monotonicMs()
    const result = await registers.writeRegister(write)
    const nowMs = clock.monotonicMs()
    // A renewal that is confirmed when the time is over comes too late.
    const isGrant = leaseOfBytes(write.bytes)?.renewals === 0
    const isOver = nowMs >= (this.#confirmed.get(write.name)?.validUntilMs ?? -Infinity)
    const isInTime = nowMs - sentMs < operationTimeoutMs && (isGrant || !isOver)
    if (result.type === 'RegisterWritten' && isInTime) {
      const validUntilMs = sentMs + ttlMs * (1 - clockDriftMax)
      this.#confirmed.set(write.name, { validUntilMs, shocks })
    }
    return result
  }

  /** Whether the last write of this lease gives it time still, beyond doubt. */
  isValid(lease: string): boolean {
    const confirmed = this.#confirmed.get(registerOfLease(lease))
    if (confirmed?.shocks !== this.#options.shocks()) return false
    return this.#options.clock.monotonicMs() < confirmed.validUntilMs
  }
}
