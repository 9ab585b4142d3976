import { afterEach, expect, test } from 'vitest'
import { type ClusterEvent, type CurrentState, InvalidAddress } from '../../src/cluster/index.ts'
import { InvalidSettings } from '../../src/actor/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { nodeFor } from '../node/nodes.ts'
import { ClusterNodes, until } from './cluster-nodes.ts'

const nodes = new ClusterNodes()
afterEach(() => nodes.stop())

test('CL-001 a node joins itself: Up, leader, and the listener hears it in order', async () => {
  const node = await nodes.start()
  const { cluster } = node
  expect(cluster.state).toEqual({
    members: [],
    unreachable: new Set(),
    unreachableDataCenters: new Set(),
    leader: undefined,
  })
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

test('CL-001 without an address a node joins itself, and its version is seen', async () => {
  const { cluster, id, events } = await nodes.start({ appVersion: '1.2.3' })
  cluster.join()
  await cluster.whenUp
  const self = { node: id, status: 'Up', appVersion: '1.2.3' }
  expect(cluster.state).toMatchObject({ members: [self], leader: id })
  expect(cluster.selfMember).toMatchObject(self)
  expect(events.find(({ type }) => type === 'MemberUp')).toMatchObject({ member: self })
})

test('CL-001 every member sees the version of every other; who says nothing is 0.0.0', async () => {
  const first = await nodes.start({ appVersion: '1.2.3', seeds: ['self'] })
  const seeds = [first.address]
  const second = await nodes.start({ appVersion: '1.3.0-rc.1', seeds })
  const third = await nodes.start({ seeds })
  const all = [first, second, third]
  const isUp = (): boolean =>
    all.every(({ cluster: { state } }) => {
      const up = state.members.filter(({ status }) => status === 'Up')
      return up.length === all.length
    })
  await until(all, 'three members Up', isUp)
  const expected = new Map([
    [first.id, '1.2.3'],
    [second.id, '1.3.0-rc.1'],
    [third.id, '0.0.0'],
  ])
  for (const { cluster } of all) {
    const seen = cluster.state.members.map(({ node, appVersion }) => [node, appVersion] as const)
    expect(new Map(seen)).toEqual(expected)
  }
})

test('CL-001 startNode takes the version, and other nodes see it', async () => {
  const store = new MemoryJournal()
  const first = await nodeFor({ store, appVersion: '1.2.3' })
  const second = await nodeFor({ store, appVersion: '1.2.4', seeds: [first.address] })
  const versions = second.cluster.state.members.map(({ appVersion }) => appVersion)
  expect(versions.sort()).toEqual(['1.2.3', '1.2.4'])
})

test('CL-001 a listener can be told first what is there, as a snapshot or as events', async () => {
  const [first, second, third] = await nodes.cluster(3)
  const { cluster, id } = first!
  await nodes.kill(third!)
  await until([first!], 'the dead is unreachable', () => cluster.state.unreachable.has(third!.id))
  const silent: ClusterEvent[] = []
  const whole: (ClusterEvent | CurrentState)[] = []
  const replayed: ClusterEvent[] = []
  cluster.subscribe((event) => silent.push(event))
  cluster.subscribe((event) => whole.push(event), { initial: 'snapshot' })
  cluster.subscribe((event) => replayed.push(event), { initial: 'events' })
  expect(silent).toEqual([])
  expect(whole).toEqual([{ type: 'CurrentState', state: cluster.state }])
  const { members, leader } = cluster.state
  // A busy machine may have frozen it by now, which is told last.
  expect(replayed.filter(({ type }) => type !== 'Frozen')).toEqual([
    ...members.map((member) => ({ type: 'MemberUp', member })),
    { type: 'UnreachableMember', member: members.find(({ node }) => node === third!.id) },
    { type: 'LeaderChanged', leader },
  ])

  cluster.leave(second!.id)
  const left = (heard: readonly (ClusterEvent | CurrentState)[]): number =>
    heard.filter((event) => event.type === 'MemberLeft').length
  await until([first!], 'the leave', () => left(silent) > 0)
  // From then on all hear the same, once.
  expect([left(silent), left(whole), left(replayed)]).toEqual([1, 1, 1])
  expect(members.map(({ node }) => node)).toContain(id)
})

test('CL-001 who comes to a frozen node is told so by the events', async () => {
  const [survivor, ...others] = await nodes.cluster(3)
  const { cluster } = survivor!
  await Promise.all(others.map((node) => nodes.kill(node)))
  await until([survivor!], 'the freeze', () => cluster.isFrozen)
  const replayed: ClusterEvent[] = []
  cluster.subscribe((event) => replayed.push(event), { initial: 'events' })
  // On a busy machine it may have been held up before it missed the others.
  const reason = expect.stringMatching(/^(minority|paused)$/) as string
  expect(replayed.at(-1)).toEqual({ type: 'Frozen', reason })
})

test('CL-001 before it has joined there is nothing to replay, and the snapshot is empty', async () => {
  const { cluster } = await nodes.start()
  const heard: (ClusterEvent | CurrentState)[] = []
  const wrong = { initial: 'all' as 'events' }
  expect(() => cluster.subscribe(() => undefined, wrong)).toThrow(/initial must be .* not 'all'/)
  cluster.subscribe((event) => heard.push(event), { initial: 'events' })
  expect(heard).toEqual([])
  const end = cluster.subscribe((event) => heard.push(event), { initial: 'snapshot' })
  const state = {
    members: [],
    unreachable: new Set(),
    unreachableDataCenters: new Set(),
    leader: undefined,
  }
  expect(heard).toEqual([{ type: 'CurrentState', state }])
  end()
  cluster.join()
  await cluster.whenUp
  const later = heard.slice(1).map(({ type }) => type)
  expect(later).toEqual(['MemberJoined', 'LeaderChanged', 'MemberUp'])
})

test('CL-001 a stranger that asks to join is told no before, and yes after', async () => {
  const node = await nodes.start()
  const stranger = await nodes.stranger()
  stranger.say(node, { type: 'InitJoin', agreement: {} })
  expect(await stranger.hears()).toEqual({ type: 'InitJoinNack', from: node.id, isEnding: false })
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
  const wrong = nodes.start({ cluster: settings, roles: [''], appVersion: 'latest' })
  await expect(wrong).rejects.toThrow(InvalidSettings)
  await expect(wrong).rejects.toThrow(
    /tickIntervalMs[^]*monitoredByMembers[^]*roles[^]*appVersion must be .* not "?'?latest/,
  )
})
