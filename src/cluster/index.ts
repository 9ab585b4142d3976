/**
 * Who is in the cluster, who can be reached, who leads, and who survives a split.
 *
 * Reading order: `gossip/member.ts`, `gossip/gossip.ts` (what travels and merges), `gossip/convergence.ts`,
 * `gossip/leader-actions.ts`, `membership-machine.ts` (one node's part in it), `joining/`, `detection/` (who has fallen
 * silent, and whether it was us), `downing/` (the end of a split), `cluster-machine.ts` (all of it as one machine),
 * `cluster-actor.ts` (its shell), `cluster-log.ts` (what operators read), `cluster.ts` (the door), `cluster-wire.ts` (what
 * is taken from peers).
 *
 * Promises: a member moves only forward and never comes back once removed; the leader acts on convergence only; of the
 * two sides of a clean split at most one survives, and the other is frozen before it is given up.
 */
export { Cluster, type ClusterStartOptions } from './cluster.ts'
export * from './cluster-errors.ts'
export type * from './cluster-events.ts'
export { ClusterMachine } from './cluster-machine.ts'
export type * from './cluster-membership.ts'
export type * from './cluster-messages.ts'
export type * from './cluster-inputs.ts'
export {
  type ChosenClusterSettings,
  type ClusterSettings,
  clusterSettingsTable,
  defaultClusterSettings,
} from './cluster-settings.ts'
export { clusterShutdownPhases } from './cluster-shutdown-phases.ts'
export type { ClusterShutdownReason } from './cluster-shutdown-reason.ts'
export {
  type DowningSettings,
  defaultDowningSettings,
  stableAfterMs,
} from './downing/downing-settings.ts'
export { isSeedAddress } from './joining/seed-address.ts'
export type { SharedStore } from './joining/shared-store.ts'
export { problemsWithAppVersion } from './gossip/app-version.ts'
export type { Gossip } from './gossip/gossip.ts'
export {
  type Member,
  type MemberStatus,
  type MembersWith,
  compareAges,
  compareMembers,
  isAmong,
  notYetUp,
  problemsWithRoles,
} from './gossip/member.ts'
