/** Who is a member, as the cluster has said. What is known about them is kept before what is known about others. */
import { type Address, addressOfNode, type NodeId } from '../foundation/node-id.ts'

export class Members {
  /** Where a member has been restarted there may be two for a while. */
  readonly #at = new Map<Address, Set<NodeId>>()

  add(node: NodeId): void {
    const address = addressOfNode(node)
    const there = this.#at.get(address)
    if (there === undefined) this.#at.set(address, new Set([node]))
    else there.add(node)
  }

  delete(node: NodeId): void {
    const address = addressOfNode(node)
    const there = this.#at.get(address)
    if (there?.delete(node) === true && there.size === 0) this.#at.delete(address)
  }

  has(node: NodeId): boolean {
    return this.#at.get(addressOfNode(node))?.has(node) ?? false
  }

  /** Whether any of them lives at that address. */
  isAt(address: Address): boolean {
    return this.#at.has(address)
  }
}
