/** What shards do besides in a run, drawn by seed: remember their entities, hold leases, and let entities rest by a limit. */
import type { NodeSettings } from '../../../src/node/index.ts'
import {
  ConsistentHashingAllocationStrategy,
  LoadAwareAllocationStrategy,
  type Passivation,
  type Replacement,
  type ShardAllocationStrategy,
  ThresholdLeastShardAllocationStrategy,
} from '../../../src/sharding/index.ts'
import type { SeededRandom } from '../../../src/simulation/index.ts'
import type { Hosting } from '../spine/spine-entities.ts'
import { spineSettings } from '../spine/spine-settings.ts'

/** Short, so that a shard whose node died is served again within seconds. */
const lease = { settings: { ttlMs: 3_000, operationTimeoutMs: 500 } }

const replacements: readonly Replacement[] = [
  'adaptive',
  'least-recently-used',
  'most-recently-used',
  { policy: 'least-recently-used', segments: 2 },
  { policy: 'least-frequently-used', dynamicAging: true },
]

/** So few that there is hardly room for anybody. */
export function drawLimit(random: SeededRandom): Passivation {
  return { activeEntityLimit: 1 + random.below(8), replacement: random.pick(replacements) }
}

/** Of one type. */
export function drawHosting(random: SeededRandom): Hosting {
  return {
    rememberEntities: random.chance(0.4),
    ...(random.chance(0.3) && { lease }),
    ...(random.chance(0.3) && { passivation: drawLimit(random) }),
  }
}

/** The same where nobody dies: leases wait for the store as long as they do at defaults, since one refused is asked for again late. */
export function drawCalmHosting(random: SeededRandom): Hosting {
  const hosting = drawHosting(random)
  return hosting.lease === undefined ? hosting : { ...hosting, lease: {} }
}

export function drawLease(random: SeededRandom): Pick<Hosting, 'lease'> {
  return random.chance(0.4) ? { lease } : {}
}

/** undefined is what the product has when nothing is said. */
export function drawStrategy(random: SeededRandom): ShardAllocationStrategy | undefined {
  const strategies = [
    () => undefined,
    () => new ConsistentHashingAllocationStrategy(),
    () => new ThresholdLeastShardAllocationStrategy({ maxSimultaneousRebalance: 2 }),
    () => new LoadAwareAllocationStrategy(),
  ]
  return random.pick(strategies)()
}

/** Those of the spine, and how soon a shard begins anew after its store or its lease has failed it. */
export function shardingSettings(random: SeededRandom, askTimeoutMs: number): NodeSettings {
  const spine = spineSettings(random, askTimeoutMs)
  return {
    ...spine,
    sharding: {
      ...spine.sharding,
      ...{ entityRestartBackoffMs: 300, shardFailureBackoffMs: 300, leaseRetryIntervalMs: 200 },
      ...{ rememberLoadTimeoutMs: 1_000, rememberUpdateTimeoutMs: 1_000 },
      // No less often than shards are moved by it.
      loadReportIntervalMs: 500,
      entityRecoveryEntitiesMax: random.pick([1, 3, Infinity]),
    },
  }
}
