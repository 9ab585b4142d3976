/** For the rooms above, and for tests of them: leases on registers as they are made. The package does not export it. */
export { bytesOfLease, leaseOfBytes, type LeaseRecord } from './lease-record.ts'
export { RegisterLease, registerOfLease } from './register-lease.ts'
