import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import type { Join } from '../cluster-messages.ts'
import { admit } from '../joining/admission.ts'
import { problemWithGossip, receiveGossip } from './gossip-exchange.ts'
import { choosePeer, effectiveProbability, sample, validPeers } from './gossip-peers.ts'
import {
  type Gossip,
  brokenInvariantOf,
  changedBy,
  dropTombstones,
  emptyGossip,
  hasSameContent,
  isOrphaned,
  memberOf,
  mergeConcurrent,
  mergeGossip,
  putMember,
  removeMembers,
  seenBy,
  withObservation,
} from './gossip.ts'
import { type LeaderSituation, actAsLeader } from './leader-actions.ts'
import { moveMembers, standingOf } from './member-changes.ts'
import { type MemberStatus, joiningMember } from './member.ts'
import { compareClocks, mergeClocks } from './vector-clock.ts'

const id = (name: string): NodeId => nodeIdOf(`${name}:1`, 1n)
const of = (members: Record<string, MemberStatus>): Gossip =>
  Object.entries(members).reduce((gossip, [name, status]) => {
    const member = { ...joiningMember(id(name)), status }
    return changedBy(putMember(gossip, member), id(name))
  }, emptyGossip)
const statusesIn = (gossip: Gossip): Record<string, MemberStatus> =>
  Object.fromEntries(gossip.members.map(({ node, status }) => [node.slice(0, 1), status]))
const seeded = (...floats: number[]) => ({
  float: () => floats.shift() ?? 0,
  below: (bound: number) => Math.floor((floats.shift() ?? 0) * bound),
  uid: () => 1n,
})

const ledBy = (name: string): LeaderSituation => ({
  self: id(name),
  exitingConfirmed: new Set(),
  longUnreachable: new Set(),
  overdueTombstones: new Set(),
  minMembers: 1,
  minMembersByRole: {},
})

describe('CL-017 V-12 gossip', () => {
  test('merges members to the status further along, both ways', () => {
    const one = of({ a: 'Up', c: 'Leaving', e: 'Joining' })
    const other = of({ a: 'Joining', c: 'Up', e: 'Up' })
    const expected = { a: 'Up', c: 'Leaving', e: 'Up' }
    expect(statusesIn(mergeGossip(one, other))).toEqual(expected)
    expect(statusesIn(mergeGossip(other, one))).toEqual(expected)
    expect(mergeGossip(one, other).seen).toEqual([])
  })

  test('does not bring a removed member back, and forgets its changes', () => {
    const before = of({ a: 'Up', b: 'Down' })
    const removed = changedBy(removeMembers(before, new Set([id('b')])), id('a'))
    const news = changedBy(putMember(before, joiningMember(id('c'))), id('b'))
    const merged = mergeGossip(removed, news)
    expect(statusesIn(merged)).toEqual({ a: 'Up', c: 'Joining' })
    expect(merged.version.map(([node]) => node)).not.toContain(id('b'))
    expect(standingOf(merged, id('b'))).toBe('removed')
  })

  test('drops the tombstones it is told to', () => {
    const gossip = removeMembers(of({ a: 'Up', b: 'Down' }), new Set([id('b')]))
    expect(dropTombstones(gossip, new Set([id('c')]))).toBe(gossip)
    expect(dropTombstones(gossip, new Set([id('b')])).tombstones).toEqual([])
  })

  test('counts a merge as a change when it would end with a version that says less', () => {
    const before = of({ a: 'Up', b: 'Down' })
    const removed = changedBy(removeMembers(before, new Set([id('b')])), id('a'))
    const news = changedBy(putMember(before, joiningMember(id('c'))), id('b'))
    const merged = mergeConcurrent(removed, news, id('a'))
    expect(compareClocks(mergeGossip(removed, news).version, removed.version)).toBe('same')
    expect(compareClocks(merged.version, removed.version)).toBe('after')
  })

  test('remembers the highest number given, also of one that is removed', () => {
    const two = actAsLeader(of({ a: 'Joining', b: 'Joining' }), ledBy('a'))
    const numbersIn = (gossip: Gossip) => gossip.members.map(({ upNumber }) => upNumber)
    expect(numbersIn(two)).toEqual([1, 2])
    const one = removeMembers(two, new Set([id('b')]))
    const again = actAsLeader(putMember(one, joiningMember(id('c'))), ledBy('a'))
    expect(numbersIn(again)).toEqual([1, 3])
    expect(mergeGossip(again, of({ a: 'Up' })).lastUpNumber).toBe(3)
    expect(brokenInvariantOf({ ...again, lastUpNumber: 2 })).toContain('not given yet')
  })

  test('those who were only joining do not go on with a cluster of which nobody is left', () => {
    const forming = of({ a: 'Joining' })
    expect(isOrphaned(forming)).toBe(false)
    const left = { ...of({ a: 'Down', b: 'Joining' }), lastUpNumber: 1 }
    expect(isOrphaned(left)).toBe(true)
    expect(statusesIn(actAsLeader(left, ledBy('b')))['b']).toBe('Joining')
    expect(isOrphaned({ ...of({ a: 'Exiting', b: 'Joining' }), lastUpNumber: 1 })).toBe(false)
    // Nor do they let anybody in, who would wait with them while a new cluster cannot form.
    const join: Join = { type: 'Join', from: id('c'), roles: [], attributes: [], appVersion: '1' }
    expect(admit(left, id('b'), join)).toEqual({ outcome: 'refused', gossip: left })
    expect(admit(forming, id('a'), join).outcome).toBe('admitted')
  })

  test('doubts a member as long as somebody who counts cannot reach it', () => {
    const whole = of({ a: 'Up', b: 'Up', c: 'Up' })
    expect(standingOf(whole, id('b'))).toBe('member')
    const cut = withObservation(whole, id('c'), id('b'), 'Unreachable')
    expect(standingOf(cut, id('b'))).toBe('doubted')
    expect(standingOf(moveMembers(cut, [id('c')], 'Down'), id('b'))).toBe('member')
    expect(standingOf(withObservation(cut, id('c'), id('b'), 'Reachable'), id('b'))).toBe('member')
  })

  test('knows what cannot be', () => {
    const gossip = of({ a: 'Up' })
    expect(brokenInvariantOf(gossip)).toBeUndefined()
    expect(brokenInvariantOf({ ...gossip, seen: [id('z')] })).toMatch(/stranger has seen/)
    expect(brokenInvariantOf({ ...gossip, version: [[id('z'), 1]] })).toMatch(/in the version/)
    expect(brokenInvariantOf({ ...gossip, tombstones: [id('a')] })).toMatch(/tombstone/)
    expect(() => seenBy(gossip, [id('z')])).toThrow(/Invariant broken/)
  })
})

