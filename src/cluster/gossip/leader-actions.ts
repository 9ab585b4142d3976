/**
 * What the leader of a data center does once everybody who counts there has seen the same version: it lets joining members in,
 * moves leaving ones out and buries the dead, all in one new version. A pure function of the gossip.
 *
 * Invariant: it changes the records of members of its own data center only, and removes others only where nobody is left there
 * who could. To remove a member twice is the same as once.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { type FormingSettings, missingMembers } from '../joining/forming.ts'
import { unreachableMembers } from './convergence.ts'
import { dataCenterOf, dataCentersIn, isAbandoned, neighboursOf } from './data-center.ts'
import {
  type Gossip,
  dropTombstones,
  isOrphaned,
  memberOf,
  putMembers,
  removeMembers,
} from './gossip.ts'
import { type Member, asUp, withStatus } from './member.ts'

export interface LeaderSituation extends FormingSettings {
  readonly self: NodeId
  /** Members that have said that their exiting tasks are done. */
  readonly exitingConfirmed: ReadonlySet<NodeId>
  /** Members of its own data center, out of reach for long enough to be removed although they are merely Exiting. */
  readonly longUnreachable: ReadonlySet<NodeId>
  /** Tombstones that have been kept for long enough. */
  readonly overdueTombstones: ReadonlySet<NodeId>
  /** Whether joining members may come in now; true when not given. */
  readonly mayLetIn?: boolean | undefined
}

/** The gossip after the leader has acted; the same object when there was nothing to do. The version is the caller's. */
export function actAsLeader(gossip: Gossip, situation: LeaderSituation): Gossip {
  let next = moveLeavingOut(letJoiningIn(gossip, situation), situation)
  const removable = removableMembers(next, situation)
  if (removable.size > 0) next = removeMembers(next, removable)
  return dropTombstones(next, situation.overdueTombstones)
}

function letJoiningIn(gossip: Gossip, situation: LeaderSituation): Gossip {
  const joining = neighboursOf(gossip, situation.self).filter(({ status }) => status === 'Joining')
  if (situation.mayLetIn === false) return gossip
  if (joining.length === 0 || isOrphaned(gossip) || gossip.isEnding) return gossip
  if (missingMembers(gossip, situation).length > 0) return gossip
  let upNumber = gossip.lastUpNumber
  // Members are in the order of addresses, and so are the numbers of those that come in together.
  return putMembers(
    gossip,
    joining.map((member) => asUp(member, ++upNumber)),
  )
}

function moveLeavingOut(gossip: Gossip, { self }: LeaderSituation): Gossip {
  const leaving = neighboursOf(gossip, self).filter(({ status }) => status === 'Leaving')
  return putMembers(
    gossip,
    leaving.map((member) => withStatus(member, 'Exiting')),
  )
}

function removableMembers(gossip: Gossip, situation: LeaderSituation): Set<NodeId> {
  const { self } = situation
  const unreachable = unreachableMembers(gossip, self)
  const isGone = ({ node, status }: Member) =>
    status === 'Down'
      ? unreachable.has(node)
      : status === 'Exiting' &&
        (situation.exitingConfirmed.has(node) ||
          (unreachable.has(node) && situation.longUnreachable.has(node)))
  const neighbours = neighboursOf(gossip, self)
  const gone = neighbours.filter(isGone)
  if (neighbours !== gossip.members) gone.push(...goneElsewhere(gossip, situation))
  return new Set(gone.map(({ node }) => node))
}

/**
 * Members of data centers in which nobody is left to lead. Whoever has downed them, a person perhaps, knew what it did. Silence is
 * nothing here: who is cut off from another data center goes on, and does not freeze, so that it may still be handing over.
 */
function goneElsewhere(gossip: Gossip, situation: LeaderSituation): Member[] {
  const own = dataCenterOf(memberOf(gossip, situation.self))
  const isGone = ({ node, status }: Member): boolean =>
    status === 'Down' || situation.exitingConfirmed.has(node)
  return dataCentersIn(gossip.members)
    .filter((each) => each !== own && isAbandoned(gossip.members, each))
    .flatMap((each) => gossip.members.filter((member) => dataCenterOf(member) === each))
    .filter(isGone)
}
