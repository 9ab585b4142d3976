/** Runs a trace through one strategy, in as many shards as are said, and counts. */
import { stableHash } from '../../src/foundation/stable-hash.ts'
import type { LimitedPassivation } from '../../src/sharding/index.ts'
import { RehearsedRegion } from '../../test/sharding/passivation/rehearsed-region.ts'

export interface Rehearsal {
  readonly strategy: string
  readonly messages: number
  readonly activations: number
  readonly passivations: number
  /** The part of all messages that found their entity active. */
  readonly hitRate: number
}

export function rehearse(
  strategy: string,
  passivation: LimitedPassivation,
  ids: readonly string[],
  shards: number,
): Rehearsal {
  const region = new RehearsedRegion(passivation)
  for (const id of ids) region.touch(shards === 1 ? 0 : stableHash(id) % shards, id)
  const { activations, passivations } = region
  const messages = ids.length
  const hitRate = messages === 0 ? 0 : (messages - activations) / messages
  return { strategy, messages, activations, passivations, hitRate }
}
