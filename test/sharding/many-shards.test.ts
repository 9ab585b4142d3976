import { describe, expect, test } from 'vitest'
import { LeastShardAllocationStrategy } from '../../src/sharding/allocation/least-shard-allocation-strategy.ts'
import { defaultShardingSettings } from '../../src/sharding/index.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { World } from './machine-world.ts'

const { rebalanceShardsMax, rebalanceShareMax: shareMax, handOffsMax } = defaultShardingSettings

/** Nodes that host that many shards, and settings as they are when nobody says otherwise. */
function worldOf(nodes: number, numberOfShards: number, shardsMax = rebalanceShardsMax): World {
  const world = new World({
    random: new SeededRandom(3, 'many-shards'),
    latencyMs: [1, 5],
    settings: { numberOfShards },
  })
  world.strategy = new LeastShardAllocationStrategy({ shardsMax, shareMax })
  for (let index = 0; index < nodes; index++) world.addNode(`n${index}`)
  world.startCoordinator()
  for (const node of world.nodes) world.join(node)
  world.network.run(1_000)
  for (let shard = 0; shard < numberOfShards; shard++) {
    world.send(world.nodes[shard % nodes]!, shard)
    if (shard % 500 === 499) world.network.run(100)
  }
  world.network.run(3_000)
  return world
}

const countsIn = (world: World): number[] =>
  world.working.map(({ hosts }) => hosts.size).sort((a, b) => a - b)

/** Another node joins: how long it takes until all have as many, and how many shards moved at once at most. */
function join(world: World, numberOfShards: number) {
  const begunMs = world.network.now
  world.join(world.addNode('new'))
  const even = numberOfShards / world.nodes.length
  let mostMoving = 0
  while (countsIn(world)[0] !== even && world.network.now - begunMs < 120_000) {
    world.network.run(100)
    mostMoving = Math.max(mostMoving, world.coordinator.machine.snapshot().handOffs.length)
  }
  return { seconds: (world.network.now - begunMs) / 1_000, mostMoving }
}

describe('a join in a large cluster', () => {
  test('with 10,000 shards on 10 nodes is balanced within a minute at defaults, and loses nothing', () => {
    const world = worldOf(9, 10_000)
    const { seconds, mostMoving } = join(world, 10_000)
    expect(countsIn(world)).toEqual(Array.from({ length: 10 }, () => 1_000))
    expect(seconds).toBeLessThan(60)
    expect(mostMoving).toBe(handOffsMax)
    expect(world.delivered.size).toBe(world.sent.length)
  })

  test('that needs many rounds does not wait for the interval between them', () => {
    const { seconds, mostMoving } = join(worldOf(1, 2_000), 2_000)
    // Five rounds of a tenth each; by the interval alone it would be more than 40 s.
    expect(seconds).toBeLessThan(25)
    expect(mostMoving).toBe(handOffsMax)
  })

  test('keeps a limit that was given, round by round', () => {
    const { seconds, mostMoving } = join(worldOf(1, 200, 5), 200)
    expect(mostMoving).toBe(5)
    expect(seconds).toBeLessThan(25)
  })
})

describe('what was chosen', () => {
  /** One node with all shards and one without, and a strategy that wants these elsewhere, and goes on wanting it. */
  function wanting(shards: readonly number[], settles: boolean) {
    const world = worldOf(1, 200)
    world.join(world.addNode('new'))
    world.network.run(1_000)
    const to = world.nodes[1]!.id
    world.strategy = {
      allocateShard: () => to,
      rebalance: () => shards,
      settles,
    }
    return { world, moves: () => world.stored.lastEpoch - 200 }
  }
  const all = Array.from({ length: 200 }, (_, shard) => shard)

  test('moves once per interval, however often a strategy that says it settles wants it', () => {
    const { world, moves } = wanting([7], true)
    world.network.run(10_000)
    const first = moves()
    world.network.run(30_000)
    expect([first, moves()]).toEqual([1, 4])
  })

  test('and is not under way stays where it is when the members change', () => {
    const { world, moves } = wanting(all, false)
    world.doShardsLinger = true
    world.network.fire(world.coordinator, 'rebalance')
    world.network.run(100)
    expect(world.coordinator.machine.snapshot().handOffs).toHaveLength(handOffsMax)
    world.join(world.addNode('another'))
    for (const shard of all) world.stopShard(world.nodes[0]!, shard)
    world.network.run(1_000)
    expect(moves()).toBe(handOffsMax)
    expect(world.coordinator.machine.snapshot().handOffs).toEqual([])
  })
})
