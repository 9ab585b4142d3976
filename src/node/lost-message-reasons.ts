/** Every reason for which a message can be lost on a node, gathered from the parts that declare them. */
import type { ActorDeadLetterReason, ActorDroppedReason } from '../actor/index.ts'
import type { EventSourcedDroppedReason } from '../persistence/index.ts'
import type { RemoteDeadLetterReason, RemoteDroppedReason } from '../remote/index.ts'
import type { ShardingDeadLetterReason, ShardingDroppedReason } from '../sharding/index.ts'
import type { SingletonDroppedReason } from '../singleton/index.ts'

/** Why there was nobody to receive a message. */
export type DeadLetterReason =
  | ActorDeadLetterReason
  | RemoteDeadLetterReason
  | ShardingDeadLetterReason

/** Why a message was dropped on purpose. */
export type DroppedReason =
  | ActorDroppedReason
  | EventSourcedDroppedReason
  | RemoteDroppedReason
  | ShardingDroppedReason
  | SingletonDroppedReason
