/**
 * Who survives a split: whoever is not given up by the record in the store that all hosts share. The side with more members
 * asks first and goes on meanwhile, as long as the store shows that nobody gives it up; the other one is frozen, claims to go
 * on, and decides when nobody has come before it, so the last of three lives on when two have died. Nobody is given up while
 * the store does not answer. Where no member has such a store, and so nobody could ask, it is keep-majority.
 *
 * Invariant: whoever is given up has frozen before it is downed. That is sure at once only if it has lost touch with everybody on
 * the side that goes on, or has seen the claim against it. In any other case, as when only some of us have lost it, it may act
 * until it looks into the store, and is downed when the decision has stood for `seenByAllMs`.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { compareForLeading } from '../gossip/convergence.ts'
import type { Member } from '../gossip/member.ts'
import type { CleanCut, CutDecision } from './clean-cut.ts'
import type { StoreMajoritySettings } from './downing-settings.ts'
import type { ArbiterQuestion, DowningStrategy, Poll, Tangle } from './downing-strategy.ts'
import { fewestToGo } from './fewest-to-go.ts'
import { keepMajority } from './keep-majority.ts'
import type { StoreTimes } from './store-times.ts'

/** Of a member that can ask the store: it uses the one that all hosts share, and that has registers. */
export const arbiterAttribute = 'asks the store'

export interface StoreMajorityOptions {
  readonly times: StoreTimes
  /** Whether this node can ask. */
  readonly asksStore: boolean
  /** Beyond so many members not everybody hears from everybody: then a small side may take itself for a large one. */
  readonly wholeViewMax: number
}

type Rule = Pick<StoreMajoritySettings, 'role'>

const question = 'may this side go on?'
const nobody: ReadonlySet<NodeId> = new Set()

export function storeMajority(rule: Rule, options: StoreMajorityOptions): DowningStrategy {
  const byNumber = keepMajority(rule)
  const ask = (cut: CleanCut, isFirst: boolean): ArbiterQuestion => {
    const { times, asksStore, wholeViewMax } = options
    const { seenByAllMs, storelessMs } = times
    const stableAfterMs = isFirst ? times.stableAfterMs : times.claimAfterMs
    // By the claim; or when they lost touch with all of us, unless they cannot know that they are fewer.
    const haveLostAll = cut.isLostByAll === true && cut.members.length <= wholeViewMax
    const areFrozen = !isFirst || haveLostAll
    const claimMs = isFirst ? 0 : seenByAllMs
    const actAfterMs = areFrozen ? 0 : seenByAllMs
    return {
      question,
      askAfterMs: 0,
      freezeAfterMs: !isFirst ? 0 : asksStore ? Infinity : storelessMs,
      byStore: { askers: askersIn(cut), stableAfterMs, claimMs, actAfterMs },
    }
  }
  const decide = (cut: CleanCut): CutDecision | ArbiterQuestion => {
    const plain = byNumber.decide(cut)
    if (!cut.members.some(canEverAsk)) return plain
    if (askersIn(cut).length === 0) return 'DownReachable'
    return ask(cut, plain === 'DownUnreachable')
  }
  return {
    decide,
    decideTangle: ({ members }) =>
      members.some(canEverAsk) ? ask({ members, unreachable: nobody }, true) : 'DownUnreachable',
    chooseFrom: ({ members, records, all }: Tangle) =>
      members.some(canEverAsk) ? fewestToGo(records) : all,
    weigh: (poll) =>
      poll.electorate.some(canEverAsk)
        ? weighBeside(poll, options, byNumber)
        : byNumber.weigh(poll),
    asksStore: options.asksStore,
  }
}

/**
 * By the store, and by all who can be reached: one of them may just be about to give the node up, and begins by telling that it
 * cannot reach it. The word of the store may come late, so nothing is hopeless; everybody's word is enough without it.
 */
function weighBeside(
  poll: Poll,
  { asksStore }: StoreMajorityOptions,
  byNumber: DowningStrategy,
): ReturnType<DowningStrategy['weigh']> {
  const { self, electorate, answered, reached, isShown = false } = poll
  const isMissing = ({ node }: Member): boolean => node !== self && !answered.has(node)
  const missing = electorate.filter(isMissing)
  if (missing.length === 0) return 'vouched'
  if (!asksStore) return byNumber.weigh(poll)
  return isShown && missing.every(({ node }) => reached?.has(node) === false) ? 'vouched' : 'open'
}

function canEverAsk({ status, attributes }: Member): boolean {
  const isThere = status === 'Joining' || status === 'Up' || status === 'Leaving'
  return isThere && attributes.includes(arbiterAttribute)
}

/** Those of this side who can ask, the best first. */
function askersIn({ members, unreachable }: CleanCut): NodeId[] {
  return members
    .filter(
      (member) =>
        canEverAsk(member) && member.status !== 'Joining' && !unreachable.has(member.node),
    )
    .sort(compareForLeading)
    .map(({ node }) => node)
}
