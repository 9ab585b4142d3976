/** Settings under which a cluster notices, decides and moves within seconds, so that a short run sees much. */
import type { NodeSettings } from '../../../src/node/index.ts'

export const spineSettings: NodeSettings = {
  actor: { askTimeoutMs: 2_000 },
  remote: {
    connectTimeoutMs: 1_000,
    handshakeTimeoutMs: 1_000,
    reconnectMinMs: 50,
    reconnectMaxMs: 500,
    giveUpAfterMs: 5_000,
    confirmAfterMs: 200,
    deathNoticeWaitMs: 500,
    stopWaitMs: 300,
  },
  cluster: {
    tickIntervalMs: 250,
    gossipIntervalMs: 500,
    seedRetryIntervalMs: 300,
    seedTimeoutMs: 1_000,
    joinTimeoutMs: 2_000,
    joinDeadlineMs: 10_000,
    heartbeatIntervalMs: 500,
    acceptableHeartbeatPauseMs: 1_500,
    phiMinDeviationMs: 50,
    phiMaxDeviationMs: 100,
    downedLingerMs: 1_000,
    exitedLingerMs: 500,
  },
  sharding: {
    numberOfShards: 6,
    retryIntervalMs: 500,
    handOffTimeoutMs: 5_000,
    handOffForceMarginMs: 1_000,
    gracefulShutdownTimeoutMs: 4_000,
    rebalanceIntervalMs: 2_000,
    passivateIdleAfterMs: 2_500,
    passivationTimeoutMs: 3_000,
  },
}
