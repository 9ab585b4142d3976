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
import type { CleanCut, CutDecision } from './clean-cut.ts'

export interface DowningStrategy {
  decide(cut: CleanCut): CutDecision | ArbiterQuestion
  /**
   * What becomes of everybody when some members reach others only over third ones and there is no cut besides. Those go in any
   * case: `DownUnreachable`, as without this, downs them and nobody else.
   */
  decideTangle?(members: readonly Member[]): CutDecision | ArbiterQuestion
  /** Whether a node that slept or was cut off is still one of the cluster, by those who have said so. */
  weigh(poll: Poll): 'vouched' | 'open' | 'hopeless'
  /** What is wrong with members like these, before any split; for the log. Undefined when all is well. */
  warningOf?(members: readonly Member[]): string | undefined
  /** For a strategy with questions. Only the shell asks it, never a machine. */
  readonly arbiter?: Arbiter
  /** How long the arbiter is kept to its last decision after all who were given up by it are removed. */
  readonly holdsMs?: number
}

/** What has to be known from somebody else before a cut can be decided. */
export interface ArbiterQuestion {
  /** For the arbiter: all that it has to know. Equal texts are the same question. */
  readonly question: string
  /** How much longer than for a decision the leader waits before it has this asked. */
  readonly askAfterMs: number
  /** How long nodes of this side go on without a decision: 0 freezes them at once, Infinity never. */
  readonly freezeAfterMs: number
}

/**
 * Decides where members cannot, such as the holder of a lease. It rejects when it cannot say, and is asked again. It must
 * answer in any case, so one that waits for a store has a limit of its own: nobody is given up before it has answered.
 */
export interface Arbiter {
  decide(question: string): Promise<CutDecision>
  /** All who were given up by its last decision are removed, and that for `holdsMs`: it need not remember it. */
  isOver?(): void
}

export interface Poll {
  readonly self: NodeId
  /** Those whose word counts, and the node itself when it is a member: before its sleep, if it slept. */
  readonly electorate: readonly Member[]
  /** Those who have said, just now, that the node is a member whom nobody doubts. */
  readonly answered: ReadonlySet<NodeId>
  /** Those who could still say it. */
  readonly left: ReadonlySet<NodeId>
}
