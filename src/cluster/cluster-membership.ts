/** What other rooms may know and ask of the cluster. `Cluster` is the one that a node has; tests may bring their own. */
import type { NodeId } from '../foundation/node-id.ts'
import type { ClusterEvent } from './cluster-events.ts'
import type { Member } from './gossip/member.ts'

/** The cluster as this node sees it now. */
export interface ClusterState {
  /** Sorted by node. */
  readonly members: readonly Member[]
  /** Members of this node's data center that somebody there who counts cannot reach; never this node itself. */
  readonly unreachable: ReadonlySet<NodeId>
  /** Other data centers to which there is no way, as far as is known here. */
  readonly unreachableDataCenters: ReadonlySet<string>
  /** Of this node's data center. */
  readonly leader: NodeId | undefined
}

/** The first thing that a listener hears which has asked for a snapshot: all there is, in one piece. */
export interface CurrentState {
  readonly type: 'CurrentState'
  readonly state: ClusterState
}

/** How a listener learns what was there before it came: as one `CurrentState`, as events that lead there, or not at all. */
export type InitialState = 'none' | 'snapshot' | 'events'

export interface ClusterMembership {
  readonly self: NodeId
  readonly state: ClusterState
  /** Nothing may be delivered to entities and singletons on this node. */
  readonly isFrozen: boolean
  /**
   * @internal The same after a look at the clock: true also for who asks first after a sleep, before anything has told.
   */
  lookForFreeze(): boolean
  /**
   * @internal Calls the listener for every event from now on, in order, in the very turn in which this node learns of
   * it; `state` and `isFrozen` are already as the event says. Answers how to end that. For rooms of the runtime: one
   * that throws has missed an event and is not to be trusted any more, so the node ends.
   */
  follow(listener: (event: ClusterEvent) => void): () => void
  /**
   * @internal This node does not confirm that it has left before `handedOver`, which is called when it is about to, has
   * resolved: others take the confirmation for the end of all that lived here.
   */
  holdExit(handedOver: () => Promise<unknown>): void
}
