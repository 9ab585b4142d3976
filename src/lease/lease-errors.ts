/** What users of leases can do wrong, or meet. Each says what happened, and what to look at. */
import { CodedError } from '../foundation/coded-error.ts'
import { formatMs } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'

/** The store did not say who has the lease. It does not count as held. */
export class LeaseUnavailable extends CodedError {
  readonly code = 'LEASE_UNAVAILABLE'
  readonly lease: string

  constructor(lease: string, problem: string) {
    super(
      `Nobody can tell whether the lease ${show(lease)} is held: ${problem}. It does not count as held; try again, and look at the store if that goes on.`,
    )
    this.lease = lease
  }
}

/** The store did not answer in time. The lease does not count as held, though it may stand there until it runs out. */
export class LeaseTimedOut extends CodedError {
  readonly code = 'LEASE_TIMED_OUT'
  readonly lease: string

  constructor(lease: string, timeoutMs: number) {
    super(
      `The store has not answered for the lease ${show(lease)} within operationTimeoutMs (${formatMs(timeoutMs)}). It does not count as held; try again, and look at the store if that goes on.`,
    )
    this.lease = lease
  }
}

/** A name, an owner or a store that no lease can have. */
export class InvalidLease extends CodedError {
  readonly code = 'INVALID_LEASE'
}

/** Leases were asked for by the name of an implementation that was not given, or by none where there are several. */
export class UnknownLeaseImplementation extends CodedError {
  readonly code = 'UNKNOWN_LEASE_IMPLEMENTATION'
  readonly implementation: string | undefined

  constructor(implementation: string | undefined, known: readonly string[]) {
    const what =
      implementation === undefined
        ? 'No implementation of leases is named'
        : `There is no implementation of leases named ${show(implementation)}`
    const there =
      known.length === 0
        ? 'None were given: new Leases({ implementations: { store: registerLeases(journal) } })'
        : `There are: ${known.map((name) => show(name)).join(', ')}`
    super(`${what}. ${there}.`)
    this.implementation = implementation
  }
}
