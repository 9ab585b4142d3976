import { describe, expect, test } from 'vitest'
import { isPending } from '../../src/cluster/downing/judgement.ts'
import { arbiterAttribute, storeMajority } from '../../src/cluster/downing/store-majority.ts'
import { storeTimesOf } from '../../src/cluster/downing/store-times.ts'
import type { SplitView } from '../../src/cluster/downing/split-view.ts'
import { defaultClusterSettings } from '../../src/cluster/index.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'
import { id, judged, membersIn, side, tangle } from './split-views.ts'

const times = storeTimesOf(defaultClusterSettings)
const hosts = [arbiterAttribute]
const strategy = (options: { asksStore?: boolean; wholeViewMax?: number; role?: string } = {}) =>
  storeMajority({ role: options.role }, { times, asksStore: true, wholeViewMax: 10, ...options })

const names = (nodes: Iterable<NodeId>) => [...nodes].map((node) => node[0]!.toUpperCase()).join('')

/** Who goes if the store agrees, who asks for it, after how long a claim, and whether this side is frozen from the start. */
function inWords(view: SplitView, by = strategy()): string {
  const judgement = judged(view, by)
  if (!isPending(judgement)) return `${judgement.decision} ${names([...judgement.nodes].sort())}`
  const { byStore, freezeAfterMs, verdictBy } = judgement
  const { askers, claimMs, actAfterMs } = byStore!
  const going = names([...verdictBy('DownUnreachable').nodes].sort())
  const how = claimMs > 0 ? 'claims' : actAfterMs > 0 ? 'decides, acts later' : 'decides'
  return `${going}: ${names(askers)} ${how}${freezeAfterMs === 0 ? ', frozen' : ''}`
}

describe('store-majority', () => {
  test.each([
    ['ACE|BD', 'BD: ACE decides'],
    ['BD|ACE', 'ACE: BD claims, frozen'],
    ['A|B', 'B: A decides'],
    ['B|A', 'A: B claims, frozen'],
    ['AB|CD', 'CD: AB decides'],
    ['CD|AB', 'AB: CD claims, frozen'],
    // Over there more may be Up by now, so who is more is not sure.
    ['CDE|ABFj', 'ABF: CDE claims, frozen'],
    ['ABF|CDE', 'CDE: ABF decides'],
    ['C|AB', 'AB: C claims, frozen'],
  ])('%s: %s', (split, expected) => {
    expect(inWords(side(split, hosts))).toBe(expected)
  })

  test('counts those with the role', () => {
    expect(inWords(side('ADE|BC', hosts), strategy({ role: '2' }))).toBe('BC: ADE claims, frozen')
    expect(inWords(side('BC|ADE', hosts), strategy({ role: '2' }))).toBe('ADE: BC decides')
  })

  test('where not everybody hears from everybody, a decision is carried out when all have seen it', () => {
    expect(inWords(side('ACE|BD', hosts), strategy({ wholeViewMax: 4 }))).toBe(
      'BD: ACE decides, acts later',
    )
  })

  test('is keep-majority where nobody has a store', () => {
    expect(inWords(side('ACE|BD'))).toBe('DownUnreachable BD')
    expect(inWords(side('BD|ACE'))).toBe('DownReachable BD')
    expect(inWords(tangle('ABC', 'A>B B>A'))).toBe('DownIndirectlyConnected AB')
  })

  test('a side in which nobody can ask goes; one that can is asked for by those who can', () => {
    const view = side('ABC|DE')
    const mixed = (able: string) => ({
      ...view,
      members: view.members.map((member) =>
        able.includes(names([member.node])) ? { ...member, attributes: hosts } : member,
      ),
    })
    expect(inWords(mixed('DE'))).toBe('DownReachable ABC')
    expect(inWords(mixed('BD'))).toBe('DE: B decides')
  })

  test('of those who cannot reach each other as few go as that takes', () => {
    expect(inWords(tangle('AB', 'A>B B>A', '', hosts))).toBe('B: AB decides, acts later')
    expect(inWords(tangle('ABC', 'A>B A>C', 'ABC', hosts))).toBe('A: ABC decides, acts later')
    expect(inWords(tangle('ABCDE', 'B>C C>B A>D', 'ABCE', hosts))).toBe(
      'CD: ABCE decides, acts later',
    )
  })

  test('a broken pair that looks like a clean cut to one of it is carried out when all have seen it', () => {
    expect(inWords(tangle('ABCD', 'B>C C>B', 'AC', hosts))).toBe('B: ACD decides, acts later')
    expect(inWords(tangle('ABCD', 'A>B C>B D>B', 'ACD', hosts))).toBe('B: ACD decides')
  })

  test('a node that can ask goes on by the word of the store and of all whom it reaches', () => {
    const electorate = membersIn('ABC', hosts)
    const nodes = (letters: string) => new Set(letters.split('').map(id))
    const weigh = (answered: string, reached: string, isShown: boolean, by = strategy()) =>
      by.weigh({
        self: id('A'),
        electorate,
        answered: nodes(answered),
        left: nodes('ABC'),
        reached: nodes(reached),
        isShown,
      })
    expect(weigh('A', 'A', true)).toBe('vouched')
    expect(weigh('A', 'A', false)).toBe('open')
    expect(weigh('A', 'AB', true)).toBe('open')
    expect(weigh('AB', 'AB', true)).toBe('vouched')
    expect(weigh('ABC', 'ABC', false)).toBe('vouched')
    // One without a store counts heads.
    expect(weigh('AB', 'ABC', false, strategy({ asksStore: false }))).toBe('vouched')
  })
})
