/** G3: tombstones hold. Whoever has seen a member go never has it among the members again. */
import type { Gossip } from '../../cluster/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Findings } from './findings.ts'
import type { HeldViews } from './held-views.ts'

export class RemovedStayRemoved {
  readonly #findings: Findings
  readonly #views: HeldViews
  readonly #gone = new Map<NodeId, Set<NodeId>>()

  constructor(findings: Findings, views: HeldViews) {
    this.#findings = findings
    this.#views = views
  }

  viewed(node: NodeId, before: Gossip | undefined, view: Gossip): void {
    const gone = this.#gone.get(node) ?? new Set()
    this.#gone.set(node, gone)
    if (before?.members !== view.members) {
      const back = view.members.find((member) => gone.has(member.node))
      this.#findings.check(
        'a removed member stays removed',
        back === undefined,
        back && `${this.#views.labelOf(node)} has ${this.#views.labelOf(back.node)} back`,
      )
    }
    if (before?.tombstones === view.tombstones) return
    for (const each of view.tombstones) gone.add(each)
  }
}
