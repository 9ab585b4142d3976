/**
 * X1: no former incarnation is heard after its successor was let in, and nobody after it was quarantined. Once a node has
 * spoken with the next process at an address, nothing of the one before reaches it.
 */
import { addressOfNode, type NodeId } from '../../foundation/node-id.ts'
import type { Findings } from './findings.ts'
import type { HeldViews } from './held-views.ts'

export class FormerLivesAreSilent {
  readonly #findings: Findings
  readonly #views: HeldViews
  /** By whom and address: the latest incarnation that was met there. */
  readonly #met = new Map<NodeId, Map<string, NodeId>>()
  readonly #quarantined = new Map<NodeId, Set<NodeId>>()

  constructor(findings: Findings, views: HeldViews) {
    this.#findings = findings
    this.#views = views
  }

  /** That node can speak with this peer. */
  met(node: NodeId, peer: NodeId): void {
    const met = this.#met.get(node) ?? new Map<string, NodeId>()
    this.#met.set(node, met)
    const address = addressOfNode(peer)
    const latest = met.get(address)
    if (latest === undefined || this.#views.isFormer(latest, peer)) met.set(address, peer)
  }

  quarantined(node: NodeId, peer: NodeId): void {
    const all = this.#quarantined.get(node) ?? new Set()
    this.#quarantined.set(node, all.add(peer))
  }

  /** That node hears something of this peer. */
  heard(node: NodeId, peer: NodeId): void {
    const latest = this.#met.get(node)?.get(addressOfNode(peer))
    if (latest === peer && !this.#quarantined.has(node)) return
    const [by, of] = [this.#views.labelOf(node), this.#views.labelOf(peer)]
    this.#findings.check(
      'no former incarnation is heard',
      latest === undefined || !this.#views.isFormer(peer, latest),
      `${by} hears ${of} after it has met ${latest && this.#views.labelOf(latest)}`,
    )
    this.#findings.check(
      'nothing is heard after quarantine',
      // Told once.
      this.#quarantined.get(node)?.delete(peer) !== true,
      `${by} hears ${of}, which it has quarantined`,
    )
    this.met(node, peer)
  }
}
