import { expect, test } from 'vitest'
import { defineProjection } from '../../src/projection/index.ts'
import {
  ClusterChecks,
  simulate,
  simulateSeeds,
  startSimulatedNode,
} from '../../src/simulation/index.ts'
import { addToReport, emptyReport } from '../../src/simulation/internals.ts'
import { cases } from '../how-long.ts'
import { Cart } from '../projection/shop.ts'
import { type KnownScenario, problemsOver, scenarios } from '../scenarios/index.ts'
import { projections } from '../scenarios/projections.ts'

const seeds = ['a:2552', 'b:2552']

test('the nodes of a cluster divide the ranges, and take those of one that leaves', async () => {
  await simulate('projections', {
    seeds: 3,
    scenario: async (simulation) => {
      const checks = new ClusterChecks(simulation)
      const seen: string[] = []
      const carts = defineProjection({
        name: 'carts',
        from: Cart,
        handle: ({ id, sequenceNr }) => void seen.push(`${id} ${sequenceNr}`),
        settings: { answerTimeoutMs: 500 },
      })
      const start = (name: string) =>
        startSimulatedNode(simulation, name, {
          ...{ entities: [Cart], projections: [carts], seeds },
          beforeJoin: (node, life) => checks.attach(node, life),
        })
      const [a, b] = await simulation.settle(Promise.all([start('a'), start('b')]))
      for (const id of ['ann', 'bob', 'cid']) {
        await simulation.settle(a.entity(Cart, id).add('tea', 1))
      }
      await simulation.runUntil(() => seen.length === 3, { within: '20s' })
      await simulation.run({ for: '60s' })
      const status = await simulation.settle(a.projection('carts').status())
      expect(status).toMatchObject({ name: 'carts', missing: [], unanswered: [] })
      const shares = [a, b].map(
        (node) => status.ranges.filter((range) => range.node === node.id).length,
      )
      expect(shares).toEqual([8, 8])
      expect(status.ranges.every(({ behindMs }) => behindMs === 0)).toBe(true)
      simulation.pause('b', '1s')
      const asked = await simulation.settle(a.projection('carts').status())
      expect(asked).toMatchObject({ unanswered: [b.id] })
      expect(asked.missing).toHaveLength(8)
      await simulation.run({ for: '10s' })
      const stopped = b.stop()
      await simulation.settle(stopped)
      await simulation.settle(a.entity(Cart, 'ann').order())
      await simulation.runUntil(() => seen.includes('ann 2'), { within: '20s' })
      await simulation.run({ for: '10s' })
      const after = await simulation.settle(a.projection('carts').status())
      expect(after.ranges.map(({ node }) => node)).toEqual(Array(16).fill(a.id))
      expect([...seen].sort()).toEqual(['ann 1', 'ann 2', 'bob 1', 'cid 1'])
    },
  })
})

test('every event is handled, in order and by one worker at a time, while nodes come, go and fail', async () => {
  const results = []
  const seedCount = cases({ short: 6, full: 300 })
  for await (const result of simulateSeeds({ scenario: projections, seeds: seedCount })) {
    results.push(result)
  }
  expect(results.flatMap(({ violations }) => violations)).toEqual([])
  const report = results.reduce(addToReport, emptyReport)
  expect(problemsOver(report, scenarios.get('projections') as KnownScenario)).toEqual([])
}, 600_000)
