import { describe, expect, test } from 'vitest'
import { id, namesOf, view } from '../../../test/cluster/written-views.ts'
import {
  bestLeaders,
  hasConverged,
  isDoubted,
  leaderOf,
  unreachableFromHere,
  unreachableMembers,
} from './convergence.ts'
import {
  describedDataCenter,
  isDataCenterName,
  neighboursOf,
  speakersOf,
  unreachableDataCenters,
} from './data-center.ts'
import { type Gossip, changedBy, hasTombstone, memberOf, putMember, seenBy } from './gossip.ts'
import { joiningMember, withStatus } from './member.ts'
import { actAsLeader, type LeaderSituation } from './leader-actions.ts'

describe('CL-019 V-12 convergence in each data center', () => {
  test.each([
    ['au bu | cu du', 'abc', '', true, false],
    ['au bu | cu du', 'abcd', 'c!d', true, false],
    ['au bu | cu du', 'abcd', 'a!d d!a', true, true],
    // The first of a data center is let in only when everybody knows of it.
    ['au bu | ej', 'ae', '', false, false],
    ['au bu | ej', 'abe', '', true, true],
    ['au bu | ej fj', 'abf', '', true, false],
    ['au bu | ej fj', 'abef', '', true, true],
  ])('%s seen by %s, %s: one %s, two %s', (centers, seen, rows, one, two) => {
    const gossip = view(centers, seen, rows)
    const there = centers.split('|')[1]!.trim()[0]!
    expect(hasConverged(gossip, id('a'))).toBe(one)
    // From the view of one that nobody there complains about.
    expect(hasConverged(gossip, id(there))).toBe(two)
  })

  test('who leads, is out of reach or doubted is a question of the own data center', () => {
    const gossip = view('bu cu | au du', '', 'b!a b!c d!b')
    expect(leaderOf(gossip, id('b'))).toBe(id('b'))
    expect(leaderOf(gossip, id('d'))).toBe(id('a'))
    expect(namesOf(unreachableMembers(gossip, id('b')))).toBe('c')
    expect(namesOf(unreachableMembers(gossip, id('a')))).toBe('')
    expect(isDoubted(gossip, id('b'))).toBe(false)
    expect(isDoubted(gossip, id('c'))).toBe(true)
  })

  test('whom of another data center is out of reach, members on their way out do not say', () => {
    const out = (rows: string): string =>
      namesOf(unreachableFromHere(view('au bx cd | eu fu', '', rows), id('a')))
    expect(out('a!e')).toBe('e')
    expect(out('b!e c!f')).toBe('')
    expect(out('f!e')).toBe('')
  })

  test('the last one of a data center says goodbye to the leaders of others', () => {
    expect(namesOf(bestLeaders(view('au bu | cx'), id('c')))).toBe('ab')
    expect(namesOf(bestLeaders(view('au bu | cx du'), id('c')))).toBe('d')
  })
})

