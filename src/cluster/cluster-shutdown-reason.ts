/** Why the cluster shuts a node down, and with which code its process ends for that. */

/** Why the cluster shuts a node down. */
export type ClusterShutdownReason =
  /** This node left the cluster, by its own wish or on request. */
  | { readonly type: 'leaving' }
  /** The cluster decided to go on without this node, or this node decided against itself. */
  | { readonly type: 'downing' }
  | { readonly type: 'join-failed' }
  /** The cluster that was to be joined has settings that do not go together with ours. */
  | { readonly type: 'incompatible-config' }
  /** The cluster was founded anew without this node, by the record in the store: this one is over. */
  | { readonly type: 'succeeded' }
  /** This node was told of no seeds, and by the record in the store a cluster of its name lives. */
  | { readonly type: 'cluster-elsewhere' }

const exitCodes: Readonly<Record<ClusterShutdownReason['type'], number>> = {
  leaving: 0,
  downing: -1,
  'join-failed': -1,
  'incompatible-config': 0,
  succeeded: -1,
  'cluster-elsewhere': -1,
}

/** -1 when the end was not wanted, so that whoever runs the process starts it again. Undefined: not a reason of the cluster. */
export function clusterExitCodeOf(reason: { readonly type: string }): number | undefined {
  return (exitCodes as Readonly<Record<string, number | undefined>>)[reason.type]
}
