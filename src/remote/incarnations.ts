/**
 * Which incarnations of a peer there have been at one address: the one that lives there now, as far as this node knows,
 * and those that are over. Remembers the last of each kind only.
 */
import type { Exclusion } from './handshake/handshake-inputs.ts'
import type { NodeId } from '../foundation/node-id.ts'

const rememberedMax = 64

export class Incarnations {
  #current: NodeId | undefined
  #learntAt = 0
  readonly #former = new Set<NodeId>()
  readonly #quarantined = new Set<NodeId>()
  /** Those that have given this node up first. */
  readonly #inReturn = new Set<NodeId>()
  readonly #removed = new Set<NodeId>()
  /** Of the removed ones, those with whom system messages had passed: they would count on from there. */
  readonly #forgotten = new Set<NodeId>()

  get current(): NodeId | undefined {
    return this.#current
  }

  /** Whether nothing is known. */
  get isBlank(): boolean {
    return (
      this.#current === undefined &&
      this.#former.size + this.#quarantined.size + this.#inReturn.size + this.#removed.size === 0
    )
  }

  /**
   * Answers whether that is news. The one before is over for good. `at` counts up with what is learnt of all peers, and
   * is what `isOvertaken` compares with.
   */
  learn(node: NodeId, at: number): boolean {
    if (this.#current === node) return false
    if (this.#current !== undefined) remember(this.#former, this.#current)
    this.#current = node
    this.#learntAt = at
    return true
  }

  /** Answers whether that is news. */
  quarantine(node: NodeId): boolean {
    if (this.#quarantined.has(node)) return false
    remember(this.#quarantined, node)
    return true
  }

  /** It has given this node up, so it is not spoken to either. Answers whether that is news. */
  quarantineInReturn(node: NodeId): boolean {
    if (this.#quarantined.has(node) || this.#inReturn.has(node)) return false
    remember(this.#inReturn, node)
    return true
  }

  /** It is not a member any more. It may still be spoken to, to tell it so. */
  remove(node: NodeId): void {
    remember(this.#removed, node)
  }

  /** How far the two had counted is forgotten. One that was removed is not spoken to from now on. */
  forgetCount(node: NodeId): void {
    if (this.#removed.has(node)) remember(this.#forgotten, node)
  }

  /** Whether it may connect, or be connected to. */
  exclusionOf(node: NodeId): Exclusion | undefined {
    if (this.#quarantined.has(node)) return 'quarantined'
    if (this.#inReturn.has(node)) return 'quarantined-in-return'
    if (this.#former.has(node)) return 'former-incarnation'
    return this.#forgotten.has(node) ? 'removed' : undefined
  }

  /** Whether another was learnt after `since`: this one may have died before, and what comes from it be late. */
  isOvertaken(node: NodeId, since: number): boolean {
    return this.#learntAt > since && this.#current !== node
  }

  isGone(node: NodeId): boolean {
    return this.exclusionOf(node) !== undefined || this.#removed.has(node)
  }
}

function remember(nodes: Set<NodeId>, node: NodeId): void {
  nodes.add(node)
  if (nodes.size <= rememberedMax) return
  for (const oldest of nodes) {
    nodes.delete(oldest)
    return
  }
}
