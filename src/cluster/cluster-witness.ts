/** Who watches a node's part in its cluster from outside, in a simulation. It is told, never asked, and changes nothing. */
import type { NodeId } from '../foundation/node-id.ts'
import type { Gossip } from './gossip/gossip.ts'

export interface ClusterWitness {
  /** What this node holds from now on. Told of every view with which a step of its membership ends. */
  viewed(view: Gossip): void
  /** That node has said something that is for the cluster. Told when it arrives, before anybody looks at it. */
  heard(from: NodeId): void
}
