import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../foundation/node-id.ts'
import { NotAMessage } from '../serialization/internals.ts'
import type { ClusterMessage } from './cluster-messages.ts'
import { clusterProtocol, isGossip } from './cluster-wire.ts'
import {
  type Gossip,
  changedBy,
  emptyGossip,
  putMember,
  seenBy,
  withObservation,
} from './gossip/gossip.ts'
import { asUp, joiningMember } from './gossip/member.ts'
import type { PackedNews } from './gossip/news.ts'
import type { PackedOrigins } from './gossip/packed-origins.ts'
import type { ViewSummary } from './gossip/replica.ts'

const [a, b, c] = ['a:1', 'b:1', 'c:10'].map((address) => nodeIdOf(address, 7n)) as [
  string,
  string,
  string,
]

const described = { roles: ['x', 'y'], attributes: ['hosts x', 'uses y'], appVersion: '1.2.3' }

/** Two members, one of which cannot reach the other, and a tombstone. */
function gossip(): Gossip {
  const first = putMember(emptyGossip, asUp(joiningMember(a, described), 1))
  const both = putMember(first, joiningMember(b))
  const observed = withObservation(both, a, b, 'Unreachable')
  return { ...seenBy(changedBy(observed, a), [a]), tombstones: [c] }
}

/** Sorted texts, so many. */
const numbers = (count: number) => Array.from({ length: count }, (_, i) => `${10_000 + i}`)

describe('isGossip', () => {
  test('takes what nodes make', () => {
    expect(isGossip(emptyGossip)).toBe(true)
    expect(isGossip(gossip())).toBe(true)
    const far = asUp(joiningMember(a, { ...described, dataCenter: 'eu-1' }), 1)
    expect(isGossip(changedBy(putMember(emptyGossip, far), a))).toBe(true)
  })

  const sound = gossip()
  const [up, joining] = sound.members
  const [rows] = sound.reachability
  test.each<[string, object]>([
    ['no members', { members: undefined }],
    ['a member twice', { members: [up, up, joining] }],
    ['members out of order', { members: [joining, up] }],
    ['an id that is none', { members: [{ ...up, node: 'a:1' }, joining] }],
    ['a status that is none', { members: [{ ...up, status: 'Weird' }, joining] }],
    ['a removed member', { members: [{ ...up, status: 'Removed' }, joining] }],
    ['roles out of order', { members: [{ ...up, roles: ['y', 'x'] }, joining] }],
    ['a role twice', { members: [{ ...up, roles: ['x', 'x'] }, joining] }],
    ['too many roles', { members: [{ ...up, roles: numbers(101) }, joining] }],
    ['attributes out of order', { members: [{ ...up, attributes: ['y', 'x'] }, joining] }],
    ['an attribute twice', { members: [{ ...up, attributes: ['x', 'x'] }, joining] }],
    ['an attribute that is none', { members: [{ ...up, attributes: [7] }, joining] }],
    ['a data center that is none', { members: [{ ...up, dataCenter: 'a/b' }, joining] }],
    // Equal members are equal bytes: the default one is not written down.
    ['the default data center', { members: [{ ...up, dataCenter: 'default' }, joining] }],
    ['no attributes', { members: [{ ...up, attributes: undefined }, joining] }],
    ['too many attributes', { members: [{ ...up, attributes: numbers(1_101) }, joining] }],
    ['no version of the application', { members: [{ ...up, appVersion: undefined }, joining] }],
    ['a version that is none', { members: [{ ...up, appVersion: 'new\u0000' }, joining] }],
    ['a version too long', { members: [{ ...up, appVersion: '1'.repeat(101) }, joining] }],
    ['Up without an age', { members: [{ ...up, upNumber: 2 ** 31 - 1 }, joining] }],
    ['an age below 1', { members: [{ ...up, upNumber: 0 }, joining] }],
    ['seen by a stranger', { seen: [c] }],
    ['seen twice', { seen: [a, a] }],
    ['a version of a stranger', { version: [[c, 1]] }],
    [
      'a version twice',
      {
        version: [
          [a, 1],
          [a, 2],
        ],
      },
    ],
    ['a version that is no count', { version: [[a, -1]] }],
    ['a version beyond counting', { version: [[a, 2 ** 50]] }],
    ['an observer that is a stranger', { reachability: [{ ...rows, observer: c }] }],
    ['an observer twice', { reachability: [rows, rows] }],
    ['an observer of itself', { reachability: [{ ...rows, observer: b }] }],
    ['a member with a tombstone', { tombstones: [a] }],
    ['a tombstone twice', { tombstones: [c, c] }],
    ['a tombstone of nobody', { tombstones: ['c'] }],
    ['too many members', { members: Array(10_001).fill(up) }],
  ])('refuses %s', (_, change) => {
    expect(isGossip({ ...sound, ...change })).toBe(false)
  })
})

