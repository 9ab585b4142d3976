/**
 * For the rooms above: the cluster itself, its port for them, its machine, and what members are compared by. The
 * package does not export it.
 */
export type { ClusterMembership } from './cluster-membership.ts'
export { clusterSettingsTable } from './cluster-settings.ts'
export { clusterShutdownPhases } from './cluster-shutdown-phases.ts'
export { Cluster } from './cluster.ts'
export {
  addressesIn,
  areAllGone,
  bytesOfRecord,
  type FoundingRecord,
  recordOfBytes,
} from './founding/founding-record.ts'
export { RecordWatch } from './founding/record-watch.ts'
export { type FoundingStore, withdrawFromFounding } from './founding/founding-store.ts'
export {
  compareAppVersions,
  defaultAppVersion,
  problemsWithAppVersion,
} from './gossip/app-version.ts'
export { leaderOf, unreachableMembers } from './gossip/convergence.ts'
export {
  dataCenterOf,
  describedDataCenter,
  isDataCenterName,
  neighboursOf,
} from './gossip/data-center.ts'
export { type Gossip, hasSameContent, hasTombstone, memberOf } from './gossip/gossip.ts'
export {
  compareAges,
  defaultDataCenter,
  isAmong,
  notYetUp,
  problemsWithRoles,
} from './gossip/member.ts'
export { type VectorClock, changesBy } from './gossip/vector-clock.ts'
export { problemsWithDiscovery } from './joining/discovery/discovery-options.ts'
export { dnsDiscovery } from './joining/discovery/dns-discovery.ts'
export { isSeedAddress } from './joining/seed-address.ts'
export type { SharedStore } from './joining/shared-store.ts'
