import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { ClusterChecks, simulate, startSimulatedNode } from '../../src/simulation/index.ts'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Incremented: (state, by: number) => ({ count: state.count + by }) },
  commands: { increment: (self, by: number) => self.persist('Incremented', by).count },
})

const seeds = ['a:2552', 'b:2552', 'c:2552']

test('whole nodes run in a simulation, and an entity survives the crash of its node', async () => {
  await simulate('counter', {
    seeds: 5,
    scenario: async (simulation) => {
      const checks = new ClusterChecks(simulation)
      const start = (name: string) =>
        startSimulatedNode(simulation, name, {
          entities: [Counter],
          seeds,
          beforeJoin: (node, life) => checks.attach(node, life),
        })
      const nodes = await simulation.settle(Promise.all(['a', 'b', 'c'].map(start)))
      for (const [index, node] of nodes.entries()) {
        const count = await simulation.settle(node.entity(Counter, 'visits').increment(1))
        expect(count).toBe(index + 1)
      }
      simulation.crash('a')
      const survivor = nodes[1]!
      await simulation.run({ for: '30s' })
      expect(await simulation.settle(survivor.entity(Counter, 'visits').increment(1))).toBe(4)
    },
  })
})
