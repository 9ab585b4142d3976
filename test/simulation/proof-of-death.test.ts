/** Whole nodes on machines: how soon an entity answers again when its process was killed, with proof and without. */
import { expect, test } from 'vitest'
import { CallError, defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import {
  ClusterChecks,
  simulate,
  type SimulatedNodeOptions,
  type Simulation,
  startSimulatedNode,
} from '../../src/simulation/index.ts'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Incremented: (state) => ({ count: state.count + 1 }) },
  commands: {
    increment: (self) => self.persist('Incremented').count,
    get: (self) => self.state.count,
  },
})

const names = ['a', 'b', 'c']
const seeds = names.map((name) => `${name}:2552`)
const ids = Array.from({ length: 12 }, (_, index) => `counter-${index}`)

/** Three nodes whose counters all have been called; the place of each is told by its machine. */
async function form(
  simulation: Simulation,
  machineOf: (name: string) => string,
  options: SimulatedNodeOptions = {},
): Promise<SherdNode[]> {
  const checks = new ClusterChecks(simulation)
  const start = (name: string) =>
    startSimulatedNode(simulation, name, {
      ...{ entities: [Counter], seeds, machine: machineOf(name), ...options },
      beforeJoin: (node, life) => checks.attach(node, life),
    })
  const nodes = await simulation.settle(Promise.all(names.map(start)))
  await simulation.settle(Promise.all(ids.map((id) => nodes[1]!.entity(Counter, id).increment())))
  return nodes
}

/** What was on its way to the dead is lost, and asked again. */
async function ask(caller: SherdNode, id: string): Promise<number> {
  for (;;) {
    try {
      return await caller.entity(Counter, id, { timeout: '200ms' }).get()
    } catch (error) {
      if (!(error instanceof CallError)) throw error
    }
  }
}

/** Kills them, and answers how long it took until every counter has answered through the node that is left. */
async function gapMs(
  simulation: Simulation,
  caller: SherdNode,
  ...victims: readonly string[]
): Promise<number> {
  const killedAt = simulation.now
  for (const name of victims) simulation.crash(name)
  const counts = await simulation.settle(Promise.all(ids.map((id) => ask(caller, id))))
  expect(counts).toEqual(ids.map(() => 1))
  return simulation.now - killedAt
}

test.each([
  ['one of three', ['c']],
  ['the first seed', ['a']],
  ['two of three, the first seed among them', ['a', 'c']],
])('on one machine %s may die: every entity answers again within a second', async (_, victims) => {
  await simulate('proof', {
    seeds: 5,
    scenario: async (simulation) => {
      const nodes = await form(simulation, () => 'one')
      expect(await gapMs(simulation, nodes[1]!, ...victims)).toBeLessThan(1_000)
      expect(nodes[1]!.cluster.isFrozen).toBe(false)
    },
  })
})

test.each([
  ['on machines of their own', (name: string) => `of-${name}`, {}],
  [
    'where the setting says not to look',
    () => 'one',
    { settings: { cluster: { processLookIntervalMs: Infinity } } },
  ],
])(
  '%s there is no proof, and one that died is given up as before',
  async (_, machineOf, options) => {
    await simulate('no proof', {
      seeds: 3,
      scenario: async (simulation) => {
        const nodes = await form(simulation, machineOf, options)
        expect(await gapMs(simulation, nodes[1]!, 'c')).toBeGreaterThan(2_400)
      },
    })
  },
)

test('a machine that dies with its node proves nothing', async () => {
  await simulate('power cut', {
    seeds: 3,
    scenario: async (simulation) => {
      const nodes = await form(simulation, () => 'one')
      simulation.crash('c', 'host')
      const [first = ''] = ids
      const began = simulation.now
      await simulation.runUntil(() => nodes[1]!.cluster.state.members.length === 2)
      expect(simulation.now - began).toBeGreaterThan(2_400)
      expect(await simulation.settle(ask(nodes[1]!, first))).toBe(1)
    },
  })
})