describe('the protocol of the cluster', () => {
  const summary: ViewSummary = [1, 2, [5, 1], Uint8Array.of(2, 1, 0)]
  const origins: PackedOrigins = [[a], [0, 1], [[0, 0, 1]], [[a, [0, 1]]], [[c, [0, 1]]], []]
  const news: PackedNews = [
    [a],
    [described],
    [[b, 'Up', 2, 0, [0, 1]]],
    [[a, 3, [[b, false, 3]], [0, 1]]],
    [[c, [0, 1]]],
    [],
    2,
    false,
  ]
  const messages: ClusterMessage[] = [
    { type: 'InitJoin', from: a, agreement: { x: '1' } },
    { type: 'InitJoinAck', from: a, problems: ['one'], differences: ['two'], founder: a },
    { type: 'InitJoinNack', from: a, isEnding: false },
    { type: 'Join', from: a, ...described },
    { type: 'Welcome', from: a, gossip: gossip(), tombstoneAgesMs: [5], origins },
    { type: 'GossipStatus', from: a, to: b, summary, isLost: false },
    { type: 'GossipNews', from: a, to: b, summary, since: [5, 1], news, answers: 3 },
    { type: 'GossipEnvelope', from: a, to: b, gossip: gossip() },
    { type: 'ExitingConfirmed', from: a },
    { type: 'Heartbeat', from: a, sequence: 1 },
    { type: 'HeartbeatResponse', from: a, sequence: 1 },
    { type: 'GetStanding', from: a, question: 1 },
    { type: 'Standing', from: a, question: 1, standing: 'member' },
  ]

  test('takes every message as it was sent', () => {
    expect(messages).toHaveLength(clusterProtocol.wireNames.length)
    for (const message of messages) {
      expect(clusterProtocol.unpack(clusterProtocol.pack(message))).toBe(message)
    }
  })

  test.each<[string, object]>([
    ['Join', { from: a, ...described, appVersion: '' }],
    ['Join', { from: a, ...described, appVersion: 7 }],
    ['Join', { from: a, ...described, appVersion: '1.'.repeat(60) }],
    ['Join', { from: a, ...described, attributes: [''.padEnd(1_001)] }],
    ['Welcome', { from: a, gossip: gossip(), tombstoneAgesMs: [-1] }],
    ['Welcome', { from: a, gossip: gossip(), tombstoneAgesMs: [Infinity] }],
  ])('refuses a %s with %j', (type, fields) => {
    const wireName = clusterProtocol.wireNames.find((name) => name.startsWith(`cluster.${type}@`))
    const value = [wireName, { type, ...fields }]
    expect(clusterProtocol.unpack(value)).toBeInstanceOf(NotAMessage)
  })

  test('refuses every message that lacks a field', () => {
    for (const message of messages) {
      for (const field of Object.keys(message)) {
        const { [field]: _, ...rest } = message as unknown as Record<string, unknown>
        const [wireName] = clusterProtocol.pack(message)
        const value = [wireName, rest]
        expect(clusterProtocol.unpack(value), `${message.type} without ${field}`).toBeInstanceOf(
          NotAMessage,
        )
      }
    }
  })
})
