import { afterEach, expect, test } from 'vitest'
import { type ClusterEvent, InvalidAddress } from '../../src/cluster/index.ts'
import { InvalidSettings } from '../../src/actor/index.ts'
import { ClusterNodes } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

test('CL-001 a node joins itself: Up, leader, and the listener hears it in order', async () => {
  const node = await nodes.start()
  const { cluster } = node
  expect(cluster.state).toEqual({ members: [], unreachable: new Set(), leader: undefined })
  const heard: ClusterEvent['type'][] = []
  const states: number[] = []
  cluster.subscribe((event) => {
    heard.push(event.type)
    states.push(cluster.state.members.length)
  })
  cluster.join(node.address)
  await cluster.whenUp
  expect(cluster.state.members).toMatchObject([{ node: node.id, status: 'Up', upNumber: 1 }])
  expect(cluster.state.leader).toBe(node.id)
  expect(heard).toEqual(['MemberJoined', 'LeaderChanged', 'MemberUp'])
  // What an event says is already so when it is told.
  expect(states).toEqual([1, 1, 1])
})

test('CL-001 a stranger that asks to join is told no before, and yes after', async () => {
  const node = await nodes.start()
  const stranger = await nodes.stranger()
  stranger.say(node, { type: 'InitJoin', agreement: {} })
  expect(await stranger.hears()).toEqual({ type: 'InitJoinNack', from: node.id })
  node.cluster.join(node.address)
  await node.cluster.whenUp
  stranger.say(node, { type: 'InitJoin', agreement: {} })
  expect(await stranger.hears()).toMatchObject({ type: 'InitJoinAck', from: node.id })
})

test('CL-001 malformed addresses fail at once, others do not', async () => {
  const { cluster } = await nodes.start()
  const bad = [
    'in_valid:1',
    'invalid._org:1',
    'a',
    'a:',
    'a:0',
    'a:70000',
    'a b:1',
    '',
    ':1',
    'a:1:2',
  ]
  for (const address of bad) {
    expect(() => cluster.join(address)).toThrow(InvalidAddress)
    expect(() => cluster.joinSeeds(['a:1', address])).toThrow(InvalidAddress)
  }
  expect(() => cluster.joinSeeds([])).toThrow(InvalidAddress)
  for (const address of ['is_valid.org:2552', '[::1]:2552', '10.0.0.7:2552']) {
    expect(() => cluster.join(address)).not.toThrow()
  }
})

test('settings are checked at the start, all at once', async () => {
  const settings = { tickIntervalMs: 0, monitoredByMembers: -1 }
  const wrong = nodes.start({ cluster: settings, roles: [''] })
  await expect(wrong).rejects.toThrow(InvalidSettings)
  await expect(wrong).rejects.toThrow(/tickIntervalMs[^]*monitoredByMembers[^]*roles/)
})
