/** What a node sees of its cluster, as data that can be told to a test, and waits for a wanted view. */
import type { Cluster } from '../../../src/cluster/index.ts'
import { addressOfNode, compareAddresses } from '../../../src/foundation/node-id.ts'
import type { Reporter } from '../harness/control-server.ts'

export interface MemberSeen {
  readonly node: string
  readonly address: string
  readonly status: string
  readonly roles: readonly string[]
  readonly upNumber: number
}

export interface View {
  readonly self: string
  readonly members: readonly MemberSeen[]
  readonly unreachable: readonly string[]
  readonly leader: string | undefined
  readonly isFrozen: boolean
}

/** The members that must be there, all Up and nobody else; with roles, who must have which. */
export interface WantedView {
  /** Addresses, or node ids where the incarnation matters. */
  readonly up: readonly string[]
  readonly roles?: Readonly<Record<string, string>>
}

export function viewOf(cluster: Cluster): View {
  const { members, unreachable, leader } = cluster.state
  return {
    self: cluster.self,
    members: members.map(({ node, status, roles, upNumber }) => ({
      node,
      address: addressOfNode(node),
      status,
      roles,
      upNumber,
    })),
    unreachable: [...unreachable],
    leader,
    isFrozen: cluster.isFrozen,
  }
}

/** Resolves when the cluster looks so, everybody is reachable and somebody leads. */
export function whenViewIs(cluster: Cluster, wanted: WantedView): Promise<View> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      const view = viewOf(cluster)
      if (!isWanted(view, wanted)) return false
      resolve(view)
      return true
    }
    if (look()) return
    const stop = cluster.subscribe(() => {
      if (look()) stop()
    })
  })
}

function isWanted(view: View, { up, roles = {} }: WantedView): boolean {
  const { members, unreachable, leader } = view
  if (unreachable.length > 0 || leader === undefined || members.length !== up.length) return false
  return (
    members.every(({ status }) => status === 'Up') &&
    up.every((name) => members.some(({ node, address }) => name === node || name === address)) &&
    Object.entries(roles).every(([address, role]) =>
      members.some((member) => member.address === address && member.roles.includes(role)),
    )
  )
}

/** The one that leads among Up members that are reachable: the lowest address. */
export function lowestOf(addresses: readonly string[]): string {
  return [...addresses].sort(compareAddresses)[0] ?? ''
}

/** Every event of the cluster becomes news. */
export function tellClusterEvents(cluster: Cluster, { tell }: Reporter): void {
  cluster.subscribe((event) => {
    if (!('member' in event)) return tell({ ...event })
    const { type, member } = event
    const previousStatus = 'previousStatus' in event ? event.previousStatus : undefined
    tell({ type, node: member.node, address: addressOfNode(member.node), previousStatus })
  })
}
