/**
 * Newcomers that died before anybody of their data center was Up: nobody is there who could give them up, and they keep the
 * next ones out. So the leader of another data center does, when no data center has reached one for as long as a split is given.
 *
 * Invariant: nobody is given up who may be Up. The first of a data center is let in only when everybody who is Up anywhere has
 * seen it announced. Whoever gives it up before has not, and never will: a record that is Down does not become another one.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { hasConverged, heardReachability, isUpOrLeaving, leaderOf } from '../gossip/convergence.ts'
import { areApart, dataCenterOf, dataCentersIn, neighboursOf } from '../gossip/data-center.ts'
import { type Gossip, memberOf } from '../gossip/gossip.ts'
import { type Member, notYetUp } from '../gossip/member.ts'
import { stableAfterMs } from './downing-settings.ts'

export class LostNewcomers {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #lostSince = new Map<NodeId, number>()

  constructor(self: NodeId, settings: ClusterSettings) {
    this.#self = self
    this.#settings = settings
  }

  /** Whom this node is to give up now. Asked only of one that is not frozen: it may have been given up itself. */
  look(gossip: Gossip, now: number): readonly NodeId[] {
    const lost = lostNewcomers(gossip, this.#self)
    for (const node of this.#lostSince.keys()) if (!lost.has(node)) this.#lostSince.delete(node)
    for (const node of lost) {
      if (!this.#lostSince.has(node)) this.#lostSince.set(node, now)
    }
    if (lost.size === 0 || !this.#mayDecide(gossip)) return []
    const { length } = neighboursOf(gossip, this.#self)
    const patienceMs = stableAfterMs(this.#settings.downing, length, this.#settings)
    return [...this.#lostSince].filter(([, at]) => now - at >= patienceMs).map(([node]) => node)
  }

  /** So that whoever of its data center is Up knows this node for Up: then nobody is let in elsewhere without its word. */
  #mayDecide(gossip: Gossip): boolean {
    const own = memberOf(gossip, this.#self)
    const isInService = own !== undefined && isUpOrLeaving(own)
    return (
      isInService && leaderOf(gossip, this.#self) === this.#self && hasConverged(gossip, this.#self)
    )
  }
}

/** Of data centers in which nobody is Up, was, or is announced: those that no data center reaches in which somebody is. */
function lostNewcomers(gossip: Gossip, self: NodeId): ReadonlySet<NodeId> {
  const { members } = gossip
  if (!areApart(members)) return new Set()
  const own = dataCenterOf(memberOf(gossip, self))
  const blank = dataCentersIn(members).filter(
    (each) =>
      each !== own && members.every((member) => dataCenterOf(member) !== each || isBlank(member)),
  )
  if (blank.length === 0) return new Set()
  const judges = new Set(members.filter(isUpOrLeaving).map(dataCenterOf))
  const lost = members.filter(
    (member) =>
      member.status === 'Joining' &&
      blank.includes(dataCenterOf(member)) &&
      isSubsetOf(judges, losersOf(gossip, self, member.node)),
  )
  return new Set(lost.map(({ node }) => node))
}

function isBlank({ status, upNumber }: Member): boolean {
  return upNumber === notYetUp && (status === 'Joining' || status === 'Down')
}

/** Data centers of which somebody cannot reach this member. */
function losersOf(gossip: Gossip, self: NodeId, node: NodeId): ReadonlySet<string> {
  const observers = heardReachability(gossip, self).filter(({ rows }) =>
    rows.some(({ subject }) => subject === node),
  )
  return new Set(observers.map(({ observer }) => dataCenterOf(memberOf(gossip, observer))))
}

function isSubsetOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return [...part].every((each) => whole.has(each))
}
