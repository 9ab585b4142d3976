/**
 * G2 and G4: a member never goes backwards. In the eyes of each node its status only moves on, a number that it was given
 * stays, only a tombstone takes it away, and what the node knows never becomes less.
 */
import { type Gossip, hasTombstone, memberOf, notYetUp } from '../../cluster/internals.ts'
import type { MemberStatus } from '../../cluster/index.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Findings } from './findings.ts'
import type { HeldViews } from './held-views.ts'

/** As the glossary has it, and not as the code does: a checker that asked the code would err with it. */
const order: readonly MemberStatus[] = ['Joining', 'Up', 'Leaving', 'Exiting', 'Down', 'Removed']

export class MembersMoveForward {
  readonly #findings: Findings
  readonly #views: HeldViews

  constructor(findings: Findings, views: HeldViews) {
    this.#findings = findings
    this.#views = views
  }

  viewed(node: NodeId, before: Gossip | undefined, view: Gossip): void {
    if (before === undefined) return
    this.#expect(
      before.version === view.version || this.#views.covers(node, before.version),
      node,
      'has lost changes that it had',
    )
    if (before.members === view.members) return
    for (const was of before.members) {
      const is = memberOf(view, was.node)
      const of = this.#views.labelOf(was.node)
      if (is === undefined) {
        this.#expect(hasTombstone(view, was.node), node, `has lost ${of} without a tombstone`)
        continue
      }
      if (is === was) continue
      const isForward = order.indexOf(is.status) >= order.indexOf(was.status)
      this.#expect(isForward, node, `takes ${of} back from ${was.status} to ${is.status}`)
      const isSameNumber = was.upNumber === notYetUp || is.upNumber === was.upNumber
      this.#expect(isSameNumber, node, `has ${of} as ${is.upNumber} after ${was.upNumber}`)
    }
  }

  #expect(holds: boolean, node: NodeId, what: string): void {
    if (holds) return
    this.#findings.check(
      'a member never goes backwards',
      false,
      `${this.#views.labelOf(node)} ${what}`,
    )
  }
}
