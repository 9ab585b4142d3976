/**
 * The port for leases: something of which one holder at a time may say that it has it, by name. Ours stand in the registers of
 * a store (`register-lease.ts`); others, such as on etcd or Kubernetes, plug in as a `LeaseImplementation`.
 */
import type { Environment } from '../foundation/environment.ts'
import type { LeaseSettings } from './lease-settings.ts'

/** Something that one holds at a time, by name. */
export interface Lease {
  readonly name: string
  /** Who asks for it, such as `host:port#uid`: for people, and for whoever waits. */
  readonly owner: string
  readonly settings: LeaseSettings

  /**
   * True: it is certainly held, since a write that only one can make has been confirmed. False: it is certainly another's; ask
   * again later. Rejects when nobody can tell, and then it does not count as held. Whoever holds it already gets true, and
   * keeps the token.
   *
   * `onLost` takes the place of the one before it. It is called once when the lease is lost, never before this promise has
   * resolved, and not after a `release`. Do not rely on it alone: a process that slept hears of it late.
   */
  acquire(onLost?: (loss: LeaseLoss) => void | Promise<void>): Promise<boolean>

  /**
   * Gives it back, so that others need not wait. It does not count as held any more from the call on. True: it was held, and
   * is free now. False: there was nothing to give back. Rejects when nobody can tell; then it frees itself in time.
   */
  release(): Promise<boolean>

  /**
   * Whether it is certainly still held, now: looks at the clock and at nothing else, so ask at every use. False: maybe not.
   */
  checkLease(): boolean

  /**
   * Grows with every grant of this name, whoever gets it; undefined while it is not held. Give it along with every write that
   * the lease protects, and let the store refuse a lower one than it has seen: then also a holder that fell asleep between
   * its look at the clock and its write does no harm.
   */
  readonly fenceToken: number | undefined

  /**
   * A few bytes beside the lease that outlive every holder, for what must be remembered when it is given back. Left out where there
   * is no place for them.
   */
  readonly note?: LeaseNote
}

/**
 * What stands beside the leases of one name, whoever holds them, or nobody. It is changed by compare-and-set, so that every change
 * was made by somebody who knew what stood there before.
 */
export interface LeaseNote {
  /**
   * What was written last; undefined when nothing ever was. Never older than a write that was confirmed before the call began.
   * Rejects when nobody can tell.
   */
  read(): Promise<WrittenNote | undefined>
  /**
   * Writes if what stands there is still of that revision; undefined: nothing. True: it stands there, and survives what leases do.
   * False: somebody has written since, and nothing was written now. Rejects when nobody can tell: then read again.
   */
  write(bytes: Uint8Array, over: WrittenNote['revision'] | undefined): Promise<boolean>
}

/** What stands beside a lease. */
export interface WrittenNote {
  /** Another one after every write. It is only given back. */
  readonly revision: number | string
  /** At most 65,536. */
  readonly bytes: Uint8Array
}

/** Why a lease is held no longer. */
export interface LeaseLoss {
  /** `expired`: it could not be renewed in time. `taken`: another has it, or somebody took it away. */
  readonly reason: 'expired' | 'taken'
  /** In words, for the log. */
  readonly detail: string
}

/** What a lease is made of. */
export interface LeaseRequest {
  readonly name: string
  readonly owner: string
  /** Complete and checked. */
  readonly settings: LeaseSettings
  readonly environment: Environment
}

/** Makes leases of one kind. Called once for each name, owner and settings. */
export type LeaseImplementation = (request: LeaseRequest) => Lease
