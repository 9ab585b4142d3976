import { afterEach, describe, expect, test } from 'vitest'
import { UnhandledMessage } from '../../src/actor/index.ts'
import { nextEvent } from '../remote/nodes.ts'
import { areUp, ClusterNodes, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

describe('what a peer sends', () => {
  test('is refused when somebody else signed it, has another shape or another name', async () => {
    const [node] = await nodes.cluster(1)
    const stranger = await nodes.stranger()
    const bad = [
      { type: 'Heartbeat', from: '10.0.0.1:1#0000000000000001', sequence: 1 },
      { type: 'Heartbeat', sequence: 'one' },
      { type: 'GossipEnvelope', to: node!.id, gossip: { members: 'all' } },
      { type: 'TakeOver' },
    ]
    for (const message of bad) {
      const refused = nextEvent(node!.system, UnhandledMessage)
      stranger.say(node!, message)
      await refused
    }
    // Still well, and still answers.
    stranger.say(node!, { type: 'Heartbeat', sequence: 7 })
    expect(await stranger.hears()).toEqual({
      type: 'HeartbeatResponse',
      from: node!.id,
      sequence: 7,
    })
    expect(node!.cluster.state.members).toHaveLength(1)
  })

  test('cannot make a node a member, down or removed that has not asked for it', async () => {
    const [node] = await nodes.cluster(1)
    const stranger = await nodes.stranger()
    const { gossip } = node!.cluster.snapshot().membership
    const hostile = { ...gossip, members: [{ ...gossip.members[0], status: 'Down' }] }
    stranger.say(node!, { type: 'GossipEnvelope', to: node!.id, gossip: hostile })
    expect(await stranger.hears()).toMatchObject({ type: 'Standing', standing: 'stranger' })
    stranger.say(node!, { type: 'Standing', question: 0, standing: 'removed' })
    stranger.say(node!, { type: 'Welcome', gossip: hostile })
    stranger.say(node!, { type: 'Heartbeat', sequence: 1 })
    await stranger.hears()
    expect(node!.cluster.state.members).toMatchObject([{ node: node!.id, status: 'Up' }])
  })
})

describe('gossip that counts to the end', () => {
  test('is not taken over, and the cluster still lets newcomers in', async () => {
    const [first, second] = await nodes.cluster(2)
    const { gossip } = first!.cluster.snapshot().membership
    const end = 2 ** 48 - 1
    const version = gossip.version.map(([node, count]) => [node, node === first!.id ? end : count])
    const rows = { observer: first!.id, version: end, rows: [] }
    for (const change of [{ version }, { reachability: [rows] }, { lastUpNumber: 2 ** 31 - 2 }]) {
      const refused = nextEvent(first!.system, UnhandledMessage)
      const message = { type: 'GossipEnvelope', from: second!.id, to: first!.id }
      const packed = ['cluster.GossipEnvelope@2', { ...message, gossip: { ...gossip, ...change } }]
      second!.remoting.refAt(first!.id, '/system/cluster').tell(packed)
      expect(await refused).toMatchObject({ message: packed })
    }
    const third = await nodes.start({ seeds: [first!.address] })
    const all = [first!, second!, third]
    await until(all, 'three members', () => all.every((node) => areUp(node, all)))
  })
})

describe('a member that was downed while it lived', () => {
  test('is quarantined, hears so when it speaks, and ends itself only', async () => {
    const [first, second, third] = await nodes.cluster(3)
    const others = [first!, second!]
    // As if the news of its end never came: those who know have already closed the door.
    for (const { remoting } of others) remoting.quarantine(third!.id, 'for this test')
    await third!.cluster.whenRemoved
    expect(third!.system.shutdown.reason).toEqual({ type: 'downing' })
    expect(third!.cluster.isFrozen).toBe(true)
    await until(others, 'two members', () => others.every((node) => areUp(node, others)))
  })
})
