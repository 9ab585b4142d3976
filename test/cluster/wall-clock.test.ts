import { expect, test } from 'vitest'
import type { SherdNode } from '../../src/node/index.ts'
import { type Simulation, simulate, startSimulatedNode } from '../../src/simulation/index.ts'
import { Network, type Node } from './network.ts'

const names = ['a', 'b', 'c']

async function nodesOf(simulation: Simulation): Promise<SherdNode[]> {
  const seeds = names.map((name) => `${name}:2552`)
  const starting = names.map((name) => startSimulatedNode(simulation, name, { seeds }))
  return simulation.settle(Promise.all(starting))
}

/** What each node has been told of freezing, from now on. */
function freezesOf(nodes: readonly SherdNode[]): readonly string[][] {
  return nodes.map(({ cluster }) => {
    const story: string[] = []
    cluster.subscribe((event) => {
      if (event.type === 'Frozen') story.push(`Frozen ${event.reason}`)
      if (event.type === 'Thawed') story.push('Thawed')
    })
    return story
  })
}

const slept = ['Frozen paused', 'Thawed']

test.each([
  ['of one is set forward: it freezes, asks and goes on', ['a'], 3_600_000, [slept, [], []]],
  [
    'of all are set forward at once: they vouch for each other',
    names,
    2_000,
    [slept, slept, slept],
  ],
  ['of all are set back: nothing happens', names, -3_600_000, [[], [], []]],
])('the wall clocks %s', async (_, whose, byMs, stories) => {
  await simulate('a wall clock that jumps', {
    seeds: 3,
    scenario: async (simulation) => {
      const nodes = await nodesOf(simulation)
      const heard = freezesOf(nodes)
      for (const name of whose) simulation.stepWallClock(name, byMs)
      await simulation.run({ for: '5s' })
      expect(heard).toEqual(stories)
      expect(nodes.map(({ cluster }) => cluster.state.members.length)).toEqual([3, 3, 3])
    },
  })
})

test('a machine that wakes after it was given up is frozen, and ends, although its clock stood still', () => {
  const network = new Network()
  const seeds = ['a:1', 'b:1', 'c:1']
  const [a, b, sleeper] = seeds.map((address) => network.start(address, seeds)) as [
    Node,
    Node,
    Node,
  ]
  network.runUntil('a whole cluster', () => network.isWhole, 30_000)
  network.give(sleeper, { type: 'Look', wallMs: 1_000_000 })
  const asleepAt = network.now
  network.sleep(sleeper, 60_000)
  network.run(30_000)
  expect([a, b].map(({ machine }) => machine.gossip.members.length)).toEqual([2, 2])
  const { machine } = sleeper
  const woken = machine.step({ type: 'Look', wallMs: 1_030_000 }, asleepAt + 5)
  expect(woken).toContainEqual({ type: 'Publish', event: { type: 'Frozen', reason: 'paused' } })
  const word = { type: 'Standing', question: 1, standing: 'removed' } as const
  const receivedAtMs = asleepAt + 10
  const received = { type: 'Received', message: { ...word, from: a.id }, receivedAtMs } as const
  const effects = machine.step(received, receivedAtMs)
  expect(effects).toContainEqual({ type: 'ShutDown', reason: 'downing', problems: [] })
  expect(machine.isFrozen).toBe(true)
})
