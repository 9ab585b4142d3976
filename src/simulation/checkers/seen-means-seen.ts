/**
 * G2: a seen set names only who has seen that version. Whoever is said to have seen a view holds it, or one that contains
 * it: on that word the leader acts.
 */
import type { Gossip } from '../../cluster/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Findings } from './findings.ts'
import type { HeldViews } from './held-views.ts'

export class SeenMeansSeen {
  readonly #findings: Findings
  readonly #views: HeldViews

  constructor(findings: Findings, views: HeldViews) {
    this.#findings = findings
    this.#views = views
  }

  viewed(node: NodeId, before: Gossip | undefined, view: Gossip): void {
    const isSame = before?.version === view.version
    for (const seer of view.seen) {
      if (seer === node || (isSame && before.seen.includes(seer))) continue
      if (this.#views.covers(seer, view.version)) continue
      const [by, of] = [this.#views.labelOf(node), this.#views.labelOf(seer)]
      this.#findings.check(
        'a seen set names only who has seen',
        false,
        `${by} takes it that ${of} has seen a view that ${of} has not got`,
      )
    }
  }
}
