/** For the rooms above, and for tests of them: leases on registers as they are made. The package does not export it. */
export { GuardingLease, type LeaseNews } from './guarding-lease.ts'
export { problemsWithLeaseChoice } from './lease-choice.ts'
export { bytesOfLease, leaseOfBytes, type LeaseRecord } from './lease-record.ts'
export { RegisterLease, registerOfLease } from './register-lease.ts'
