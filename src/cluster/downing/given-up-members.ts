/**
 * Whom the record in the store has given up, since when this node knows, and when it is to be carried out: soon by who had it
 * asked, and a while later by the next best, who may be the only one left that knows.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { compareForLeading } from '../gossip/convergence.ts'
import type { DowningView } from './split-view.ts'

export class GivenUpMembers {
  readonly #self: NodeId
  #shownAt: ReadonlyMap<NodeId, number> = new Map()
  /** Of those whom this node had given up itself: how long after that they are downed. */
  readonly #askedHere = new Map<NodeId, number>()

  constructor(self: NodeId) {
    this.#self = self
  }

  has(node: NodeId): boolean {
    return this.#shownAt.has(node)
  }

  asked(nodes: Iterable<NodeId>, actAfterMs: number): void {
    for (const node of nodes) this.#askedHere.set(node, actAfterMs)
  }

  /** The picture is another one: those who were asked about may have been reached since, and are at ease. */
  askedAnew(): void {
    this.#askedHere.clear()
  }

  shown(nodes: readonly NodeId[], now: number): void {
    this.#shownAt = new Map(nodes.map((node) => [node, this.#shownAt.get(node) ?? now]))
  }

  /** Members that are to be downed now. `actAfterMs` is for those that others have given up; the next in line waits `turnMs` more. */
  due(view: DowningView, now: number, waits: { actAfterMs: number; turnMs: number }): NodeId[] {
    const standing = view.members.filter(
      ({ node, status }) => status !== 'Down' && node !== this.#self && this.has(node),
    )
    if (standing.length === 0) return []
    const othersMs = waits.actAfterMs + this.#place(view) * waits.turnMs
    return standing
      .map(({ node }) => node)
      .filter((node) => {
        const knownForMs = now - (this.#shownAt.get(node) ?? now)
        return knownForMs >= (this.#askedHere.get(node) ?? othersMs)
      })
  }

  /** Among those who can carry it out. */
  #place({ members, unreachable }: DowningView): number {
    return members
      .filter(({ node, status }) => status !== 'Down' && !unreachable.has(node) && !this.has(node))
      .sort(compareForLeading)
      .findIndex(({ node }) => node === this.#self)
  }
}
