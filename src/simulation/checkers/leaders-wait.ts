/**
 * G5: a leader acts only on convergence. Whoever is the first in the world to hold a member for Up, for Exiting or for
 * removed has made it so: by its view it leads, nobody who counts is out of reach, and all who are in service in its data center
 * had got what it acted upon; where nobody of one of several is in service yet, all who are in the others, and all who are joining it.
 * Nobody is removed whom nobody has held for Exiting or Down.
 */
import {
  changesBy,
  type Gossip,
  leaderOf,
  memberOf,
  neighboursOf,
  unreachableMembers,
  type VectorClock,
} from '../../cluster/internals.ts'
import type { Member, MemberStatus } from '../../cluster/index.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Findings } from './findings.ts'
import type { HeldViews } from './held-views.ts'

/** What one step of a node was the first to do. */
interface Act {
  readonly by: NodeId
  readonly before: Gossip | undefined
  readonly view: Gossip
  readonly letIn: ReadonlySet<NodeId>
  readonly movedOut: ReadonlySet<NodeId>
  readonly removed: ReadonlySet<NodeId>
}

export class LeadersWait {
  readonly #findings: Findings
  readonly #views: HeldViews
  readonly #up = new Set<NodeId>()
  /** Who has let whom in first. */
  readonly #letInBy = new Map<NodeId, NodeId>()
  readonly #exiting = new Set<NodeId>()
  readonly #down = new Set<NodeId>()
  readonly #removed = new Set<NodeId>()

  constructor(findings: Findings, views: HeldViews) {
    this.#findings = findings
    this.#views = views
  }

  viewed(by: NodeId, before: Gossip | undefined, view: Gossip): void {
    if (before?.members === view.members) return
    const inStatus = (status: MemberStatus): NodeId[] =>
      view.members.filter((member) => member.status === status).map(({ node }) => node)
    const letIn = addedTo(this.#up, inStatus('Up'))
    for (const node of letIn) this.#letInBy.set(node, by)
    const movedOut = addedTo(this.#exiting, inStatus('Exiting'))
    addedTo(this.#down, inStatus('Down'))
    const removed = addedTo(this.#removed, view.tombstones)
    if (letIn.size + movedOut.size + removed.size === 0) return
    this.#judge({ by, before, view, letIn, movedOut, removed })
  }

  #judge(act: Act): void {
    const readings = this.#readingsOf(act).map((basis) => this.#faultsOf(act, basis))
    if (readings.some((faults) => faults.length === 0)) return
    const done = (['letIn', 'movedOut', 'removed'] as const)
      .filter((what) => act[what].size > 0)
      .map((what) => `${words[what]} ${[...act[what]].map((n) => this.#views.labelOf(n)).join()}`)
    for (const why of readings[0] ?? []) {
      const detail = `${this.#views.labelOf(act.by)} ${done.join(' and ')} ${why}`
      this.#findings.check('a leader acts only on convergence', false, detail)
    }
  }

  /** What is wrong with it, if that is what was acted upon. */
  #faultsOf({ by, before, view, removed }: Act, basis: Gossip): string[] {
    const faults: string[] = []
    if (leaderOf(basis, by) !== by) faults.push('although it does not lead')
    for (const node of unreachableMembers(basis, by)) {
      const status = memberOf(basis, node)?.status
      const isLeavingAnyway = status === undefined || status === 'Down' || status === 'Exiting'
      if (!isLeavingAnyway) faults.push(`while ${this.#views.labelOf(node)} is out of reach`)
    }
    const isOther = (member: Member): boolean => isInService(member) && member.node !== by
    const others = whoMustHaveSeen(basis, by).filter(({ node }) => node !== by)
    const isAlone = !neighboursOf(view, by).some(isOther)
    const version = isAlone ? versionBefore({ by, before, view }) : withoutLast(view.version, by)
    for (const { node } of others) {
      if (this.#views.covers(node, version)) continue
      faults.push(`before ${this.#views.labelOf(node)} has seen what it acts upon`)
    }
    // Alone, a leader may give somebody up and remove it in one step.
    for (const node of isAlone || others.length === 0 ? [] : removed) {
      const isOver = this.#exiting.has(node) || this.#down.has(node)
      if (!isOver) faults.push(`and ${this.#views.labelOf(node)} was in service`)
    }
    return faults
  }

  /**
   * The view that was acted upon, but for those who were removed. One that was let in by a leader that died before it told anybody
   * else is let in once more by the next, which waits for those whom it knows to be in service. If the dead leader had told a third
   * one, the news may as well have come from there in the same step: then it is Up, and may lead, by the view of both.
   */
  #readingsOf(act: Act): Gossip[] {
    const { by, before, view } = act
    const again = view.members.filter(({ node, status }) => {
      const first = this.#letInBy.get(node)
      const isLeaderGone = first !== undefined && memberOf(view, first) === undefined
      const wasJoining = before !== undefined && memberOf(before, node)?.status === 'Joining'
      return status === 'Up' && wasJoining && isLeaderGone && !act.letIn.has(node)
    })
    const nodes = again.map(({ node }) => node)
    const isToldOf = (node: NodeId): boolean =>
      this.#views.isHeldUp(node, [by, node, this.#letInBy.get(node)])
    const letInAgain = basisOf(act, new Set(nodes))
    return nodes.length > 0 && nodes.every(isToldOf)
      ? [letInAgain, basisOf(act, new Set())]
      : [letInAgain]
  }
}

const words = { letIn: 'lets in', movedOut: 'moves out', removed: 'removes' } as const

/** Whoever lets the first one of a data center in knows of everybody, and is known to them. */
function whoMustHaveSeen(basis: Gossip, by: NodeId): readonly Member[] {
  const neighbours = neighboursOf(basis, by)
  const inService = neighbours.filter(isInService)
  if (inService.length > 0 || neighbours.length === basis.members.length) return inService
  return basis.members.filter(
    (member) => isInService(member) || (member.status === 'Joining' && neighbours.includes(member)),
  )
}

function isInService({ status }: Member): boolean {
  return status === 'Up' || status === 'Leaving'
}

/** Those of the list that were not in the set. They are from now on. */
function addedTo(set: Set<NodeId>, nodes: readonly NodeId[]): ReadonlySet<NodeId> {
  const added = new Set<NodeId>()
  for (const node of nodes) {
    if (set.has(node)) continue
    set.add(node)
    added.add(node)
  }
  return added
}

function basisOf({ view, letIn, movedOut }: Act, again: ReadonlySet<NodeId>): Gossip {
  const asBefore = (member: Member): Member =>
    letIn.has(member.node) || again.has(member.node)
      ? { ...member, status: 'Joining' }
      : movedOut.has(member.node)
        ? { ...member, status: 'Leaving' }
        : member
  return { ...view, members: view.members.map(asBefore) }
}

/** Acting was the last change of the step, and was one. */
function withoutLast(version: VectorClock, by: NodeId): VectorClock {
  return version.map(([node, count]) => [node, node === by ? count - 1 : count] as const)
}

/** Whoever is alone in service may act again and again in one step: all that was there before it. */
function versionBefore({ by, before, view }: Pick<Act, 'by' | 'before' | 'view'>): VectorClock {
  const own = changesBy(before?.version ?? [], by)
  return view.version.map(([node, count]) => [node, node === by ? own : count] as const)
}
