/** The phases in which a node leaves its cluster: when its services have ended, and before its actors do. */
import type { ShutdownPhases } from '../actor/index.ts'
import { phase } from '../actor/internals.ts'
import { seconds } from '../foundation/duration.ts'

export const clusterShutdownPhases = {
  'before-cluster-shutdown': phase(['service-stop']),
  'cluster-leave': phase(['before-cluster-shutdown']),
  'cluster-exiting': phase(['cluster-leave'], { timeoutMs: seconds(10) }),
  'cluster-exiting-done': phase(['cluster-exiting']),
  'cluster-shutdown': phase(['cluster-exiting-done'], {
    before: ['before-actor-system-terminate'],
  }),
} as const satisfies ShutdownPhases
