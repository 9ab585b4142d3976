import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { simulate, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'

/** One that stores nothing: it lives once in each data center. */
const Tally = defineEntity('Tally', {
  state: () => ({ count: 0 }),
  commands: { add: (self) => ++self.state.count, count: (self) => self.state.count },
  rememberEntities: true,
})

/** One with events: there is one stream of each id in the store, whoever writes it. */
const Account = defineEntity('Account', {
  state: () => ({ sum: 0 }),
  events: { Paid: (state, sum: number) => ({ sum: state.sum + sum }) },
  commands: {
    pay: (self, sum: number) => self.persist('Paid', sum).sum,
    sum: (self) => self.state.sum,
  },
})

const seeds = ['n1:2552', 'n3:2552']
const ids = Array.from({ length: 10 }, (_, index) => String(index + 1))

async function twoByTwo(simulation: Simulation): Promise<SherdNode[]> {
  const nodes: SherdNode[] = []
  for (const [name, dataCenter] of [
    ['n1', 'one'],
    ['n2', 'one'],
    ['n3', 'two'],
    ['n4', 'two'],
  ] as const) {
    const settings = { cluster: { dataCenter } }
    const options = { entities: [Tally, Account], seeds, settings }
    nodes.push(await simulation.settle(startSimulatedNode(simulation, name, options)))
  }
  return nodes
}

test('each data center has its own regions, coordinator and entities, on one store', async () => {
  await simulate('sharding in two data centers', {
    seeds: 5,
    scenario: async (simulation) => {
      const [n1, n2, n3, n4] = (await twoByTwo(simulation)) as [
        SherdNode,
        SherdNode,
        SherdNode,
        SherdNode,
      ]
      for (const id of ids) await simulation.settle(n1.entity(Tally, id).add())
      for (const id of [...ids, ...ids]) await simulation.settle(n3.entity(Tally, id).add())
      expect(await simulation.settle(n2.entity(Tally, '5').count())).toBe(1)
      expect(await simulation.settle(n4.entity(Tally, '5').count())).toBe(2)
      const regions = await simulation.settle(n1.sharding.currentRegions('Tally'))
      expect(regions).toEqual(new Set([n1.id, n2.id]))
      const others = await simulation.settle(n4.sharding.currentRegions('Tally'))
      expect(others).toEqual(new Set([n3.id, n4.id]))

      // Cut off from each other both serve, and what one had remembered is there when it moves.
      simulation.network.partition(['n1', 'n2'], ['n3', 'n4'])
      await simulation.runUntil(() => n4.cluster.state.unreachableDataCenters.has('one'))
      await simulation.settle(n3.stop())
      const running = (): number =>
        n4.sharding.regionState('Tally').shards.flatMap(({ entityIds }) => entityIds).length
      await simulation.runUntil(() => running() === ids.length)
      expect(await simulation.settle(n1.entity(Tally, '5').add())).toBe(2)
      expect(n1.cluster.isFrozen || n4.cluster.isFrozen).toBe(false)
    },
  })
})

test('an entity with events that is used in both is one stream: who writes next takes it over, and nothing is lost', async () => {
  await simulate('one stream, two data centers', {
    seeds: 5,
    scenario: async (simulation) => {
      const [n1, , n3] = await twoByTwo(simulation)
      const pay = (node: SherdNode): Promise<number | undefined> =>
        simulation.settle(
          node
            .entity(Account, 'ann')
            .pay(1)
            .catch(() => undefined),
        )
      let paid = 0
      for (let round = 0; round < 5; round++) {
        for (const node of [n1!, n3!]) if ((await pay(node)) !== undefined) paid++
      }
      // Whoever reads what it had in memory may be behind; a fresh start is not.
      await simulation.settle(n1!.stop())
      const last = await pay(n3!)
      const again = last ?? (await pay(n3!))
      expect(again).toBeGreaterThanOrEqual(paid + 1)
    },
  })
})