describe('exchanging gossip', () => {
  const old = of({ a: 'Up', b: 'Up' })
  const fresh = seenBy(changedBy(moveMembers(old, [id('b')], 'Leaving'), id('a')), [id('a')])

  test('takes what is newer', () => {
    expect(receiveGossip(old, fresh, id('b'))).toBe(fresh)
    expect(receiveGossip(fresh, old, id('a'))).toBe(fresh)
  })

  test('adds up who has seen the same', () => {
    const ours = seenBy({ ...fresh, seen: [] }, [id('b')])
    expect(receiveGossip(ours, fresh, id('b')).seen).toEqual([id('a'), id('b')])
  })

  test('keeps a change of its own that a later version counts and does not have', () => {
    const ours = changedBy(putMember(old, joiningMember(id('c'))), id('b'))
    const theirs = { ...fresh, version: mergeClocks(ours.version, [[id('b'), 1_000]]) }
    expect(compareClocks(theirs.version, ours.version)).toBe('after')
    const gossip = receiveGossip(ours, theirs, id('b'))
    expect(statusesIn(gossip)).toEqual({ a: 'Up', b: 'Leaving', c: 'Joining' })
    expect(compareClocks(gossip.version, theirs.version)).toBe('after')
    expect(receiveGossip(theirs, gossip, id('a'))).toBe(gossip)
  })

  test('lets no later version take a member back', () => {
    const back = { ...old, version: changedBy(fresh, id('a')).version }
    const gossip = receiveGossip(fresh, back, id('b'))
    expect(statusesIn(gossip)).toEqual(statusesIn(fresh))
    expect(compareClocks(gossip.version, back.version)).toBe('after')
  })

  test('does not use a view from which nobody could count on, or one that waited', () => {
    const seen = withObservation(fresh, id('a'), id('b'), 'Unreachable')
    const observing = (version: number): Partial<Gossip> => ({
      reachability: seen.reachability.map((rows) => ({ ...rows, version })),
    })
    const counting = (changes: number): Partial<Gossip> => ({ version: [[id('a'), changes]] })
    const problemWith = (ours: Gossip, gossip: Gossip, waitedMs = 0) =>
      problemWithGossip(
        ours,
        { type: 'GossipEnvelope', from: id('a'), to: id('b'), gossip },
        waitedMs,
      )
    const isFar = (change: Partial<Gossip>): boolean =>
      problemWith(seen, { ...seen, ...change })?.startsWith('it counts further') === true
    for (const change of [counting(2 ** 40), observing(2 ** 40), { lastUpNumber: 2 ** 31 - 2 }]) {
      expect(isFar(change)).toBe(true)
    }
    for (const change of [{}, counting(1e9), observing(1e9), { lastUpNumber: 1e6 }]) {
      expect(isFar(change)).toBe(false)
    }
    expect(problemWith(emptyGossip, seen)).toBeUndefined()
    expect(problemWith(seen, seen, 2_000)).toBeUndefined()
    expect(problemWith(seen, seen, 2_001)).toBe('it waited too long')
  })

  test('prefers those who are behind, with the given probability, and never the unreachable', () => {
    const gossip = seenBy(of({ a: 'Up', b: 'Up', c: 'Up', d: 'Up' }), [id('a'), id('b')])
    const view = withObservation(gossip, id('a'), id('d'), 'Unreachable')
    expect(validPeers(view, id('a'))).toEqual([id('b'), id('c')])
    expect(choosePeer(view, id('a'), seeded(0.79, 0), 0.8)).toBe(id('c'))
    expect(choosePeer(view, id('a'), seeded(0.8, 0), 0.8)).toBe(id('b'))
    expect(sample(['x', 'y', 'z'], 2, seeded(0.9, 0))).toEqual(['z', 'x'])
  })

  test.each([
    [400, 0.8],
    [800, 0.44],
    [1200, 0.08],
    [5000, 0.08],
  ])('prefers them less among %d members: %d', (members, probability) => {
    expect(effectiveProbability(0.8, members)).toBeCloseTo(probability, 10)
  })
})

