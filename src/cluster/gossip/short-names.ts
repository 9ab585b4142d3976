/**
 * Members by numbers of 32 bits, for what is said again and again. Two members may have the same number, though hardly
 * ever: then neither is known by it, and whoever cannot read what it was told asks for it at full length.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { stableHash } from '../../foundation/stable-hash.ts'
import type { Member } from './member.ts'

export function shortNameOf(node: NodeId): number {
  return stableHash(node)
}

export class ShortNames {
  #members: readonly Member[] = []
  #nodes = new Map<number, NodeId | undefined>()

  /** The member that is meant; undefined when it is none of them, or not clear. */
  nodeOf(name: number, members: readonly Member[]): NodeId | undefined {
    // Those who change something are few, and mostly the same: a list that only grew is not gone through for them.
    const known = this.#nodes.get(name)
    if (known !== undefined || members === this.#members) return known
    this.#members = members
    this.#nodes = new Map()
    for (const { node } of members) {
      const short = shortNameOf(node)
      this.#nodes.set(short, this.#nodes.has(short) ? undefined : node)
    }
    return this.#nodes.get(name)
  }
}
