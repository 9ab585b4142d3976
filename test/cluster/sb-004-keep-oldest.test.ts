import { describe, expect, test } from 'vitest'
import { keepOldest } from '../../src/cluster/downing/keep-oldest.ts'
import { decided, id, membersIn, side, tangle } from './split-views.ts'

const on = { downIfAlone: true, role: undefined }
const off = { downIfAlone: false, role: undefined }

describe('SB-004 keep-oldest (V-17)', () => {
  test.each([
    // E is the oldest, then D, C, B, A.
    ['AE|BCD', on, 'Unreachable BCD'],
    ['BCD|AE', on, 'Reachable BCD'],
    ['AE|BCD', { ...on, role: '2' }, 'Reachable AE'],
    ['BCD|AE', { ...on, role: '2' }, 'Unreachable AE'],
    ['E|ABCD', on, 'Reachable E'],
    ['ABCD|E', on, 'Unreachable E'],
    ['B|A', on, 'Unreachable A'],
    ['A|B', on, 'Reachable A'],
    ['E|ABCD', off, 'Unreachable ABCD'],
    ['ABCD|E', off, 'Reachable ABCD'],
    ['ABD|CEx', on, 'Unreachable C'],
    ['CEl|ABD', on, 'All ABCDE'],
    ['AEl|BCD', on, 'All ABCDE'],
    ['BCD|AEl', on, 'Reachable BCD'],
    ['AE|BlClD', on, 'Unreachable BCD'],
    ['BlClD|AE', on, 'Reachable BCD'],
    ['DlE|ABC', on, 'All ABCDE'],
    ['ABC|DlE', on, 'Reachable ABC'],
    ['E|ABCl', on, 'Reachable E'],
    ['ABCl|E', on, 'Unreachable E'],
    ['E|ABlClDl', on, 'Reachable E'],
    ['ABlClDl|E', on, 'All ABCDE'],
    ['DEx|ABC', on, 'Reachable D'],
    ['ABC|DEl', on, 'Reachable ABC'],
    ['A|Bx', on, 'Unreachable'],
    ['Bl|A', on, 'All AB'],
    ['AjE|BCD', on, 'Reachable AE'],
    ['BCD|AjE', on, 'All ABCDE'],
    ['AjE|BCD', off, 'Unreachable BCD'],
    ['BCD|AjE', off, 'Reachable BCD'],
  ])('%s with %o: %s', (split, rule, expected) => {
    expect(decided(side(split), keepOldest(rule), rule)).toBe(expected)
  })

  test('ABC, A and B cannot reach each other: A and B', () => {
    expect(decided(tangle('ABC', 'A>B B>A'), keepOldest(on))).toBe('IndirectlyConnected AB')
  })

  test('counts one that we have downed for the other side until it is removed', () => {
    expect(decided(side('ABC|D'), keepOldest(on))).toBe('Unreachable D')
    expect(decided(side('ABC|DEd'), keepOldest(on))).toBe('All ABCD')
  })

  test.each([
    ['the oldest and one more', on, 'B', 'ABE', 'vouched'],
    ['the oldest, for another', on, 'B', 'BE', 'vouched'],
    ['the oldest, for itself', on, 'E', 'E', 'open'],
    ['the oldest, for itself, where that is enough', off, 'E', 'E', 'vouched'],
    ['all but the oldest, which may be alone', on, 'B', 'ABCD', 'vouched'],
    ['all but the oldest, which goes on all the same', off, 'B', 'ABCD', 'open'],
    ['some without the oldest', on, 'B', 'ABC', 'open'],
  ])('lets a node go on by the word of %s', (_, rule, self, answered, expected) => {
    const electorate = membersIn('ABCDE')
    const left = new Set(electorate.map(({ node }) => node))
    const heard = new Set(answered.split('').map(id))
    const poll = { self: id(self), electorate, answered: heard, left }
    expect(keepOldest(rule).weigh(poll)).toBe(expected)
  })

  test('never do full members survive on both sides of a settled split', () => {
    const all = ['A', 'B', 'C', 'D', 'E']
    for (let bits = 1; bits < 2 ** all.length - 1; bits++) {
      const [here, there] = [1, 0].map((one) =>
        all.filter((_, index) => ((bits >> index) & 1) === one).join(''),
      )
      for (const rule of [on, off]) {
        const decisions = [`${here}|${there}`, `${there}|${here}`].map((split) =>
          decided(side(split), keepOldest(rule)),
        )
        expect(decisions.filter((each) => each.startsWith('Unreachable'))).toHaveLength(1)
      }
    }
  })
})
