import { expect, test } from 'vitest'
import { compareAddresses } from '../../src/foundation/node-id.ts'
import type { NodeProcess } from './harness/node-process.ts'
import { nodesForTest } from './harness/scene.ts'
import type { EntityNode } from './nodes/entity-node.ts'

const noRebalance = { rebalanceIntervalMs: 3_600_000 }

/** Ids of counters in shards of their own: `count` of them. */
async function idsInShards(node: NodeProcess<EntityNode>, count: number): Promise<string[]> {
  const ids = new Map<number, string>()
  for (let n = 1; ids.size < count; n++) {
    const { shard } = await node.call('homeOf', `${n}`)
    if (!ids.has(shard)) ids.set(shard, `${n}`)
  }
  return [...ids.values()]
}

const nodeIdOf = async (node: NodeProcess<EntityNode>): Promise<string> =>
  (await node.call('view')).self

test('SH-001, SH-002 one process hosts and answers; a second one takes new shards and is reached', async () => {
  const nodes = nodesForTest()
  const seeds = await nodes.addresses(['a'])
  const a = await nodes.start('a', { seeds, sharding: noRebalance })
  const [one = '', two = '', eleven = '', twelve = ''] = await idsInShards(a, 4)
  expect(await a.call('add', one, 1, 1, 1, -1)).toEqual([1, 2, 3, 2])
  expect(await a.call('get', one)).toBe(2)
  const here = await nodeIdOf(a)
  expect(await a.call('homes')).toEqual([here])

  const b = await nodes.start('b', { seeds, sharding: noRebalance })
  const there = await nodeIdOf(b)
  expect(await b.call('add', two, 1, 1, 1, -1)).toEqual([1, 2, 3, 2])
  expect(await b.call('add', eleven, 1)).toEqual([1])
  expect(await b.call('add', twelve, 1)).toEqual([1])
  expect(await a.call('add', two, 1)).toEqual([3])
  for (const node of [a, b]) {
    expect(await node.call('get', one)).toBe(2)
    expect(await node.call('get', two)).toBe(3)
    expect(await node.call('get', eleven)).toBe(1)
    expect(await node.call('get', twelve)).toBe(1)
    expect((await node.call('homeOf', two)).node).toBe(there)
    expect([...(await node.call('homes'))].sort()).toEqual([here, here, there, there].sort())
  }
})

test('SH-005 shards of a process that was killed live on, with what was stored', async () => {
  const nodes = nodesForTest()
  const names = ['a', 'b'].map((name) => ({ name, address: '' }))
  for (const seat of names) seat.address = await nodes.processes.addressOf(seat.name)
  // Of two, the side of the lowest address goes on.
  names.sort((x, y) => compareAddresses(x.address, y.address))
  const seeds = names.map(({ address }) => address)
  const [first, second] = await nodes.form(
    names.map(({ name }) => name),
    { seeds, sharding: noRebalance },
  )
  if (first === undefined || second === undefined) throw new Error('two were started')
  const ids = await idsInShards(first, 4)
  // Each has a value of its own.
  for (const [index, id] of ids.entries()) {
    expect(await second.call('add', id, 1, index)).toEqual([1, index + 1])
  }
  const there = await nodeIdOf(second)
  const homes = await Promise.all(ids.map((id) => second.call('homeOf', id)))
  expect(homes.filter(({ node }) => node === there)).toHaveLength(2)

  const here = await nodeIdOf(first)
  await second.kill()
  const killedMs = performance.now()
  await first.news.next('MemberRemoved', { node: there })
  for (const [index, id] of ids.entries()) {
    expect(await first.call('get', id)).toBe(index + 1)
    expect((await first.call('homeOf', id)).node).toBe(here)
  }
  expect(performance.now() - killedMs).toBeLessThan(30_000)
})

