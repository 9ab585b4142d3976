import { expect, test } from 'vitest'
import { defineEntity, entityType } from '../../src/index.ts'
import { CoordinatorStarted } from '../../src/sharding/index.ts'
import { Simulation, startSimulatedNode } from '../../src/simulation/index.ts'

const Cart = defineEntity('Cart', {
  ...{ role: 'work', coordinatorRole: 'steady', numberOfShards: 8 },
  state: () => ({ items: 0 }),
  events: { Added: ({ items }) => ({ items: items + 1 }) },
  commands: { add: (self) => self.persist('Added').items },
})

const seeds = ['one:2552', 'two:2552']

test('SH-027 the coordinator of a defined entity runs on nodes with its role, also the next one, and proxies find it', async () => {
  await using simulation = new Simulation({ seed: 1 })
  const coordinators: string[] = []
  const start = (name: string, roles: readonly string[], given: object) =>
    simulation.settle(
      startSimulatedNode(simulation, name, {
        ...{ seeds, roles, ...given },
        beforeJoin: ({ system }) =>
          void system.eventStream.subscribe(CoordinatorStarted, () => void coordinators.push(name)),
      }),
    )
  // It has the role, and does not know the type: nobody asks it.
  await start('one', ['steady'], { entities: [] })
  const two = await start('two', ['steady'], { entities: [Cart] })
  const three = await start('three', ['work'], { entities: [Cart] })
  const carts = entityType<typeof Cart>('Cart', { coordinatorRole: 'steady', numberOfShards: 8 })
  const caller = await start('four', [], { proxies: [carts] })
  expect(await simulation.settle(caller.entity(carts, 'a').add())).toBe(1)
  expect(await simulation.settle(two.entity(Cart, 'a').add())).toBe(2)
  expect(coordinators).toEqual(['two'])
  expect(two.sharding.regionState('Cart').isProxy).toBe(true)
  expect(three.sharding.regionState('Cart').coordinator).toBe(two.id)

  await start('five', ['steady'], { entities: [Cart] })
  await simulation.settle(two.stop())
  for (const id of ['a', 'b', 'c', 'd']) {
    expect(await simulation.settle(caller.entity(carts, id).add())).toBe(id === 'a' ? 3 : 1)
  }
  expect(coordinators).toEqual(['two', 'five'])
  expect(simulation.violations).toEqual([])
})

test('a role of the coordinator that cannot be one is refused', () => {
  const given = { state: () => ({}), commands: {}, coordinatorRole: 7 as never }
  expect(() => defineEntity('Cart', given)).toThrow(/coordinatorRole/)
})
