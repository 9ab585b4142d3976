import { describe, expect, test } from 'vitest'
import { decided, id, judged, side, tangle } from '../../../test/cluster/split-views.ts'
import { isAgainst, type JudgeOptions, type Verdict } from './judgement.ts'
import { keepMajority } from './keep-majority.ts'
import type { SplitView } from './split-view.ts'

function decide(view: SplitView, { role, ...options }: Partial<JudgeOptions> = {}): string {
  return decided(view, keepMajority({ role }), { role, ...options })
}

describe('SB-002 keep-majority (V-17)', () => {
  test.each([
    ['ACE|BD', undefined, 'Unreachable BD'],
    ['BD|ACE', undefined, 'Reachable BD'],
    ['AB|CDE', undefined, 'Reachable AB'],
    ['CDE|AB', undefined, 'Unreachable AB'],
    ['B|AC', undefined, 'Reachable B'],
    ['AC|B', undefined, 'Unreachable B'],
    ['AB|CD', undefined, 'Unreachable CD'],
    ['CD|AB', undefined, 'Reachable CD'],
    ['A|B', undefined, 'Unreachable B'],
    ['B|A', undefined, 'Reachable B'],
    ['AB|CDE', '3', 'Unreachable CDE'],
    ['CDE|AB', '3', 'Reachable CDE'],
    ['ADE|BC', '2', 'Reachable ADE'],
    ['BC|ADE', '2', 'Unreachable ADE'],
    ['C|E', '3', 'All CE'],
    ['E|C', '3', 'All CE'],
    ['BD|AjC', undefined, 'Unreachable AC'],
    ['AjC|BD', undefined, 'Reachable AC'],
    ['ABj|CDE', undefined, 'Reachable AB'],
    ['CDE|ABj', undefined, 'Unreachable AB'],
    ['AB|CDE', undefined, 'Reachable AB'],
    ['CD|ABE', undefined, 'Reachable CD'],
    ['E|ABCD', undefined, 'Reachable E'],
    ['ABFG|CDE', undefined, 'Unreachable CDE'],
    ['CDE|ABFjGj', undefined, 'All ABCDEFG'],
    ['ABF|CDE', undefined, 'Unreachable CDE'],
    ['CDE|ABFj', undefined, 'All ABCDEF'],
    ['AB|CDEFj', undefined, 'Reachable AB'],
    ['CDEF|AB', undefined, 'Unreachable AB'],
    ['AlBEj|CD', undefined, 'All ABCDE'],
    ['CD|AxB', undefined, 'Unreachable B'],
  ])('%s with role %s: %s', (split, role, expected) => {
    expect(decide(side(split), { role })).toBe(expected)
  })

  test('counts one that we have downed for the other side until it is removed', () => {
    expect(decide(side('AE|BC'))).toBe('Unreachable BC')
    expect(decide(side('AE|BCDd'))).toBe('All ABCE')
    expect(decide(side('BD|CAd'))).toBe('All BCD')
    expect(decide(side('ABC|DEd'))).toBe('Unreachable D')
  })
})

describe('SB-003 indirectly connected members (V-17)', () => {
  test.each([
    ['AB', 'A>B B>A', '', 'AB'],
    ['ABC', 'A>B B>A', '', 'AB'],
    ['ABC', 'A>B B>C C>A', '', 'ABC'],
    ['ABCD', 'A>D D>A B>C C>B', '', 'ABCD'],
    ['ABCDE', 'A>B B>C C>A', '', 'ABC'],
    ['ABCDEFG', 'B>C C>B E>F F>E', '', 'BCEF'],
    ['ABC', 'A>B A>C', 'ABC', 'ABC'],
    ['ABCDE', 'B>C C>B A>D', 'ABCDE', 'ABCD'],
    ['ABCDE', 'B>C C>B A>D', 'ABCE', 'BCD'],
  ])('%s with %s seen by %s: down %s', (members, records, seenBy, expected) => {
    expect(decide(tangle(members, records, seenBy))).toBe(`IndirectlyConnected ${expected}`)
  })

  test('leaves nobody when those left are only joining or leaving: they are no cluster', () => {
    expect(decide(tangle('ABCDj', 'A>B B>C C>A'))).toBe('IndirectlyConnected ABCD')
    expect(decide(tangle('ABDjEl', 'A>B B>A'))).toBe('IndirectlyConnected ABDE')
    expect(decide(tangle('ABCDj', 'A>B B>A'))).toBe('IndirectlyConnected AB')
  })

  test('go down with everybody when they are too many', () => {
    const view = tangle('ABCD', 'A>B B>A')
    expect(decide(view, { indirectlyConnectedShareMax: 0.6 })).toBe('IndirectlyConnected AB')
    expect(decide(view, { indirectlyConnectedShareMax: 0.5 })).toBe('IndirectlyConnected ABCD')
  })

  test('are not those whose last words were said before they were cut off', () => {
    // A and B lost C while it slept, then a split came between A, B and C, D.
    const view = tangle('ABCD', 'A>C B>C D>A D>B', 'CD')
    expect(decide(view)).toBe('Reachable CD')
  })
})

describe('a verdict', () => {
  test('is against whoever is on the side that goes down', () => {
    const against = (view: SplitView, self: string) =>
      isAgainst(id(self), judged(view, keepMajority({ role: undefined })) as Verdict)
    expect(against(side('ACE|BD'), 'A')).toBe(false)
    expect(against(side('BD|ACE'), 'B')).toBe(true)
    // An exiting member is not downed, but its side loses all the same.
    expect(against(side('Bx|ACE'), 'B')).toBe(true)
    expect(against(tangle('ABC', 'A>B B>A'), 'A')).toBe(true)
    expect(against(tangle('ABC', 'A>B B>A'), 'C')).toBe(false)
  })
})