describe('CL-019 what the leader of a data center does', () => {
  const act = (gossip: Gossip, self: string, situation: Partial<LeaderSituation> = {}): Gossip =>
    actAsLeader(gossip, {
      self: id(self),
      exitingConfirmed: new Set(),
      longUnreachable: new Set(),
      overdueTombstones: new Set(),
      minMembers: 1,
      minMembersByRole: {},
      ...situation,
    })

  test('it lets in and moves out its own members only', () => {
    const gossip = view('au bj cl | dj el')
    const statusOf = (after: Gossip, name: string) => memberOf(after, id(name))?.status
    const byOne = act(gossip, 'a')
    expect(['b', 'c', 'd', 'e'].map((name) => statusOf(byOne, name))).toEqual([
      'Up',
      'Exiting',
      'Joining',
      'Leaving',
    ])
    const byTwo = act(gossip, 'd')
    expect(['b', 'c', 'd', 'e'].map((name) => statusOf(byTwo, name))).toEqual([
      'Joining',
      'Leaving',
      'Up',
      'Exiting',
    ])
  })

  test('it buries its own dead, and others only where nobody is left to do it', () => {
    const isGone = (after: Gossip, name: string) => hasTombstone(after, id(name))
    const own = act(view('au bd | cu dd', '', 'a!b c!d'), 'a')
    expect([isGone(own, 'b'), isGone(own, 'd')]).toEqual([true, false])
    const abandoned = view('au | cd dx')
    expect(isGone(act(abandoned, 'a'), 'c')).toBe(true)
    expect(isGone(act(abandoned, 'a'), 'd')).toBe(false)
    const confirmed = act(abandoned, 'a', { exitingConfirmed: new Set([id('d')]) })
    expect(isGone(confirmed, 'd')).toBe(true)
    // Cut off from others it goes on unfrozen, and may still be handing over.
    const silent = act(view('au | dx', '', 'a!d'), 'a', { longUnreachable: new Set([id('d')]) })
    expect(isGone(silent, 'd')).toBe(false)
  })

  /** Why nobody elsewhere gives up a newcomer for its silence, not even when all there have agreed on that before. */
  test('it lets the first one in by what others had seen, whatever these have agreed upon since', () => {
    const known = view('au bu | ej', 'abe')
    // Unheard by all others, who cannot reach it and give it up: first that they mean to, and when all know, that they do.
    const meant = seenBy(changedBy(known, id('a')), [id('a'), id('b')])
    expect(hasConverged(meant, id('a'))).toBe(true)
    const givenUp = putMember(meant, withStatus(memberOf(meant, id('e'))!, 'Down'))
    const next = putMember(givenUp, joiningMember(id('f'), describedDataCenter('two')))
    const elsewhere = seenBy(changedBy(next, id('a')), [id('a'), id('b'), id('f')])
    const firsts = [known, elsewhere].map((gossip, at) => {
      const leader = id(['e', 'f'][at]!)
      expect([leaderOf(gossip, leader), hasConverged(gossip, leader)]).toEqual([leader, true])
      return memberOf(act(gossip, ['e', 'f'][at]!), leader)?.status
    })
    // Both serve as the first of their data center: so the silence of one is left to a person.
    expect(firsts).toEqual(['Up', 'Up'])
  })
})

describe('CL-019 who speaks for a data center', () => {
  test('the oldest few, and those on their way out only when nobody else is left', () => {
    const { members } = view('du cu bu au | hu fx gu')
    const speakers = (center: string, count: number): string =>
      namesOf(speakersOf(members, center, count).map(({ node }) => node))
    expect(speakers('one', 2)).toBe('dc')
    expect(speakers('two', 2)).toBe('hg')
    expect(speakers('two', 5)).toBe('hgf')
    expect(speakers('three', 5)).toBe('')
  })

  test('one is out of reach when half of the speakers reach none of its own', () => {
    const out = (rows: string, centers = 'au bu | cu du') =>
      [...unreachableDataCenters(view(centers, '', rows), id('a'), 5)].join()
    expect(out('')).toBe('')
    expect(out('a!c')).toBe('')
    expect(out('a!c b!d')).toBe('')
    expect(out('a!c a!d', 'au bu eu | cu du')).toBe('')
    // The other one may only have begun to speak.
    expect(out('a!c a!d')).toBe('two')
    expect(out('a!c a!d b!c b!d')).toBe('two')
    // One of ours that is dead has no say; nor has one of theirs that is given up.
    expect(out('a!c a!d a!b')).toBe('two')
    expect(out('a!c b!c', 'au bu | cu dd')).toBe('two')
    expect(out('', 'au bu | cd dd')).toBe('two')
    // Theirs, about us, is theirs to say.
    expect(out('c!a c!b d!a d!b')).toBe('')
  })
})

test('a cluster with one data center has all members as neighbours, by the same list', () => {
  const gossip = view('au bu cj')
  expect(neighboursOf(gossip, id('a'))).toBe(gossip.members)
})

test('names are short and plain', () => {
  for (const name of ['default', 'eu-1', 'A.b_c', '7']) expect(isDataCenterName(name)).toBe(true)
  for (const name of ['', ' eu', '-eu', 'a/b', 'ü', 'x'.repeat(64), 7, undefined]) {
    expect(isDataCenterName(name)).toBe(false)
  }
})
