/** Let in by members who are gone, a node would wait for ever: only a new life can join those who came after them. */
import { addressOfNode, type NodeId } from '../../foundation/node-id.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { unreachableFromHere, unreachableMembers } from '../gossip/convergence.ts'
import { neighboursOf } from '../gossip/data-center.ts'
import { type Gossip, isOrphaned, memberOf } from '../gossip/gossip.ts'
import { missingInWords, missingMembers } from './forming.ts'

export class Stranding {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  /** Nodes find each other, and begin with a number of them. */
  readonly #isDiscovered: boolean
  /** Since when somebody cannot be reached and this node is not Up. */
  #since: number | undefined

  constructor(self: NodeId, settings: ClusterSettings, isDiscovered: boolean) {
    this.#self = self
    this.#settings = settings
    this.#isDiscovered = isDiscovered
  }

  /** What has happened, in words, when it has lasted too long. */
  look(gossip: Gossip, now: number): string | undefined {
    const isJoining = memberOf(gossip, this.#self)?.status === 'Joining'
    const cutOff = isJoining ? [...this.#hostsOutOfReach(gossip)] : []
    // Those who found each other should have come. Perhaps others were found, and wait elsewhere likewise.
    const isShort = this.#isDiscovered && gossip.lastUpNumber === 0
    const isStranded = isJoining && (cutOff.length > 0 || isShort || isOrphaned(gossip))
    if (!isStranded) this.#since = undefined
    else this.#since ??= now
    if (now - (this.#since ?? now) <= this.#settings.joinDeadlineMs) return undefined
    return `it was let in, but then ${this.#what(gossip, cutOff, isShort)}`
  }

  /** Where nobody of its own data center is in, it is for those of others to know this node. */
  #hostsOutOfReach(gossip: Gossip): Set<NodeId> {
    const isIn = neighboursOf(gossip, this.#self).some(
      ({ status }) => status === 'Up' || status === 'Leaving',
    )
    return isIn ? unreachableMembers(gossip, this.#self) : unreachableFromHere(gossip, this.#self)
  }

  #what(gossip: Gossip, cutOff: readonly NodeId[], isShort: boolean): string {
    if (cutOff.length > 0) {
      return `${cutOff.map(addressOfNode).join(', ')} could not be reached any more`
    }
    if (!isShort) return 'all members that were Up left or were given up'
    const missing = missingMembers(gossip, this.#settings).map(missingInWords).join('; ')
    return `fewer nodes came than a cluster begins with: ${missing}`
  }
}
