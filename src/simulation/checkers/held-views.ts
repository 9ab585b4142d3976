/**
 * What every node of a world holds of its cluster, and in which order the nodes came: what the checkers of membership
 * compare. A life that has ended keeps the last view it had.
 */
import {
  changesBy,
  type Gossip,
  hasTombstone,
  memberOf,
  type VectorClock,
} from '../../cluster/internals.ts'
import { addressOfNode, type NodeId } from '../../foundation/node-id.ts'

interface Holder {
  readonly label: string
  /** Of all that began in this world, the so-many-th. */
  readonly number: number
  view: Gossip | undefined
  /** Who has ever been a member by its view. */
  readonly known: Set<NodeId>
}

export class HeldViews {
  readonly #holders = new Map<NodeId, Holder>()
  /** Whom anybody has ever held for Exiting, and for Down. */
  readonly #exiting = new Set<NodeId>()
  readonly #down = new Set<NodeId>()
  /** Who was removed while it could not be reached: it may never have said that it is done. */
  readonly #silent = new Set<NodeId>()
  readonly #removed = new Set<NodeId>()

  /** A life of a node begins, which holds nothing yet. */
  begins(node: NodeId, label: string): void {
    this.#holders.set(node, {
      ...{ label, number: this.#holders.size, view: undefined },
      known: new Set(),
    })
  }

  /** Takes note of what it holds now, and answers what it held before. */
  take(node: NodeId, view: Gossip): Gossip | undefined {
    const holder = this.#holders.get(node)
    if (holder === undefined) return undefined
    const before = holder.view
    holder.view = view
    if (before?.members !== view.members) {
      for (const { node: member, status } of view.members) {
        holder.known.add(member)
        if (status === 'Exiting') this.#exiting.add(member)
        else if (status === 'Down') this.#down.add(member)
      }
      this.#noteRemoved(before, view)
    }
    return before
  }

  of(node: NodeId): Gossip | undefined {
    return this.#holders.get(node)?.view
  }

  #noteRemoved(before: Gossip | undefined, view: Gossip): void {
    for (const node of view.tombstones) {
      if (this.#removed.has(node)) continue
      this.#removed.add(node)
      const rows = before?.reachability.flatMap((observed) => observed.rows) ?? []
      if (rows.some(({ subject }) => subject === node)) this.#silent.add(node)
    }
  }

  /** Whether somebody else than these holds it for Up, or did when it was heard of last. */
  isHeldUp(node: NodeId, except: readonly (NodeId | undefined)[]): boolean {
    return [...this.#holders].some(
      ([holder, { view }]) =>
        !except.includes(holder) && view !== undefined && memberOf(view, node)?.status === 'Up',
    )
  }

  /** Whether it leaves, and nobody has given it up: it is removed when it has said that all is handed over. */
  leavesInOrder(node: NodeId): boolean {
    return this.#exiting.has(node) && !this.#down.has(node) && !this.#silent.has(node)
  }

  /** `a#2`: the second life of node a. */
  labelOf(node: NodeId): string {
    return this.#holders.get(node)?.label ?? node
  }

  /** Whether both lived at one address, and the first of them before the other. */
  isFormer(node: NodeId, latest: NodeId): boolean {
    const [one, other] = [this.#holders.get(node), this.#holders.get(latest)]
    if (one === undefined || other === undefined || one.number >= other.number) return false
    return addressOfNode(node) === addressOfNode(latest)
  }

  /**
   * Whether what the node holds contains all of that version. Changes by those whom it has seen go are counted no more.
   * True of a stranger: nothing is known of it.
   */
  covers(node: NodeId, version: VectorClock): boolean {
    const holder = this.#holders.get(node)
    if (holder === undefined) return true
    const { view, known } = holder
    if (view === undefined) return version.length === 0
    if (view.version === version) return true
    const isGone = (by: NodeId): boolean =>
      memberOf(view, by) === undefined && (known.has(by) || hasTombstone(view, by))
    return version.every(([by, count]) => changesBy(view.version, by) >= count || isGone(by))
  }
}
