/** What is said, and looked at, when there are very many shards: work is counted, not time. */
import { expect, test } from 'vitest'
import { ShardPlaces } from '../../src/sharding/region/shard-places.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { World } from './machine-world.ts'

const numberOfShards = 5_000
const perNode = numberOfShards / 10

/** Ten regions with all shards at home, and from now on every letter is counted by what it says. */
function settledWorld() {
  const random = new SeededRandom(1, 'many shards')
  const world = new World({ random, latencyMs: [1, 3], settings: { numberOfShards } })
  const nodes = Array.from({ length: 10 }, (_, index) => world.addNode(`n${index}`))
  world.startCoordinator()
  for (const node of nodes) world.join(node)
  world.network.run(1_000)
  for (let shard = 0; shard < numberOfShards; shard++) world.send(nodes[shard % 10]!, shard)
  world.network.run(3_000)
  const said = new Map<string, number>()
  const { network } = world
  const send = network.send.bind(network)
  network.send = (letter) => {
    const name = letter.message?.type
    if (name !== undefined) said.set(name, (said.get(name) ?? 0) + 1)
    send(letter)
  }
  return { world, nodes, said }
}

/** How many places are looked at one by one while `work` runs. */
function placesVisited(work: () => void): number {
  const original = Object.getOwnPropertyDescriptor(ShardPlaces.prototype, Symbol.iterator)!
  let visited = 0
  Object.defineProperty(ShardPlaces.prototype, Symbol.iterator, {
    configurable: true,
    *value(this: ShardPlaces) {
      for (const place of (original.value as () => Iterable<unknown>).call(this)) {
        visited++
        yield place
      }
    },
  })
  try {
    work()
  } finally {
    Object.defineProperty(ShardPlaces.prototype, Symbol.iterator, original)
  }
  return visited
}

test('a leave says every word once, and nobody goes through all shards for an answer', () => {
  const { world, nodes, said } = settledWorld()
  expect(world.delivered.size).toBe(numberOfShards)
  const leaver = nodes[9]!
  const visited = placesVisited(() => {
    world.leave(leaver)
    world.network.run(5_000)
  })
  expect(leaver.isFinished).toBe(true)
  expect(world.lost.size + world.dropped.size).toBe(0)
  expect(Object.fromEntries(said)).toMatchObject({
    BeginHandOff: 10 * perNode,
    BeginHandOffAck: 10 * perNode,
    HandOff: perNode,
    ShardStopped: perNode,
    HostShard: perNode,
    ShardStarted: perNode,
  })
  // Once, to send a last flush behind what went to others; retries fell into the time as well.
  expect(visited).toBeLessThanOrEqual(numberOfShards)
})

test('a hand-off that begins in the moment of a retry is told once', () => {
  const { world, said } = settledWorld()
  world.strategy = {
    allocateShard: ({ allocations }) => [...allocations.keys()][0],
    rebalance: ({ allocations }) => [...allocations.values()].map(([first]) => first!).slice(0, 5),
  }
  world.network.fire(world.coordinator, 'rebalance')
  while (said.get('BeginHandOff') === undefined) world.network.run(0.1)
  expect(said.has('BeginHandOffAck')).toBe(false)
  world.network.fire(world.coordinator, 'retry')
  world.network.run(1_000)
  expect(said.get('BeginHandOff')).toBe(10 * 5)
})

test('a retry looks at fences alone', () => {
  const { world, nodes } = settledWorld()
  const visited = placesVisited(() => {
    for (const node of nodes) world.network.fire(node, 'retry')
  })
  expect(visited).toBe(0)
})
