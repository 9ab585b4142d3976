/**
 * The port to what decides a split: who goes, and who must have answered before a node that may have been given up goes
 * on. Both sides of a split ask it alone and must come to answers that fit, so it is pure: it sees what it is given, and
 * keeps nothing. Members that some reach and others do not are sorted out before it is asked (`judgement.ts`).
 *
 * A strategy that cannot decide by looking at members answers with a question. The leader of the side has it asked when
 * the picture has been still for long enough, and the decision of the arbiter comes later; until then nobody is given up.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { Member } from '../gossip/member.ts'
import type { ReachabilityRecord } from '../gossip/reachability.ts'
import type { CleanCut, CutDecision } from './clean-cut.ts'

export interface DowningStrategy {
  decide(cut: CleanCut): CutDecision | ArbiterQuestion
  /**
   * What becomes of everybody when some members reach others only over third ones and there is no cut besides. Those go in any
   * case: `DownUnreachable`, as without this, downs them and nobody else.
   */
  decideTangle?(tangle: Tangle): CutDecision | ArbiterQuestion
  /** Who of the indirectly connected goes, where everybody monitors everybody; all of them, without this. */
  chooseFrom?(tangle: Tangle): ReadonlySet<NodeId>
  /** Whether these can go on when the indirectly connected are gone; if not, everybody goes. A single one can, without this. */
  areEnough?(left: readonly Member[]): boolean
  /** Whether a node that slept or was cut off is still one of the cluster, by those who have said so. */
  weigh(poll: Poll): 'vouched' | 'open' | 'hopeless'
  /**
   * Without whom no side goes on, as a rule; undefined where it goes by numbers. A node that may have lost touch with most others
   * asks that one in any case, and some of the rest.
   */
  decisiveOf?(members: readonly Member[]): NodeId | undefined
  /** What is wrong with members like these, before any split; for the log. Undefined when all is well. */
  warningOf?(members: readonly Member[]): string | undefined
  /** For a strategy with questions. Only the shell asks it, never a machine. */
  readonly arbiter?: Arbiter
  /** How long the arbiter is kept to its last decision after all who were given up by it are removed. */
  readonly holdsMs?: number
  /** Whether this node finds the decisions in the store, and can have it asked. */
  readonly asksStore?: boolean
  /** Whether its arbiter has a record of those who were given up. Then nobody is removed who does not stand there. */
  readonly keepsRecord?: boolean
}

/** Members of whom some reach others only over third ones. */
export interface Tangle {
  readonly members: readonly Member[]
  /** Who of them cannot reach whom. */
  readonly records: readonly ReachabilityRecord[]
  readonly all: ReadonlySet<NodeId>
}

/** What has to be known from somebody else before a cut can be decided. */
export interface ArbiterQuestion {
  /** For the arbiter: all that it has to know. Equal texts are the same question. */
  readonly question: string
  /** How much longer than for a decision the leader waits before it has this asked. */
  readonly askAfterMs: number
  /** How long nodes of this side go on without a decision: 0 freezes them at once, Infinity never. */
  readonly freezeAfterMs: number
  /** Given where the answer is a record in the store, which all who can read it carry out. */
  readonly byStore?: StoreQuestion
}

export interface StoreQuestion {
  /** Who has it asked, the best first: the others stand in, a heartbeat later each. */
  readonly askers: readonly NodeId[]
  /** How long the picture must be still before that, whatever the size of the cluster. */
  readonly stableAfterMs: number
  /** How long its claim to go on must have stood before it is decided, so that another side can come before it. */
  readonly claimMs: number
  /** How long after it was stored the decision is carried out by who had it asked. */
  readonly actAfterMs: number
}

/**
 * Decides where members cannot, such as the holder of a lease. It rejects when it cannot say, and is asked again. It must
 * answer in any case, so one that waits for a store has a limit of its own: nobody is given up before it has answered.
 */
export interface Arbiter {
  decide(question: string): Promise<CutDecision>
  /** All who were given up by its last decision are removed, and that for `holdsMs`: it need not remember it. */
  isOver?(): void
  /**
   * Puts these into its record of those who were given up, unless this node stands there itself; answers all who stand there then.
   * One that was not written is not written later. Rejects when nobody can say, and must answer in any case as well.
   */
  giveUp?(nodes: readonly NodeId[]): Promise<readonly NodeId[]>
}

export interface Poll {
  readonly self: NodeId
  /** Those whose word counts, and the node itself when it is a member: before its sleep, if it slept. */
  readonly electorate: readonly Member[]
  /** Those who have said, just now, that the node is a member whom nobody doubts. */
  readonly answered: ReadonlySet<NodeId>
  /** Those who could still say it. */
  readonly left: ReadonlySet<NodeId>
  /** Those whom nobody holds for unreachable. */
  readonly reached?: ReadonlySet<NodeId>
  /** The store, or the record of the arbiter, has shown by a look that began after the question that nobody has given the node up. */
  readonly isShown?: boolean
}
