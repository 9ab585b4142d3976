/**
 * Whoever thaws is a member still: nobody who goes on has given it up. A member that acts and holds another for Down or
 * removed may have let its shards begin elsewhere; if that one thawed, both would act. One that has left in order has nothing
 * left to act with, and need not have heard that it was removed.
 */
import { type Gossip, hasTombstone, memberOf } from '../../cluster/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Findings, WatchedLife } from './findings.ts'
import type { HeldViews } from './held-views.ts'

interface Thawable {
  readonly node: NodeId
  readonly life: WatchedLife
  isFrozen: boolean
  hasLeft: boolean
}

export class ThawedAreMembers {
  readonly #findings: Findings
  readonly #views: HeldViews
  readonly #excuse: () => string | undefined
  readonly #lives = new Map<NodeId, Thawable>()

  constructor(
    findings: Findings,
    views: HeldViews,
    excuse: () => string | undefined = () => undefined,
  ) {
    this.#findings = findings
    this.#views = views
    this.#excuse = excuse
  }

  begins(node: NodeId, life: WatchedLife, isFrozen: boolean): void {
    this.#lives.set(node, { node, life, isFrozen, hasLeft: false })
  }

  frozen(node: NodeId): void {
    const own = this.#lives.get(node)
    if (own !== undefined) own.isFrozen = true
  }

  /** The cluster is over for this node. */
  left(node: NodeId): void {
    const own = this.#lives.get(node)
    if (own !== undefined) own.hasLeft = true
  }

  thawed(node: NodeId): void {
    const own = this.#lives.get(node)
    if (own === undefined) return
    own.isFrozen = false
    if (!this.#isInService(node)) return
    const judge = [...this.#lives.values()].find((other) => this.#hasGivenUp(other, node))
    if (judge === undefined) return
    const excuse = this.#excuse()
    if (excuse !== undefined) return this.#findings.excuse(`S1: thawed after ${excuse}`)
    this.#findings.check(
      'whoever thaws is still a member',
      false,
      `${own.life.label} thaws, and ${judge.life.label}, which goes on, has given it up`,
    )
  }

  /** One that was never let in runs nothing, and has nobody to ask. */
  #isInService(node: NodeId): boolean {
    const view = this.#views.of(node)
    const status = view === undefined ? undefined : memberOf(view, node)?.status
    return status !== undefined && status !== 'Joining'
  }

  #hasGivenUp({ node, life, isFrozen, hasLeft }: Thawable, other: NodeId): boolean {
    if (isFrozen || hasLeft || !life.isAlive || life.isPaused) return false
    const view = this.#views.of(node)
    return view !== undefined && speaks(view, node) && this.#isGivenUpIn(view, other)
  }

  #isGivenUpIn(view: Gossip, node: NodeId): boolean {
    if (memberOf(view, node)?.status === 'Down') return true
    return hasTombstone(view, node) && !this.#views.leavesInOrder(node)
  }
}

/** Whether it may say so: itself it is not Down. */
function speaks(view: Gossip, node: NodeId): boolean {
  const own = memberOf(view, node)
  return own !== undefined && own.status !== 'Down'
}
