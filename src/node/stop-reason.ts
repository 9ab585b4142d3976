/** Every reason for which a node stops, gathered from the parts that declare them. */
import type { ActorShutdownReason } from '../actor/index.ts'
import type { ClusterShutdownReason } from '../cluster/index.ts'

/** Why a node stops. */
export type StopReason = ActorShutdownReason | ClusterShutdownReason
