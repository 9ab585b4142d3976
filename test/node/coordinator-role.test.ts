import { expect, test } from 'vitest'
import { defineEntity, IncompatibleSettings } from '../../src/index.ts'
import { nodeFor, refusalOf, temporaryFolder } from './nodes.ts'

const Cart = defineEntity('Cart', {
  ...{ role: 'work', coordinatorRole: 'steady', numberOfShards: 8 },
  state: () => ({ items: 0 }),
  events: { Added: ({ items }) => ({ items: items + 1 }) },
  commands: { add: (self) => self.persist('Added').items },
})

test('SH-050 a node that hosts nothing and may run the coordinator needs the store of the others', async () => {
  const store = { folder: temporaryFolder() }
  const first = await nodeFor({ entities: [Cart], roles: ['work', 'steady'], store })
  expect(await first.entity(Cart, 'a').add()).toBe(1)
  const seeds = [first.address]
  const steady = { entities: [Cart], roles: ['steady'], seeds }
  const error = await refusalOf({ ...steady, store: { folder: temporaryFolder() } })
  expect(error).toBeInstanceOf(IncompatibleSettings)
  const second = await nodeFor({ ...steady, store })
  expect(await second.entity(Cart, 'a').add()).toBe(2)
  // Neither hosts nor decides: it need not share anything.
  const third = await nodeFor({ entities: [Cart], roles: ['idle'], seeds, store: 'memory' })
  expect(await third.entity(Cart, 'a').add()).toBe(3)
})
