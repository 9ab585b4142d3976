import { describe, expect, test } from 'vitest'
import { id, view } from '../../../test/cluster/written-views.ts'
import { disagreementIn, hasConverged, isExitDoubted, leaderOf } from './convergence.ts'
import { type Gossip, memberOf } from './gossip.ts'
import { actAsLeader, type LeaderSituation } from './leader-actions.ts'

test.each([
  ['au bx', 'a!b', true],
  ['au bx', '', false],
  ['au bx', 'b!a', false],
  ['au bu', 'a!b', false],
  // What members that are Down say does not count.
  ['ad bx', 'a!b', false],
])('%s with %s: the exit of b is doubted: %s', (members, rows, expected) => {
  expect(isExitDoubted(view(members, '', rows), id('b'))).toBe(expected)
})

describe('CL-017 V-12 convergence', () => {
  test.each([
    ['', '', '', '', 'a', true],
    ['au', 'a', '', '', 'a', true],
    ['au bu', 'a', '', '', 'a', false],
    ['au bu', 'ab', '', '', 'a', true],
    ['au bu ej', 'ab', '', '', 'a', true],
    ['au bu ed', 'ab', '', '', 'a', true],
    ['au bu cl', 'ab', '', 'c', 'a', true],
    ['au bu cl', 'ab', 'b!c', 'c', 'a', true],
    ['au bu', 'ab', 'b!a', '', 'b', false],
    ['au bu', 'ab', 'b!a', '', 'a', true],
    ['au bu ed', 'abe', 'e!a', '', 'b', true],
  ])(
    'members %s seen by %s, rows %s, confirmed %s, for %s: %s',
    (members, seen, rows, confirmed, self, expected) => {
      const done = new Set(confirmed.split('').map(id))
      expect(hasConverged(view(members, seen, rows), id(self), done)).toBe(expected)
    },
  )

  test('says what is in its way', () => {
    expect(disagreementIn(view('au bu cu', 'a', 'a!c'), id('a'))).toEqual({
      unseenBy: [id('b'), id('c')],
      unreachable: [id('c')],
    })
  })
})

describe('CL-017 V-12 the leader', () => {
  test.each([
    ['cu eu', '', 'c', 'c'],
    ['cx eu', '', 'c', 'e'],
    ['cx', '', 'c', 'c'],
    ['cu eu', 'e!c', 'e', 'e'],
    ['cu eu', 'e!c', 'c', 'c'],
    ['cd ed', '', 'c', undefined],
    ['ad bu', '', 'b', 'b'],
    ['aj bl', '', 'b', 'b'],
    ['ax bj', '', 'a', 'b'],
  ])('of %s with %s is, seen from %s, %s', (members, rows, self, leader) => {
    expect(leaderOf(view(members, '', rows), id(self))).toBe(leader && id(leader))
  })
})

describe('what the leader does', () => {
  const situation: LeaderSituation = {
    self: id('a'),
    exitingConfirmed: new Set(),
    longUnreachable: new Set(),
    overdueTombstones: new Set(),
    minMembers: 1,
    minMembersByRole: {},
  }

  test('lets in all that join, numbered by address after the youngest', () => {
    const next = actAsLeader(view('au cj bj'), situation)
    expect(next.members.map(({ node, upNumber }) => [node[0], upNumber])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ])
  })

  test('waits until there are enough to begin with, also of each role', () => {
    const gossip = view('aj cj')
    expect(actAsLeader(gossip, { ...situation, minMembers: 3 })).toBe(gossip)
    expect(actAsLeader(gossip, { ...situation, minMembersByRole: { web: 1 } })).toBe(gossip)
  })

  test('moves leaving members to Exiting and removes none of them yet', () => {
    expect(memberOf(actAsLeader(view('au bl'), situation), id('b'))?.status).toBe('Exiting')
  })

  test('removes the dead: unreachable and Down, confirmed, or Exiting and long out of reach', () => {
    const isLeft = (gossip: Gossip, more: Partial<LeaderSituation> = {}) =>
      memberOf(actAsLeader(gossip, { ...situation, ...more }), id('b')) !== undefined
    expect(isLeft(view('au bd', '', 'a!b'))).toBe(false)
    expect(isLeft(view('au bd'))).toBe(true)
    expect(isLeft(view('au bx', '', 'a!b'))).toBe(true)
    expect(isLeft(view('au bx', '', 'a!b'), { longUnreachable: new Set([id('b')]) })).toBe(false)
    expect(isLeft(view('au bx'), { exitingConfirmed: new Set([id('b')]) })).toBe(false)
    expect(isLeft(view('au bu', '', 'a!b'))).toBe(true)
  })

  test('has nothing to do in a settled cluster', () => {
    const gossip = view('au bu', 'ab')
    expect(actAsLeader(gossip, situation)).toBe(gossip)
  })
})
