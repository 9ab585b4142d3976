/**
 * Whether a cluster has fallen into two that both live on: two members, each of which goes on, holds itself for Up and has
 * removed the other. Nodes that are frozen or asleep do not go on.
 */
import type { ClusterEvent } from '../../../src/cluster/index.ts'
import type { NodeId } from '../../../src/foundation/node-id.ts'
import type { SherdNode } from '../../../src/node/index.ts'
import type { SimulatedNode } from '../../../src/simulation/index.ts'

export interface Side {
  readonly node: SherdNode
  readonly life: SimulatedNode
}

interface WatchedSide extends Side {
  readonly removed: Set<NodeId>
}

export class TwoSides {
  readonly #sides: WatchedSide[] = []
  readonly #found: (one: string, other: string) => void

  /** `found` hears of every pair, as often as anything changes while it is one. */
  constructor(found: (one: string, other: string) => void) {
    this.#found = found
  }

  attach(node: SherdNode, life: SimulatedNode): void {
    const side = { node, life, removed: new Set<NodeId>() }
    this.#sides.push(side)
    node.cluster.subscribe((event) => this.#changed(side, event))
  }

  /** Those who live, go on, and hold themselves for members. */
  get goingOn(): readonly Side[] {
    return this.#sides.filter(goesOn)
  }

  /** Everybody who lives goes on, and reaches all whom it holds for members. */
  get areSettled(): boolean {
    return this.#sides.every(({ node, life }) => {
      if (!life.isAlive) return true
      const { members, unreachable } = node.cluster.state
      const areUp = members.length > 0 && members.every(({ status }) => status === 'Up')
      return areUp && unreachable.size === 0 && !node.cluster.isFrozen
    })
  }

  /** How each ended, or why it does not go on, in words. */
  get state(): string {
    return this.#sides
      .map(({ node, life }) => {
        const { cluster } = node
        if (!life.isAlive) return `${life.label} has ended`
        const members = cluster.state.members.map((member) => `${member.node} ${member.status}`)
        return `${life.label} frozen ${cluster.isFrozen}: ${members.join(', ')}`
      })
      .join('; ')
  }

  #changed(side: WatchedSide, event: ClusterEvent): void {
    if (event.type === 'MemberRemoved') side.removed.add(event.member.node)
    else if (event.type !== 'Thawed') return
    if (!goesOn(side)) return
    for (const other of this.#sides) {
      const areParted = side.removed.has(other.node.id) && other.removed.has(side.node.id)
      if (areParted && goesOn(other)) this.#found(side.life.label, other.life.label)
    }
  }
}

function goesOn({ node, life }: Side): boolean {
  const { cluster, id } = node
  if (!life.isAlive || life.isPaused || cluster.isFrozen) return false
  return cluster.state.members.some((member) => member.node === id && member.status === 'Up')
}
