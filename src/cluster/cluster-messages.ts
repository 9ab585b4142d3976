/** What nodes say to each other about membership. All of it travels on the control lane. */
import type { Address, NodeId } from '../foundation/node-id.ts'
import type { Gossip } from './gossip/gossip.ts'
import type { MemberDescription } from './gossip/member.ts'
import type { PackedNews } from './gossip/news.ts'
import type { PackedOrigins } from './gossip/packed-origins.ts'
import type { ViewSummary } from './gossip/replica.ts'

/** Newcomer -> seed: may I join through you? These settings must be the same on every node. */
export interface InitJoin {
  readonly type: 'InitJoin'
  readonly from: NodeId
  readonly agreement: Readonly<Record<string, string>>
}

/** Seed -> newcomer: yes, unless there are problems; or differences, and they matter to you. */
export interface InitJoinAck {
  readonly type: 'InitJoinAck'
  readonly from: NodeId
  /** Why it cannot be let in, whatever it wants. */
  readonly problems: readonly string[]
  /** Settings in which it is not as the cluster is. */
  readonly differences: readonly string[]
  /** Who founded the cluster: that names the founding. */
  readonly founder: NodeId
}

/** Seed -> newcomer: not through me, I am not in a cluster myself, or no longer. */
export interface InitJoinNack {
  readonly type: 'InitJoinNack'
  readonly from: NodeId
  /** There is a cluster, and it is about to be stopped as a whole: nobody is let in. */
  readonly isEnding: boolean
  /** Whom it takes for the founder of the cluster to come; undefined while it stands for nobody. */
  readonly founder?: Address | undefined
}

/** Newcomer -> member: make me a member. Sent again until the welcome comes. */
export interface Join extends MemberDescription {
  readonly type: 'Join'
  readonly from: NodeId
}

/** Member -> newcomer: you are in; this is all we know, and for how long we have known of each removal in it. */
export interface Welcome {
  readonly type: 'Welcome'
  readonly from: NodeId
  readonly gossip: Gossip
  /** In the order of the tombstones. */
  readonly tombstoneAgesMs: readonly number[]
  /** The changes that it comes from, so that the newcomer can tell others what they lack. */
  readonly origins: PackedOrigins
}

/** Member -> member: so much I know, and so many have seen it; tell me more, or ask. */
export interface GossipStatus {
  readonly type: 'GossipStatus'
  readonly from: NodeId
  readonly to: NodeId
  readonly summary: ViewSummary
  /** I cannot make sense of what I was told: tell me all. */
  readonly isLost: boolean
}

/** Member -> member: so much I know, and this is what you lack of it. */
export interface GossipNews {
  readonly type: 'GossipNews'
  readonly from: NodeId
  readonly to: NodeId
  readonly summary: ViewSummary
  /** By turns: the short name of a member, and how many of its changes the receiver must have; of others all in the summary. */
  readonly since: readonly number[]
  readonly news: PackedNews
  /** The version in the status that it answers; 0 when nobody asked. */
  readonly answers: number
}

/** Member -> member that is lost: all I know. */
export interface GossipEnvelope {
  readonly type: 'GossipEnvelope'
  readonly from: NodeId
  readonly to: NodeId
  readonly gossip: Gossip
}

/** Exiting member -> possible leaders: my exiting tasks are done, I need not be waited for. */
export interface ExitingConfirmed {
  readonly type: 'ExitingConfirmed'
  readonly from: NodeId
}

/** Member -> those it monitors: are you there? */
export interface Heartbeat {
  readonly type: 'Heartbeat'
  readonly from: NodeId
  readonly sequence: number
}

/** Monitored member -> monitor: I am. Only this answer counts as a sign of life. */
export interface HeartbeatResponse {
  readonly type: 'HeartbeatResponse'
  readonly from: NodeId
  readonly sequence: number
}

/** Member that may have been given up -> members: am I still one of you? */
export interface GetStanding {
  readonly type: 'GetStanding'
  readonly from: NodeId
  readonly question: number
}

/**
 * Member -> the one that asked: what you are to me. Also sent unasked, with question 0, to a removed member that has not
 * heard of its end, and to a stranger that gossips: whoever let it in has died without telling.
 */
export interface Standing {
  readonly type: 'Standing'
  readonly from: NodeId
  readonly question: number
  /** `doubted`: a member that somebody cannot reach, so that a decision against it may be under way. */
  readonly standing: 'member' | 'doubted' | 'down' | 'removed' | 'stranger'
}

export type GossipMessage = GossipStatus | GossipNews | GossipEnvelope
export type JoiningMessage = InitJoinAck | InitJoinNack | Welcome
export type MembershipMessage = InitJoin | Join | GossipMessage | ExitingConfirmed | GetStanding
export type HeartbeatMessage = Heartbeat | HeartbeatResponse
export type ClusterMessage = JoiningMessage | MembershipMessage | HeartbeatMessage | Standing

export function isGossipMessage(message: ClusterMessage): message is GossipMessage {
  const { type } = message
  return type === 'GossipStatus' || type === 'GossipNews' || type === 'GossipEnvelope'
}
