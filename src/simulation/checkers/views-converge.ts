/**
 * G1: when nothing changes and everybody can be reached, all views become one: the same version, the same in it, and each
 * member knows that all have seen it.
 */
import { hasSameContent } from '../../cluster/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { HeldViews } from './held-views.ts'

export class ViewsConverge {
  readonly #views: HeldViews

  constructor(views: HeldViews) {
    this.#views = views
  }

  /** What keeps these nodes from having one view; undefined when they have. */
  disagreementOf(nodes: readonly NodeId[]): string | undefined {
    const [first, ...others] = nodes
    if (first === undefined) return undefined
    const view = this.#views.of(first)
    const [by] = [this.#views.labelOf(first)]
    if (view === undefined) return `${by} is in no cluster`
    for (const node of nodes) {
      const other = this.#views.of(node)
      const label = this.#views.labelOf(node)
      if (other === undefined) return `${label} is in no cluster`
      const unseen = other.members.find((member) => !other.seen.includes(member.node))
      if (unseen !== undefined) {
        return `${label} does not know that ${this.#views.labelOf(unseen.node)} has seen its view`
      }
    }
    for (const node of others) {
      const other = this.#views.of(node)!
      const label = this.#views.labelOf(node)
      if (!isSameVersion(view.version, other.version)) return `${by} and ${label} have two versions`
      if (!hasSameContent(view, other)) return `${by} and ${label} have two views of one version`
    }
    return undefined
  }
}

function isSameVersion(a: readonly unknown[], b: readonly unknown[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
