/**
 * Settings under which a cluster notices, decides and moves within seconds, so that a short run sees much. Some are drawn by
 * seed: words that are repeated soon arrive late and twice, and a hand-off with little time is given up half done.
 */
import type { NodeSettings } from '../../../src/node/index.ts'
import type { SeededRandom } from '../../../src/simulation/index.ts'

export function spineSettings(random: SeededRandom, askTimeoutMs = 2_000): NodeSettings {
  const handOffTimeoutMs = random.pick([700, 1_500, 5_000])
  return {
    ...fixed,
    actor: { askTimeoutMs },
    sharding: {
      numberOfShards: 6,
      retryIntervalMs: random.pick([60, 200, 500]),
      handOffTimeoutMs,
      stopGraceMs: handOffTimeoutMs / 4,
      stopTimeoutMs: Math.max(handOffTimeoutMs - 1_000, (handOffTimeoutMs * 3) / 4),
      rebalanceIntervalMs: random.pick([500, 2_000]),
      passivateIdleAfterMs: random.pick([400, 2_500]),
      passivationTimeoutMs: 3_000,
    },
  }
}

const fixed: NodeSettings = {
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
    phiDeviationMinMs: 50,
    phiDeviationMaxMs: 100,
    foundingLookIntervalMs: 400,
    foundingStillMs: 4_000,
    downedLingerMs: 1_000,
    exitedLingerMs: 500,
    // What the store decides is the subject of the scenario `splits`.
    downing: { strategy: 'keep-majority' },
  },
}
