/** The phase in which a node hands its shards over: while it is still a member like any other. */
import type { ShutdownPhases } from '../actor/index.ts'
import { phase } from '../actor/internals.ts'
import { seconds } from '../foundation/duration.ts'

export const shardingShutdownPhases = {
  'cluster-sharding-shutdown-region': phase(['before-cluster-shutdown'], {
    before: ['cluster-leave'],
    timeoutMs: seconds(10),
  }),
} as const satisfies ShutdownPhases
