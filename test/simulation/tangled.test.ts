import { expect, test } from 'vitest'
import {
  simulate,
  type Simulation,
  simulateSeeds,
  startSimulatedNode,
} from '../../src/simulation/index.ts'
import { emptyReport } from '../../src/simulation/internals.ts'
import { cases } from '../how-long.ts'
import { strategies } from '../scenarios/strategies.ts'
import { tangledTable } from '../scenarios/tangled.ts'
import { TwoSides } from '../scenarios/tangled/two-sides.ts'

/** Four nodes in two halves that do not see each other; each half is told to give the other up, or only the first one is. */
async function parted(simulation: Simulation, areBothTold: boolean) {
  const found: string[] = []
  const sides = new TwoSides((one, other) => found.push([one, other].sort().join()))
  const names = ['a', 'b', 'c', 'd']
  const started = names.map((name) =>
    startSimulatedNode(simulation, name, {
      ...{ seeds: names.map((each) => `${each}:2552`), machine: `of-${name}` },
      settings: { cluster: { downing: { strategy: 'keep-majority', stableAfterMs: 60_000 } } },
      beforeJoin: (node, life) => sides.attach(node, life),
    }),
  )
  const nodes = await simulation.settle(Promise.all(started))
  const [a, b, c, d] = nodes
  await simulation.runUntil(() => nodes.every(({ cluster }) => cluster.state.members.length === 4))
  simulation.network.partition(['a', 'b'], ['c', 'd'])
  await simulation.run({ for: '1s' })
  for (const other of [c, d]) a!.cluster.down(other!.id)
  if (areBothTold) for (const other of [a, b]) c!.cluster.down(other!.id)
  await simulation.run({ for: '20s' })
  return { found: [...new Set(found)].sort(), left: sides.goingOn.map(({ life }) => life.name) }
}

test('two sides that were told to go on without each other are found, and one side is not', async () => {
  await simulate('two sides', {
    seeds: 1,
    scenario: async (simulation) => {
      const { found, left } = await parted(simulation, true)
      expect(left).toEqual(['a', 'b', 'c', 'd'])
      expect(found).toEqual(['a#1,c#1', 'a#1,d#1', 'b#1,c#1', 'b#1,d#1'])
    },
  })
  await simulate('one side', {
    seeds: 1,
    scenario: async (simulation) => {
      const { found, left } = await parted(simulation, false)
      expect(left).toEqual(['a', 'b'])
      expect(found).toEqual([])
    },
  })
})

test('at most one side goes on under every strategy, in one data center or two', async () => {
  const runs = { scenario: strategies, seeds: cases({ short: 1, full: 100 }) }
  for await (const { seed, violations } of simulateSeeds(runs)) {
    expect({ seed, violations }).toEqual({ seed, violations: [] })
  }
}, 900_000)

test('the table of tangles tells counts and rates of every strategy', () => {
  const places = { 'keep-majority: nobody survived': { times: 3, seeds: 3 } }
  const table = tangledTable({ ...emptyReport, seeds: 40, places })
  expect(table).toHaveLength(8)
  expect(table).toContain(
    '| `keep-majority` | 40 | 0 (0.0 %) | 3 (7.5 %) | 0 (0.0 %) | 0 (0.0 %) |',
  )
})
