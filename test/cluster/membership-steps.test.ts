import { describe, expect, test } from 'vitest'
import { type ClusterMessage, isGossipMessage } from '../../src/cluster/cluster-messages.ts'
import { agreementOf, defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import type { Gossip } from '../../src/cluster/gossip/gossip.ts'
import type { ViewSummary } from '../../src/cluster/gossip/replica.ts'
import { packSeen } from '../../src/cluster/gossip/seen-marks.ts'
import { shortNameOf } from '../../src/cluster/gossip/short-names.ts'
import { digestOfClock } from '../../src/cluster/gossip/vector-clock.ts'
import { MembershipMachine } from '../../src/cluster/membership-machine.ts'
import type { MembershipEffect, MembershipInput } from '../../src/cluster/membership-inputs.ts'
import { type NodeId, nodeIdOf } from '../../src/foundation/node-id.ts'
import { SeededRandom } from '../../src/simulation/seeded-random.ts'

// No eager gossip and no ticks: every word is passed on by hand.
const settings = { ...defaultClusterSettings, eagerGossipPeersMax: 0 }
const ids = { n1: nodeIdOf('n1:1', 1n), n2: nodeIdOf('n2:1', 2n), n3: nodeIdOf('n3:1', 3n) }
type Name = keyof typeof ids
const appVersion = '1.2.3'

/** As if nothing were settled. */
const summaryOf = (gossip: Gossip): ViewSummary => [
  digestOfClock(gossip.version),
  digestOfClock([]),
  gossip.version.flatMap(([node, count]) => [shortNameOf(node), count]),
  packSeen(gossip),
]

function stage() {
  const machines = Object.fromEntries(
    Object.entries(ids).map(([name, self]) => {
      const random = new SeededRandom(1, name)
      return [
        name,
        new MembershipMachine({ self, roles: [], attributes: [], appVersion, settings, random }),
      ]
    }),
  ) as Record<Name, MembershipMachine>
  const give = (name: Name, input: MembershipInput) => machines[name].step(input, 0)
  const view = (name: Name) => {
    const { members, seen } = machines[name].gossip
    const statuses = members.map(({ node, status }) => `${node.slice(0, 2)} ${status}`)
    return `${statuses.join(', ')} | seen ${seen.map((node) => node.slice(0, 2)).join(' ')}`
  }
  /** What one knows, and all that the two say to each other for it. */
  const gossip = (from: Name, to: Name) => {
    const summary = summaryOf(machines[from].gossip)
    const word = { type: 'GossipStatus', from: ids[from], to: ids[to], summary, isLost: false }
    let [speaker, listener] = [from, to]
    let words = [word as ClusterMessage]
    while (words.length > 0) {
      const answers = words.flatMap((message) => give(listener, message as MembershipInput))
      words = said(answers, ids[speaker])
      ;[speaker, listener] = [listener, speaker]
    }
  }
  const join = (name: Name, through: Name) => {
    const effects = give(through, {
      type: 'Join',
      from: ids[name],
      roles: [],
      attributes: [],
      appVersion,
    })
    const welcome = sent(effects).find((message) => message.type === 'Welcome')
    if (welcome !== undefined) {
      give(name, { ...welcome, type: 'Joined', through: ids[through], founder: ids.n1 })
    }
    return sent(effects).map(({ type }) => type)
  }
  return { machines, give, view, gossip, join }
}

const sent = (effects: readonly MembershipEffect[]): ClusterMessage[] =>
  effects.flatMap((effect) => (effect.type === 'Send' ? [effect.message] : []))
/** Words of gossip for that node. */
const said = (effects: readonly MembershipEffect[], to: NodeId): ClusterMessage[] =>
  effects.flatMap((effect) =>
    effect.type === 'Send' && effect.to === to && isGossipMessage(effect.message)
      ? [effect.message]
      : [],
  )
const published = (effects: readonly MembershipEffect[]) =>
  effects.flatMap((effect) => (effect.type === 'Publish' ? [effect.event.type] : []))

describe('MembershipMachine', () => {
  test('CL-001 says no before it is in a cluster, yes after, and leads itself', () => {
    const { give } = stage()
    const ask = { type: 'InitJoin', from: ids.n2, agreement: agreementOf(settings) } as const
    expect(sent(give('n1', ask))).toEqual([{ type: 'InitJoinNack', from: ids.n1, isEnding: false }])
    expect(published(give('n1', { type: 'FormCluster' }))).toEqual([
      'MemberJoined',
      'LeaderChanged',
      'MemberUp',
    ])
    expect(sent(give('n1', ask))).toEqual([
      { type: 'InitJoinAck', from: ids.n1, problems: [], differences: [], founder: ids.n1 },
    ])
  })

  test('CL-003 statuses and seen sets, step by step', () => {
    const { give, view, gossip, join } = stage()
    give('n1', { type: 'FormCluster' })
    expect(view('n1')).toBe('n1 Up | seen n1')

    expect(join('n2', 'n1')).toContain('Welcome')
    // Alone among those who count, the leader has convergence and acts at once.
    expect(view('n1')).toBe('n1 Up, n2 Up | seen n1')
    expect(view('n2')).toBe('n1 Up, n2 Joining | seen n1 n2')
    gossip('n1', 'n2')
    expect(view('n2')).toBe('n1 Up, n2 Up | seen n1 n2')

    join('n3', 'n2')
    expect(view('n2')).toBe('n1 Up, n2 Up, n3 Joining | seen n2')
    // The leader is told, has convergence with this word, and lets the newcomer in; who has told it hears so.
    gossip('n2', 'n1')
    expect(view('n1')).toBe('n1 Up, n2 Up, n3 Up | seen n1 n2')
    gossip('n1', 'n3')
    gossip('n1', 'n2')
    expect(view('n2')).toBe('n1 Up, n2 Up, n3 Up | seen n1 n2 n3')

    give('n3', { type: 'Observed', node: ids.n2, status: 'Unreachable' })
    expect(view('n3')).toBe('n1 Up, n2 Up, n3 Up | seen n3')
    gossip('n3', 'n1')
    expect(view('n1')).toBe('n1 Up, n2 Up, n3 Up | seen n1 n3')
    const downed = give('n1', { type: 'Down', nodes: [ids.n2] })
    expect(published(downed)).toContain('MemberDowned')
    // The downed node is told at once, whatever anybody says of its reachability.
    expect(downed).toContainEqual(expect.objectContaining({ type: 'Send', to: ids.n2 }))
    expect(view('n1')).toBe('n1 Up, n2 Down, n3 Up | seen n1')
    gossip('n1', 'n2')
    const end = give('n2', { type: 'Tick' })
    expect(end.at(-1)).toEqual({ type: 'ShutDown', reason: 'downing' })
    gossip('n1', 'n3')
    expect(view('n3')).toBe('n1 Up, n2 Down, n3 Up | seen n1 n2 n3')
  })

  test('sends the welcome again when it was lost, and none to a former incarnation', () => {
    const { give, join, view, gossip } = stage()
    give('n1', { type: 'FormCluster' })
    for (let round = 0; round < 2; round++) expect(join('n2', 'n1')).toContain('Welcome')
    gossip('n1', 'n2')
    const again = nodeIdOf('n2:1', 9n)
    const first = give('n1', { type: 'Join', from: again, roles: [], attributes: [], appVersion })
    // Known dead and removed in one step, for the leader is the only one that has to agree.
    expect(published(first)).toEqual(
      ['MemberDowned', 'UnreachableMember', 'MemberRemoved'].slice(0, 3),
    )
    expect(view('n1')).toBe('n1 Up | seen n1')
    const second = give('n1', { type: 'Join', from: again, roles: [], attributes: [], appVersion })
    expect(sent(second).map(({ type }) => type)).toContain('Welcome')
    expect(
      sent(give('n1', { type: 'Join', from: ids.n2, roles: [], attributes: [], appVersion })),
    ).toEqual([])
  })

  test('believes that it was removed only from a member in good standing', () => {
    const { give, join, gossip } = stage()
    give('n1', { type: 'FormCluster' })
    join('n2', 'n1')
    gossip('n1', 'n2')
    const notice = { type: 'Standing', from: ids.n3, question: 0, standing: 'removed' } as const
    expect(give('n2', notice)).toEqual([])
    const told = give('n2', { ...notice, from: ids.n1 })
    expect(told.at(-1)).toEqual({ type: 'ShutDown', reason: 'downing' })
  })

  test('tells whoever asks what it is here', () => {
    const { give, join } = stage()
    give('n1', { type: 'FormCluster' })
    join('n2', 'n1')
    const standing = (from: Name) =>
      sent(give('n1', { type: 'GetStanding', from: ids[from], question: 5 }))
    expect(standing('n2')).toMatchObject([{ question: 5, standing: 'member' }])
    expect(standing('n3')).toMatchObject([{ question: 5, standing: 'stranger' }])
  })
})
