/** What counters are told, with and without an envelope. */
import type { ActorRef } from '../../src/index.ts'
import type { ShardingEnvelope } from '../../src/sharding/index.ts'

export type ToCounter =
  | { readonly type: 'Increment'; readonly by: number }
  | { readonly type: 'Decrement'; readonly by: number }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<number> }
  /** Shard -> counter: end, behind all that was accepted. */
  | { readonly type: 'Stop' }
  /** Counter -> itself: nobody has said anything for a while. */
  | { readonly type: 'Idle' }

/** A message that names its counter itself; the counter receives it as it is. */
export type Named = ToCounter & { readonly counter: string }

/** What the region takes. */
export type ToRegion = Named | ShardingEnvelope<ToCounter>
