/**
 * G2 and G7: a view is about its members. Whoever has seen it, observes or is counted in its version is one of them, and
 * nobody is a member and removed; so what is kept is bounded by who is there.
 */
import type { Gossip } from '../../cluster/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Findings } from './findings.ts'
import type { HeldViews } from './held-views.ts'

export class SoundViews {
  readonly #findings: Findings
  readonly #views: HeldViews

  constructor(findings: Findings, views: HeldViews) {
    this.#findings = findings
    this.#views = views
  }

  viewed(node: NodeId, before: Gossip | undefined, view: Gossip): void {
    if (before?.version === view.version && before.seen === view.seen) return
    const members = new Set(view.members.map((member) => member.node))
    const isStranger = (other: NodeId): boolean => !members.has(other)
    const problems: readonly (readonly [string, NodeId | undefined])[] = [
      ['is said to have seen it', view.seen.find(isStranger)],
      ['observes', view.reachability.find(({ observer }) => isStranger(observer))?.observer],
      ['is counted in its version', view.version.find(([by]) => isStranger(by))?.[0]],
      ['has a tombstone', view.tombstones.find((other) => members.has(other))],
    ]
    for (const [what, who] of problems) {
      if (who === undefined) continue
      const isMember = members.has(who) ? 'a member' : 'no member'
      this.#findings.check(
        'a view is about its members',
        false,
        `${this.#views.labelOf(node)} holds a view of which ${this.#views.labelOf(who)} is ${isMember} and ${what}`,
      )
    }
  }
}
