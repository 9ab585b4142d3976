import { describe, expect, test } from 'vitest'
import { staticQuorum } from '../../src/cluster/downing/static-quorum.ts'
import { decided, id, membersIn, side, tangle } from './split-views.ts'

describe('SB-001 static-quorum (V-17)', () => {
  test.each([
    ['ACE|BD', 3, undefined, 'Unreachable BD'],
    ['BD|ACE', 3, undefined, 'Reachable BD'],
    ['AB|CD', 3, undefined, 'Reachable AB'],
    ['CD|AB', 3, undefined, 'Reachable CD'],
    ['ABC|DE', 2, '3', 'Unreachable DE'],
    ['DE|ABC', 2, '3', 'Reachable DE'],
    ['ABC|DEF', 3, undefined, 'All ABCDEF'],
    ['DEF|ABC', 3, undefined, 'All ABCDEF'],
    ['ABCj|DEFj', 3, undefined, 'Reachable ABC'],
    ['DEFj|ABCj', 3, undefined, 'Reachable DEF'],
    ['ABC|DEFj', 3, undefined, 'Unreachable DEF'],
    ['DEFj|ABC', 3, undefined, 'Reachable DEF'],
    ['ABCj|DEF', 3, undefined, 'Reachable ABC'],
    ['DEF|ABCj', 3, undefined, 'Unreachable ABC'],
    ['ABCl|DE', 3, undefined, 'Unreachable DE'],
    ['DE|ABCl', 3, undefined, 'Reachable DE'],
    ['ABCx|DE', 3, undefined, 'Reachable AB'],
    ['DE|ABCx', 3, undefined, 'Reachable DE'],
    ['ABC|D', 2, undefined, 'All ABCD'],
  ])('%s, quorum of %d, role %s: %s', (split, quorumSize, role, expected) => {
    expect(decided(side(split), staticQuorum({ quorumSize, role }), { role })).toBe(expected)
  })

  test('downs the indirectly connected, and everybody where there are too many members', () => {
    const three = staticQuorum({ quorumSize: 3, role: undefined })
    expect(decided(tangle('ABCDE', 'A>B B>A'), three)).toBe('IndirectlyConnected AB')
    expect(decided(tangle('ABCDEF', 'A>B B>A'), three)).toBe('IndirectlyConnected ABCDEF')
  })

  test('downs everybody where those who are left without the indirectly connected are no quorum', () => {
    const two = staticQuorum({ quorumSize: 2, role: undefined })
    expect(decided(tangle('ABC', 'B>C C>B'), two)).toBe('IndirectlyConnected ABC')
    const three = staticQuorum({ quorumSize: 3, role: undefined })
    expect(decided(tangle('ABCDE', 'A>B B>A C>D C>E'), three)).toBe('IndirectlyConnected ABCDE')
    expect(decided(tangle('ABCDjE', 'A>B B>A'), three)).toBe('IndirectlyConnected ABCDE')
    expect(decided(tangle('ABCDE', 'A>B B>A', 'AB'), three)).toBe('IndirectlyConnected AB')
  })

  test('warns of more members than two quorums can be told apart in', () => {
    const two = staticQuorum({ quorumSize: 2, role: undefined })
    expect(two.warningOf?.(membersIn('ABCDj'))).toBeUndefined()
    expect(two.warningOf?.(membersIn('ABCD'))).toContain('4 members')
    expect(two.warningOf?.(membersIn('ABCD'))).toContain('not more than 3')
  })

  test('lets a node go on for which a quorum vouches', () => {
    const { weigh } = staticQuorum({ quorumSize: 3, role: undefined })
    const poll = (members: string, answered: string, left = members) =>
      weigh({
        self: id('A'),
        electorate: membersIn(members),
        answered: new Set(answered.split('').map(id)),
        left: new Set(left.split('').map(id)),
      })
    expect(poll('ABCDE', 'AB')).toBe('open')
    expect(poll('ABCDE', 'ABC')).toBe('vouched')
    expect(poll('ABCDE', 'A', 'AB')).toBe('hopeless')
    // Below the quorum no side goes on without the others.
    expect(poll('AB', 'A')).toBe('open')
    expect(poll('AB', 'AB')).toBe('vouched')
  })
})
