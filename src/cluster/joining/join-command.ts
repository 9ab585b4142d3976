/** How this node is told to join. */
import type { Address } from '../../foundation/node-id.ts'
import type { ClusterInput } from '../cluster-inputs.ts'

export type JoinCommand = Extract<
  ClusterInput,
  { type: 'JoinSeeds' | 'JoinNode' | 'JoinDiscovered' }
>

/** Who alone would found a cluster; undefined where anybody may. */
export function firstSeedOf(command: JoinCommand): Address | undefined {
  if (command.type === 'JoinDiscovered') return undefined
  return command.type === 'JoinNode' ? command.address : command.seeds[0]
}
