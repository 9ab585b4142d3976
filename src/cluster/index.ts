/**
 * Who is in the cluster, who can be reached, who leads, and who survives a split.
 *
 * Reading order: `gossip/member.ts`, `gossip/gossip.ts` (what travels and merges), `gossip/data-center.ts`, `gossip/convergence.ts`,
 * `gossip/leader-actions.ts`, `membership-machine.ts` (one node's part in it), `joining/`, `detection/` (who has fallen
 * silent, and whether it was us), `downing/` (the end of a split), `cluster-machine.ts` (all of it as one machine),
 * `cluster-actor.ts` (its shell), `cluster-log.ts` (what operators read), `cluster.ts` (the door), `cluster-wire.ts` (what
 * is taken from peers).
 *
 * Promises: a member moves only forward and never comes back once removed; the leader acts on convergence only; of the
 * two sides of a clean split at most one survives, and the other is frozen before it is given up. Each data center decides for
 * itself, and a cut between two of them freezes nobody.
 */
export type { Cluster } from './cluster.ts'
export * from './cluster-errors.ts'
export type {
  MemberEventType,
  MemberChanged,
  MemberRemoved,
  ReachabilityChanged,
  DataCenterReachabilityChanged,
  LeaderChanged,
  FreezeReason,
  Frozen,
  Thawed,
  ShutdownPreparation,
  ClusterShuttingDown,
  ClusterEvent,
} from './cluster-events.ts'
export type { ClusterState, CurrentState, InitialState } from './cluster-membership.ts'
export {
  type ChosenClusterSettings,
  type ClusterSettings,
  defaultClusterSettings,
} from './cluster-settings.ts'
export type {
  DiscoveryOptions,
  DnsDiscovery,
  OwnDiscovery,
} from './joining/discovery/discovery-options.ts'
export type { Discovery } from './joining/discovery/discovery.ts'
export type { ConvergenceBlocker, ConvergenceExplanation } from './explain-convergence.ts'
export type { ClusterShutdownReason } from './cluster-shutdown-reason.ts'
export {
  type ChosenDowningSettings,
  defaultDowningSettings,
  type DownAllSettings,
  type DowningCount,
  type DowningSettings,
  type DowningStrategyName,
  type DowningWaits,
  type KeepMajoritySettings,
  type KeepOldestSettings,
  type LeaseMajoritySettings,
  type StaticQuorumSettings,
  type StoreMajoritySettings,
} from './downing/downing-settings.ts'
export type { Member, MemberStatus, MembersWith, MemberDescription } from './gossip/member.ts'
