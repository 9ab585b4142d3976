/**
 * Leases in memory that can be delayed, failed, lost and stolen, for tests of those who depend on leases. They are the real
 * ones, on registers that a test can spoil.
 *
 *   const test = new TestLeases()
 *   const leases = new Leases({ owner: 'me', implementations: { test: test.implementation } })
 *   await leases.lease('reports').acquire(onLost)
 *   test.steal('reports')
 */
import { type Duration, toMs } from '../foundation/duration.ts'
import type { Environment } from '../foundation/environment.ts'
import type { LeaseImplementation } from '../lease/index.ts'
import { bytesOfLease, leaseOfBytes, RegisterLease, registerOfLease } from '../lease/internals.ts'
import {
  JournalOutcomeUnknown,
  JournalUnavailable,
  MemoryStore,
  type Registers,
  type RegisterWrite,
  type RegisterWriteResult,
  type StoredRegister,
} from '../persistence/index.ts'

/** `before`: nothing is done, and that is said. `unknown`: it is done, and nobody says so. `silent`: it is done, and there is no answer. */
export type LeaseFault = 'none' | 'before' | 'unknown' | 'silent'

/** Leases in memory that a test can delay, fail, lose and steal. */
export class TestLeases {
  readonly #store = new MemoryStore()
  readonly #leases: RegisterLease[] = []
  #delayMs = 0
  #fault: LeaseFault = 'none'

  /** To be given to `Leases`, of one owner or of several. */
  readonly implementation: LeaseImplementation = (request) => {
    const lease = new RegisterLease(this.#registersIn(request.environment), request)
    this.#leases.push(lease)
    return lease
  }

  /** Every call to the store takes so long from now on. */
  delay(duration: Duration): void {
    this.#delayMs = toMs(duration, 'delay')
  }

  /** Every call to the store fails so from now on. */
  fail(fault: LeaseFault): void {
    this.#fault = fault
  }

  /** Another has the lease now, whatever its holder thinks; the holder hears of it as soon as the store answers. */
  steal(name: string, by = 'thief'): void {
    this.#replace(name, { owner: by, instance: `${by} ${this.#leases.length}` })
  }

  /** Takes the lease from its holder and leaves it free. */
  lose(name: string): void {
    this.#replace(name, undefined)
  }

  #replace(
    name: string,
    holder: { readonly owner: string; readonly instance: string } | undefined,
  ): void {
    const register = registerOfLease(name)
    const found = this.#store.readRegister(register)
    const before = found && leaseOfBytes(found.bytes)
    const token = (before?.token ?? 0) + 1
    const bytes = bytesOfLease({ holder, token, renewals: 0, ttlMs: before?.ttlMs ?? 120_000 })
    const expectedRevision = found?.revision ?? 0
    this.#store.writeRegister({ name: register, expectedRevision, bytes })
    for (const lease of this.#leases) if (lease.name === name) lease.renewNow()
  }

  #registersIn({ timers }: Environment): Registers {
    const delayed = (): Promise<void> | undefined =>
      this.#delayMs === 0
        ? undefined
        : new Promise((resolve) => void timers.after(this.#delayMs, resolve))
    return {
      readRegister: async (name: string): Promise<StoredRegister | undefined> => {
        await delayed()
        return this.#spoilt(() => this.#store.readRegister(name))
      },
      writeRegister: async (write: RegisterWrite): Promise<RegisterWriteResult> => {
        await delayed()
        return this.#spoilt(() => this.#store.writeRegister(write))
      },
    }
  }

  #spoilt<Result>(perform: () => Result): Result | Promise<Result> {
    const fault = this.#fault
    if (fault === 'before') throw new JournalUnavailable('A test has made the store fail.')
    const result = perform()
    if (fault === 'unknown') {
      throw new JournalOutcomeUnknown('A test has made the store forget its answer.')
    }
    return fault === 'silent' ? new Promise(() => {}) : result
  }
}
