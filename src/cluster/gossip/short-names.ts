/**
 * Nodes by numbers of 32 bits, for what is said again and again. Two of them may have the same number, though hardly
 * ever: then neither is known by it, and whoever cannot read what it was told asks for it at full length.
 *
 * Those that were removed are known as well, as long as their tombstones are: who has not heard of a removal still counts
 * their changes.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { compareTexts, walkSorted } from '../../foundation/sorted-list.ts'
import { stableHash } from '../../foundation/stable-hash.ts'
import type { Gossip } from './gossip.ts'
import { compareMembers } from './member.ts'

export function shortNameOf(node: NodeId): number {
  return stableHash(node)
}

type Known = Pick<Gossip, 'members' | 'tombstones'>

export class ShortNames {
  readonly #nameOf: (node: NodeId) => number
  readonly #nodes = new Map<number, NodeId>()
  /** Names of several, with all of them. */
  readonly #doubles = new Map<number, Set<NodeId>>()
  #known: Known = { members: [], tombstones: [] }

  constructor(nameOf: (node: NodeId) => number = shortNameOf) {
    this.#nameOf = nameOf
  }

  /** The node that is meant; undefined when it is none of these, or not clear. */
  nodeOf(name: number, known: Known): NodeId | undefined {
    this.#learn(known)
    return this.#nodes.get(name)
  }

  /** Only what differs is gone through: while many join together the list changes with each of them. */
  #learn(known: Known): void {
    const { members, tombstones } = this.#known
    if (known.members === members && known.tombstones === tombstones) return
    this.#known = known
    const [added, gone]: [NodeId[], NodeId[]] = [[], []]
    const note = (was: NodeId | undefined, is: NodeId | undefined): void => {
      if (was === undefined) added.push(is!)
      else if (is === undefined) gone.push(was)
    }
    walkSorted(members, known.members, compareMembers, (was, is) => note(was?.node, is?.node))
    walkSorted(tombstones, known.tombstones, compareTexts, note)
    // A member that was removed is among both.
    for (const node of gone) this.#remove(node)
    for (const node of added) this.#add(node)
  }

  #add(node: NodeId): void {
    const name = this.#nameOf(node)
    const doubles = this.#doubles.get(name)
    const other = this.#nodes.get(name)
    if (doubles !== undefined) doubles.add(node)
    else if (other === undefined || other === node) this.#nodes.set(name, node)
    else {
      this.#nodes.delete(name)
      this.#doubles.set(name, new Set([other, node]))
    }
  }

  #remove(node: NodeId): void {
    const name = this.#nameOf(node)
    const doubles = this.#doubles.get(name)
    if (doubles === undefined) {
      this.#nodes.delete(name)
      return
    }
    doubles.delete(node)
    if (doubles.size > 1) return
    this.#doubles.delete(name)
    for (const last of doubles) this.#nodes.set(name, last)
  }
}
