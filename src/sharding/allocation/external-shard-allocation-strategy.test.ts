import { describe, expect, test } from 'vitest'
import type { MemberStatus } from '../../cluster/index.ts'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { MemoryJournal } from '../../persistence/index.ts'
import { ManualTime } from '../../testkit/index.ts'
import { ExternalShardAllocation } from '../external-shard-allocation.ts'
import type { ShardId } from '../shard-id.ts'
import { ExternalShardAllocationStrategy } from './external-shard-allocation-strategy.ts'

const [a, b] = [1, 2].map((host) => nodeIdOf(`10.0.0.${host}:2552`, 1n)) as [NodeId, NodeId]
const cluster = {
  members: new Map<NodeId, MemberStatus>([a, b].map((node) => [node, 'Up'])),
  unreachable: new Set<NodeId>(),
}
const allocations = new Map<NodeId, ShardId[]>([
  [a, [1, 2]],
  [b, []],
])

/** With `isSilent` the store never answers. */
function stage() {
  const time = new ManualTime()
  const { environment } = time
  const journal = new MemoryJournal()
  const state = { isSilent: false, reads: 0 }
  const read = journal.readRegister.bind(journal)
  journal.readRegister = (name) => {
    state.reads++
    return state.isSilent ? new Promise(() => undefined) : read(name)
  }
  const client = new ExternalShardAllocation({
    ...{ entityType: 'Cart', journal, timers: environment.timers, numberOfShards: undefined },
  })
  const strategy = new ExternalShardAllocationStrategy({ timeoutMs: 250 })
  strategy.start({ entityType: 'Cart', node: a, environment, journal })
  const allocate = (shard: ShardId, requester?: NodeId) =>
    strategy.allocateShard({ shard, requester, allocations: new Map(allocations), cluster })
  const rebalance = () =>
    strategy.rebalance({ allocations: new Map(allocations), inProgress: new Set(), cluster })
  return { time, state, client, strategy, allocate, rebalance }
}

describe('SH-026 what the external strategy says', () => {
  test('a shard goes to its place, and one without to whoever asks', async () => {
    const { client, allocate, rebalance } = stage()
    await client.updateShardLocation(7, a)
    expect(await allocate(7, b)).toEqual({ home: a, why: 'It was given the place 10.0.0.1:2552.' })
    expect(await allocate(8, b)).toEqual({
      home: b,
      why: 'It has no place, and this node asked first.',
    })
    expect(await rebalance()).toEqual([])
  })

  test('where nobody asks, or who asks cannot host, the node with the fewest gets it', async () => {
    const { allocate } = stage()
    const why = 'It has no place. It had the fewest shards, 0, of 2 nodes.'
    expect(await allocate(8)).toEqual({ home: b, why })
    expect(await allocate(8, 'proxy')).toEqual({ home: b, why })
  })

  test('a place where nobody hosts is waited for', async () => {
    const { client, allocate, rebalance } = stage()
    await client.updateShardLocations(
      new Map([
        [1, '10.0.0.9:2552'],
        [8, '10.0.0.9:2552'],
      ]),
    )
    expect(await allocate(8, a)).toEqual({
      home: a,
      why: 'Its place is 10.0.0.9:2552, which does not host now, and this node asked first.',
    })
    expect(await rebalance()).toEqual([])
  })

  test('what stands elsewhere moves, unless it does already', async () => {
    const { client, strategy, rebalance } = stage()
    await client.updateShardLocations(
      new Map([
        [1, b],
        [2, b],
      ]),
    )
    expect(await rebalance()).toEqual([1, 2])
    const inProgress = new Set([1])
    expect(await strategy.rebalance({ allocations, inProgress, cluster })).toEqual([2])
    const members = new Map<NodeId, MemberStatus>([
      [a, 'Up'],
      [b, 'Leaving'],
    ])
    const leaving = {
      allocations: new Map(allocations),
      inProgress,
      cluster: { ...cluster, members },
    }
    expect(await strategy.rebalance(leaving)).toEqual([])
  })

  test('a store that is silent for 250 ms leaves new shards to whoever asks, and moves nothing', async () => {
    const { time, state, allocate, rebalance } = stage()
    state.isSilent = true
    const chosen = allocate(7, b)
    const moved = rebalance()
    await time.advance('250ms')
    expect(await chosen).toEqual({
      home: b,
      why: 'The store did not say in time where it should be, and this node asked first.',
    })
    expect(await moved).toEqual([])
  })

  test('one question reads once, however many shards it is about', async () => {
    const { state, strategy } = stage()
    const request = { requester: a, allocations, cluster }
    for (const shard of [7, 8, 9]) await strategy.allocateShard({ shard, ...request })
    expect(state.reads).toBe(1)
  })

  test('the client gives up in time, and says so', async () => {
    const { time, state, client } = stage()
    state.isSilent = true
    const asked = client.shardLocations({ timeout: '1s' }).catch((error: unknown) => error)
    const changed = client.removeShardLocations([1]).catch((error: unknown) => error)
    await time.advance('5s')
    expect(await asked).toMatchObject({ code: 'SHARD_LOCATIONS_TIMEOUT' })
    expect(await changed).toMatchObject({ code: 'SHARD_LOCATIONS_TIMEOUT' })
  })

  test('more places than a register is for are refused, and nothing of them is kept', async () => {
    const { client } = stage()
    const many = Array.from({ length: 50_000 }, (_, shard): [ShardId, NodeId] => [shard, a])
    await expect(client.updateShardLocations(new Map(many))).rejects.toMatchObject({
      code: 'INVALID_SHARD_LOCATIONS',
    })
    expect((await client.shardLocations()).revision).toBe(0)
    await client.updateShardLocations(new Map(many.slice(0, 15_000)))
    expect((await client.shardLocations()).locations.size).toBe(15_000)
  })
})
