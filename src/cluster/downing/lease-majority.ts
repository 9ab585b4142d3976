/**
 * Who survives a split: the side that gets a lease, of which there is one. The side with more members asks first and goes on
 * meanwhile, until it has waited so long that the other one may have got it; the other side is frozen and asks later. A
 * small side lives on when the large one is dead or cannot reach the lease.
 */
import { addressOfNode } from '../../foundation/node-id.ts'
import { type Member, hasRole } from '../gossip/member.ts'
import { type CleanCut, keepLowest } from './clean-cut.ts'
import type { LeaseMajoritySettings } from './downing-settings.ts'
import type { ArbiterQuestion, DowningStrategy } from './downing-strategy.ts'
import { majorityOf, weighByCount } from './weighing.ts'

type Rule = Pick<
  LeaseMajoritySettings,
  'role' | 'acquireLeaseDelayForMinorityMs' | 'releaseAfterMs'
>

/** `goesOnMs`: how long the side that asks first goes on without an answer, in a cluster of so many members. */
export function leaseMajority(
  { role, acquireLeaseDelayForMinorityMs, releaseAfterMs }: Rule,
  goesOnMs: (members: number) => number,
): DowningStrategy {
  const askFirst = (question: string, { length }: readonly Member[]): ArbiterQuestion => ({
    question,
    askAfterMs: 0,
    freezeAfterMs: goesOnMs(length),
  })
  const askLater = (question: string): ArbiterQuestion => ({
    question,
    askAfterMs: acquireLeaseDelayForMinorityMs,
    freezeAfterMs: 0,
  })
  return {
    decide: (cut) => {
      const question = `the lease, against ${inWords(cut)}`
      return isMinority(cut, role) ? askLater(question) : askFirst(question, cut.members)
    },
    decideTangle: ({ members }) => askFirst('the lease, against the indirectly connected', members),
    weigh: weighByCount(role, majorityOf),
    holdsMs: releaseAfterMs,
  }
}

/**
 * The same with a record of those who were given up under the lease: whoever slept or was cut off goes on by the word of everybody,
 * or of as many as are needed, when the record shows that it was not given up. They may all have been, together.
 */
export function withRecord(strategy: DowningStrategy): DowningStrategy {
  return {
    ...strategy,
    keepsRecord: true,
    weigh: (poll) => {
      const outcome = strategy.weigh(poll)
      const { self, electorate, answered, isShown = false } = poll
      const isMissing = electorate.some(({ node }) => node !== self && !answered.has(node))
      return outcome === 'vouched' && isMissing && !isShown ? 'open' : outcome
    },
  }
}

const namesMax = 5

function inWords({ unreachable }: CleanCut): string {
  const names = [...unreachable].map(addressOfNode).sort()
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ''
  return `${names.slice(0, namesMax).join(', ')}${more}`
}

/** Fewer than half, or half without the lowest address. */
function isMinority({ members, unreachable }: CleanCut, role: string | undefined): boolean {
  const counted = members.filter(
    (member) => (member.status === 'Up' || member.status === 'Leaving') && hasRole(member, role),
  )
  const there = counted.filter(({ node }) => unreachable.has(node)).length
  if (counted.length === 0 || there * 2 > counted.length) return true
  return there * 2 === counted.length && keepLowest(counted, unreachable) === 'DownReachable'
}
