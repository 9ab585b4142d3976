/**
 * Acts for the cluster while it is this node's turn.
 *
 *   follower ◀──view──▶ leader, waiting ──convergence──▶ acts in one new version ──▶ leader, waiting
 *
 * Invariant: without convergence nothing is done, whoever leads; a member that is Exiting is removed only when it has
 * confirmed, or has been out of reach of its own data center for as long as a split is given.
 */
import { unreachable } from '../foundation/assert.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { stableAfterMs } from './downing/downing-settings.ts'
import { hasConverged, leaderOf, unreachableMembers } from './gossip/convergence.ts'
import { neighboursOf } from './gossip/data-center.ts'
import { type Gossip, emptyGossip, memberOf } from './gossip/gossip.ts'
import { actAsLeader } from './gossip/leader-actions.ts'
import type { LeaderEffect, LeaderInput, LeaderSnapshot } from './leader-inputs.ts'

type Look = Extract<LeaderInput, { readonly type: 'Look' }>

export class LeaderMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #exitingConfirmed = new Set<NodeId>()
  readonly #unreachableSince = new Map<NodeId, number>()
  /** The view at which was looked last, and whether this node leads by it. */
  #view: Gossip = emptyGossip
  #isLeader = false

  constructor(self: NodeId, settings: ClusterSettings) {
    this.#self = self
    this.#settings = settings
  }

  step(input: LeaderInput, now: number): LeaderEffect[] {
    switch (input.type) {
      case 'ExitingConfirmed':
        if (memberOf(this.#view, input.from)?.status === 'Exiting') {
          this.#exitingConfirmed.add(input.from)
        }
        return []
      case 'Look':
        this.#note(input.gossip, now)
        return this.#lead(input, now)
      default:
        return unreachable(input)
    }
  }

  snapshot(): LeaderSnapshot {
    return {
      exitingConfirmed: [...this.#exitingConfirmed],
      unreachableSince: new Map(this.#unreachableSince),
    }
  }

  /** Keeps what is remembered about members bounded by the members there are. */
  #note(gossip: Gossip, now: number): void {
    const before = this.#view
    this.#view = gossip
    if (before.members === gossip.members && before.reachability === gossip.reachability) return
    this.#isLeader = leaderOf(gossip, this.#self) === this.#self
    const cutOff = unreachableMembers(gossip, this.#self)
    for (const node of this.#unreachableSince.keys()) {
      if (!cutOff.has(node)) this.#unreachableSince.delete(node)
    }
    for (const node of cutOff) {
      if (!this.#unreachableSince.has(node)) this.#unreachableSince.set(node, now)
    }
    for (const node of this.#exitingConfirmed) {
      if (memberOf(gossip, node)?.status !== 'Exiting') this.#exitingConfirmed.delete(node)
    }
  }

  #lead({ gossip, overdueTombstones, mayLetIn }: Look, now: number): LeaderEffect[] {
    if (!this.#isLeader || !hasConverged(gossip, this.#self, this.#exitingConfirmed)) return []
    const settings = this.#settings
    const next = actAsLeader(gossip, {
      self: this.#self,
      exitingConfirmed: this.#exitingConfirmed,
      longUnreachable: this.#longUnreachable(gossip, now),
      overdueTombstones,
      mayLetIn,
      minMembers: settings.minMembers,
      minMembersByRole: settings.minMembersByRole,
    })
    if (next === gossip) return []
    const before = new Map(gossip.members.map(({ node, status }) => [node, status]))
    const moved = next.members.filter(({ node, status }) => before.get(node) !== status)
    const tell = moved.map(({ node }) => node)
    const goodbyes = [...this.#exitingConfirmed]
      .filter((node) => memberOf(next, node) === undefined)
      .map((node) => ({ type: 'TellRemoved', node }) as const)
    return [{ type: 'Change', gossip: next, tell }, ...goodbyes]
  }

  #longUnreachable(gossip: Gossip, now: number): Set<NodeId> {
    const { length } = neighboursOf(gossip, this.#self)
    const patience = stableAfterMs(this.#settings.downing, length, this.#settings)
    const long = [...this.#unreachableSince].filter(([, since]) => now - since >= patience)
    return new Set(long.map(([node]) => node))
  }
}