test('SH-044 the oldest process ends on SIGTERM: all entities answer from the other', async () => {
  const nodes = nodesForTest()
  const [first, second] = await nodes.form(['a', 'b'], { stopTakesMs: 50, sharding: noRebalance })
  if (first === undefined || second === undefined) throw new Error('two were started')
  const ids = Array.from({ length: 100 }, (_, n) => `entity ${n}`)
  const [here, there] = await Promise.all([nodeIdOf(first), nodeIdOf(second)])
  const { members } = await second.call('view')
  expect(members.find(({ upNumber }) => upNumber === 1)?.node).toBe(here)
  await Promise.all(ids.map((id) => second.call('add', id, 5)))
  expect(new Set(await second.call('homes'))).toEqual(new Set([here, there]))
  const before = await second.call('whereAre', ids)
  expect(new Set(before)).toEqual(new Set([here, there]))
  // The region of a type without a shard is gone within 5 s.
  await Promise.all([first, second].map((node) => node.callWithin(5_000, 'endIdle')))

  const toldFirst = first.news.mark
  const begunMs = performance.now()
  expect(await first.terminate()).toMatchObject({ code: 0, signal: null })
  expect(await second.call('whereAre', ids)).toEqual(ids.map(() => there))
  const values = await Promise.all(ids.map((id) => second.call('add', id, 1)))
  expect(values).toEqual(ids.map(() => [6]))
  expect(performance.now() - begunMs).toBeLessThan(30_000)
  expect(new Set(await second.call('homes'))).toEqual(new Set([there]))

  // First what lived there, then the coordinator.
  const ends = first.news.since(toldFirst).filter(({ typeName }) => typeName === 'Lingering')
  expect(ends.map(({ type }) => type)).toEqual([
    ...before.filter((node) => node === here).map(() => 'EntityStopped'),
    'CoordinatorStopped',
  ])
})

/** How often each counter was started and not stopped again, on all these nodes together. */
function livesOf(nodes: readonly NodeProcess<EntityNode>[]): Map<unknown, number> {
  const lives = new Map<unknown, number>()
  for (const { type, typeName, entityId } of nodes.flatMap(({ news }) => news.since())) {
    const change = type === 'EntityStarted' ? 1 : type === 'EntityStopped' ? -1 : 0
    if (typeName !== 'Counter' || change === 0) continue
    lives.set(entityId, (lives.get(entityId) ?? 0) + change)
  }
  return lives
}

test('SH-007 a process that joins is given shards of the others, with what was stored', async () => {
  const nodes = nodesForTest()
  const limits = { rebalanceShardsMax: 2, rebalanceShareMax: 1 }
  const sharding = { rebalanceIntervalMs: 500, ...limits }
  const seeds = await nodes.addresses(['a'])
  const [first] = await nodes.form(['a', 'b', 'c', 'd'], { seeds, sharding })
  if (first === undefined) throw new Error('four were started')
  const ids = await idsInShards(first, 10)
  for (const id of ids) expect(await first.call('add', id, 1)).toEqual([1])

  const joined = await nodes.start('e', { seeds, sharding })
  const joinedMs = performance.now()
  const moved = new Set<unknown>()
  while (moved.size < 2) {
    const { shard } = await joined.news.find(
      `that it hosts ${moved.size + 1} of 2 shards`,
      (news) =>
        news.type === 'ShardStarted' && news['typeName'] === 'Counter' && !moved.has(news['shard']),
      { withinMs: 60_000 - (performance.now() - joinedMs) },
    )
    moved.add(shard)
  }
  for (const id of ids) expect(await joined.call('get', id)).toBe(1)
  const here = await nodeIdOf(joined)
  const homes = await Promise.all(ids.map((id) => joined.call('homeOf', id)))
  expect(homes.filter(({ node }) => node === here).length).toBeGreaterThanOrEqual(2)
  expect(performance.now() - joinedMs).toBeLessThan(60_000)
  // An answer of each comes after all it has told before.
  await Promise.all(nodes.running.map(nodeIdOf))
  expect(livesOf(nodes.running)).toEqual(new Map(ids.map((id) => [id, 1])))
}, 90_000)
