/** What must hold in every cluster at every step: G1-G7 and B1 of the reliability page, as far as they are local. */
import type { ClusterEvent } from '../../src/cluster/cluster-events.ts'
import { leaderOf } from '../../src/cluster/gossip/convergence.ts'
import { type Gossip, memberOf } from '../../src/cluster/gossip/gossip.ts'
import { type MemberStatus, notYetUp } from '../../src/cluster/gossip/member.ts'
import { compareClocks, pruneClock } from '../../src/cluster/gossip/vector-clock.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'
import type { Network, Node } from './network.ts'

const order: readonly MemberStatus[] = ['Joining', 'Up', 'Leaving', 'Exiting', 'Down', 'Removed']

/** Of each data center. */
function leadersIn(gossip: Gossip): (NodeId | undefined)[] {
  const viewers = new Map(gossip.members.map(({ node, dataCenter }) => [dataCenter, node]))
  return [...viewers.values()].map((viewer) => leaderOf(gossip, viewer))
}

export class Checks {
  readonly #network: Network
  readonly #before = new Map<Node, Gossip>()
  readonly #removedBy = new Map<Node, Set<NodeId>>()
  readonly #contentOfVersion = new Map<string, string>()
  /** Off where links are broken one way or flap: who survives is then checked at the end. */
  isClean = true
  removals = 0
  /** Removals of somebody awake and not frozen that are excused: two different cuts within the time to notice one. */
  excuses = 0

  constructor(network: Network) {
    this.#network = network
  }

  afterStep(node: Node): void {
    const { gossip } = node.machine
    const before = this.#before.get(node)
    if (before === gossip) return
    this.#before.set(node, gossip)
    if (before !== undefined) this.#goesForward(node, before, gossip)
    // The same object: only more have seen it.
    if (before?.version === gossip.version) return
    this.#isOneStory(node, gossip)
    this.#hasDistinctAges(node, gossip)
  }

  onEvent(node: Node, event: ClusterEvent): void {
    if (event.type !== 'MemberRemoved' || event.member.node === node.id) return
    this.removals++
    this.#removedOf(node).add(event.member.node)
    const removed = this.#network.nodes.find(({ id }) => id === event.member.node)
    if (removed === undefined || !this.#network.isAlive(removed) || !this.isClean) return
    const isAwake = this.#network.now >= removed.asleepUntil
    const isThere =
      event.previousStatus === 'Down' ? this.#isInService(removed) : removed.isHandingOver
    if (isAwake && isThere && !removed.machine.isFrozen) {
      if (this.#network.cutsWithin(20_000) < 2) {
        this.#fail(node, `removed ${removed.id}, which is awake and not frozen`)
      }
      this.excuses++
    }
    const isMutual = this.#removedOf(removed).has(node.id)
    if (isMutual && [node, removed].every((side) => this.#isUp(side))) {
      this.#fail(node, `and ${removed.id} have removed each other (B1)`)
    }
  }

  /** G2, G3, G4. */
  #goesForward(node: Node, before: Gossip, after: Gossip): void {
    for (const { node: id, status } of after.members) {
      const earlier = memberOf(before, id)?.status
      if (earlier !== undefined && order.indexOf(status) < order.indexOf(earlier)) {
        this.#fail(node, `sees ${id} go back from ${earlier} to ${status} (G2)`)
      }
      if (this.#removedOf(node).has(id)) this.#fail(node, `sees ${id} rise from the dead (G3)`)
    }
    const gone = new Set([...before.tombstones, ...after.tombstones])
    const clocks = [after, before].map(({ version }) => pruneClock(version, gone))
    const progress = compareClocks(clocks[0]!, clocks[1]!)
    if (progress === 'before' || progress === 'concurrent') {
      this.#fail(node, `has a version that went back (G4)`)
    }
  }

  /** The same version says the same, wherever and whenever; and names the same leader where all are in reach. */
  #isOneStory(node: Node, gossip: Gossip): void {
    const isWhole = gossip.reachability.every(({ rows }) => rows.length === 0)
    const content = JSON.stringify([
      gossip.members,
      gossip.reachability,
      gossip.tombstones,
      isWhole ? leadersIn(gossip) : '',
    ])
    const version = JSON.stringify(gossip.version)
    const known = this.#contentOfVersion.get(version)
    if (known !== undefined && known !== content) {
      this.#fail(node, `has version ${version} with other content\n${known}\n${content}\n`)
    }
    this.#contentOfVersion.set(version, content)
  }

  #hasDistinctAges(node: Node, gossip: Gossip): void {
    // Ages are compared within a data center only.
    const ages = gossip.members
      .filter(({ upNumber }) => upNumber !== notYetUp)
      .map(({ upNumber, dataCenter = '' }) => `${upNumber} ${dataCenter}`)
    if (new Set(ages).size < ages.length) this.#fail(node, 'sees two members of one age')
  }

  /** Up or Leaving: entities may live there. */
  #isInService(node: Node): boolean {
    const status = memberOf(node.machine.gossip, node.id)?.status
    return status === 'Up' || status === 'Leaving'
  }

  #isUp(node: Node): boolean {
    return memberOf(node.machine.gossip, node.id)?.status === 'Up'
  }

  #removedOf(node: Node): Set<NodeId> {
    let removed = this.#removedBy.get(node)
    if (removed === undefined) this.#removedBy.set(node, (removed = new Set()))
    return removed
  }

  #fail(node: Node, what: string): never {
    throw new Error(`${node.id} ${what}; ${this.#network.show()}`)
  }
}
