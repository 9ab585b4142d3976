/**
 * Leases: one holder at a time, by name, with a fence token that grows with every grant. For work that one process of many
 * shall do, whether or not they form a cluster.
 *
 * Reading order: `lease.ts` (the port and its promises), `lease-machine.ts` (who has it, and until when), `lease-record.ts`
 * (what stands in the store), `register-lease.ts` and `register-note.ts` (on the registers of any store), `leases.ts` (by name), `lease-health.ts`.
 *
 * Promises: `acquire` says true only after a confirmed write that one alone could make; `checkLease` says true only while
 * nobody else can have it, by the monotonic clock of this machine, also after a sleep; the fence token grows with every grant.
 * Needed for that: a store with linearizable registers, and clocks that err by no more than `clockDriftMax`. Never compared:
 * the clocks of two machines.
 */
export type {
  Lease,
  LeaseImplementation,
  LeaseLoss,
  LeaseNote,
  LeaseRequest,
  WrittenNote,
} from './lease.ts'
export * from './lease-errors.ts'
export { leaseHealth, type LeaseHealthOptions } from './lease-health.ts'
export {
  defaultLeaseSettings,
  leaseSettings,
  type LeaseSettings,
  renewIntervalMsOf,
} from './lease-settings.ts'
export { type LeaseOptions, Leases, type LeasesOptions } from './leases.ts'
export { registerLeases } from './register-lease.ts'