/** Replicas as they can come about: each applies own changes and receives what others had at some time. */
type Step = readonly [actor: number, kind: number, target: number]
const steps = fc.array(fc.tuple(fc.nat(2), fc.nat(5), fc.nat(4)), { maxLength: 25 })
const names = ['a', 'b', 'c', 'd', 'e'].map(id)

function replicasAfter(history: readonly Step[]): Gossip[] {
  const start = of({ a: 'Up', b: 'Up', c: 'Up' })
  const replicas = [start, start, start]
  for (const [actor, kind, target] of history) {
    const ours = replicas[actor]!
    const node = names[target]!
    replicas[actor] =
      kind === 5 ? received(replicas, actor, target) : acted(ours, actor, kind, node)
  }
  return replicas
}

function received(replicas: readonly Gossip[], actor: number, target: number): Gossip {
  const theirs = replicas[target % 3]!
  const isMember = memberOf(theirs, names[actor]!) !== undefined
  return isMember ? receiveGossip(replicas[actor]!, theirs, names[actor]!) : replicas[actor]!
}

function acted(ours: Gossip, actor: number, kind: number, node: NodeId): Gossip {
  const self = names[actor]!
  const isOther = node !== self && !['a', 'b', 'c'].includes(node[0]!)
  const member = memberOf(ours, node)
  const changes: readonly (() => Gossip)[] = [
    () =>
      member || !isOther || standingOf(ours, node) === 'removed'
        ? ours
        : putMember(ours, joiningMember(node)),
    () => moveMembers(ours, [node], 'Leaving'),
    () => (isOther ? moveMembers(ours, [node], 'Down') : ours),
    () => (member && node !== self ? withObservation(ours, self, node, 'Unreachable') : ours),
    () => (member?.status === 'Down' ? removeMembers(ours, new Set([node])) : ours),
  ]
  const next = changes[kind]!()
  return next === ours ? ours : seenBy(changedBy(next, self), [self])
}

describe('merging gossip', () => {
  test('is commutative, associative and idempotent, in content and byte by byte', () => {
    fc.assert(
      fc.property(steps, (history) => {
        const [a, b, c] = replicasAfter(history) as [Gossip, Gossip, Gossip]
        expect(JSON.stringify(mergeGossip(a, b))).toBe(JSON.stringify(mergeGossip(b, a)))
        const left = mergeGossip(mergeGossip(a, b), c)
        const right = mergeGossip(a, mergeGossip(b, c))
        expect(JSON.stringify(left)).toBe(JSON.stringify(right))
        expect(mergeGossip(a, a)).toEqual({ ...a, seen: [] })
      }),
    )
  })

  test('never revives, never strands a change, and keeps one story per version (J1.1-J1.6)', () => {
    fc.assert(
      fc.property(steps, (history) => {
        const replicas = replicasAfter(history)
        for (const one of replicas) {
          expect(brokenInvariantOf(one)).toBeUndefined()
          for (const other of replicas) {
            const merged = mergeGossip(one, other)
            for (const node of one.tombstones) expect(memberOf(merged, node)).toBeUndefined()
            const isSame = compareClocks(one.version, other.version) === 'same'
            if (isSame) expect(hasSameContent(one, other)).toBe(true)
          }
        }
      }),
    )
  })
})

test('a merge does not forget the number of one that has gone: it is never given again', () => {
  const merged = mergeGossip(
    { ...emptyGossip, lastUpNumber: 7 },
    { ...emptyGossip, lastUpNumber: 3 },
  )
  expect(merged.lastUpNumber).toBe(7)
})
