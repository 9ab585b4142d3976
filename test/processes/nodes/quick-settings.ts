/** Settings under which clusters of tests notice and decide sooner than the defaults, with room for a busy machine. */
import { type ClusterSettings, defaultClusterSettings } from '../../../src/cluster/index.ts'
import type { RemoteSettings } from '../../../src/remote/index.ts'
import type { ShardingSettings } from '../../../src/sharding/index.ts'

export const quickRemote: Partial<RemoteSettings> = { reconnectMinMs: 20, reconnectMaxMs: 500 }

export const quickCluster: Partial<ClusterSettings> = {
  tickIntervalMs: 50,
  gossipIntervalMs: 200,
  seedRetryIntervalMs: 200,
  seedTimeoutMs: 1_000,
  heartbeatIntervalMs: 500,
  acceptableHeartbeatPauseMs: 2_000,
  downedLingerMs: 1_000,
}

/** Nobody is downed within the time of a test but with proof, or by those who ask for it. */
export const withProofOnly: Partial<ClusterSettings> = {
  downing: { ...defaultClusterSettings.downing, stableAfterMs: 120_000 },
}

/** The same without proof. */
export const byHandOnly: Partial<ClusterSettings> = {
  ...withProofOnly,
  processLookIntervalMs: Infinity,
}

/** Nodes that came back host something again soon, so that the next fault hurts. */
export const quickSharding: Partial<ShardingSettings> = {
  retryIntervalMs: 200,
  rebalanceIntervalMs: 500,
}
