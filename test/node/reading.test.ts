import { expect, expectTypeOf, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { Cart, Order, Shop } from '../projection/shop.ts'
import { nodeFor, temporaryFolder } from './nodes.ts'

async function all<Item>(iterable: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of iterable) items.push(item)
  return items
}

async function readableNode() {
  const shop = new Shop()
  const node = await nodeFor({ entities: [Cart, Order], store: shop.journal })
  return { shop, node }
}

test('the events of one entity come in order, typed, and from any number on', async () => {
  const { node } = await readableNode()
  await node.entity(Cart, 'ann').add('tea', 2)
  await node.entity(Cart, 'ann').order()
  const events = await all(node.events(Cart, 'ann'))
  expect(events).toEqual([
    {
      ...{ entityType: 'Cart', id: 'ann', sequenceNr: 1, name: 'Added', args: ['tea', 2] },
      tags: [],
    },
    { entityType: 'Cart', id: 'ann', sequenceNr: 2, name: 'Ordered', args: [], tags: [] },
  ])
  const [first] = events
  if (first?.name === 'Added') {
    expectTypeOf(first.args).toEqualTypeOf<readonly [item: string, count: number]>()
  }
  expect((await all(node.events(Cart, 'ann', { from: 2 }))).map(({ name }) => name)).toEqual([
    'Ordered',
  ])
  expect(await all(node.events(Cart, 'ann', { from: 9 }))).toEqual([])
})

test('a live reader gets what comes later, until it is told to end', async () => {
  const { node } = await readableNode()
  const ended = new AbortController()
  const names: string[] = []
  const live = { live: true, pollIntervalMs: 5, signal: ended.signal }
  const reading = (async () => {
    for await (const { name } of node.events(Cart, 'ann', live)) {
      names.push(name)
      if (name === 'Added') await node.entity(Cart, 'ann').order()
      else ended.abort(new Error('enough'))
    }
  })()
  await node.entity(Cart, 'ann').add('tea', 1)
  await expect(reading).rejects.toThrow('enough')
  expect(names).toEqual(['Added', 'Ordered'])
})

test('a live reader ends with its node', async () => {
  const { node } = await readableNode()
  const reading = all(node.eventsOf({ types: [Cart], live: true }))
  // Nobody waits for it before the node has stopped.
  reading.catch(() => undefined)
  await node.stop()
  await expect(reading).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' })
})

test('the ids of a type are listed, and those of others are not', async () => {
  const { node } = await readableNode()
  for (const id of ['bob', 'ann', '|x']) await node.entity(Cart, id).add('tea', 1)
  await node.entity(Order, '7').pay(3)
  expect(await all(node.ids(Cart))).toEqual(['ann', 'bob', '|x'])
})

test('the ids of entities that keep a state are listed too', async () => {
  const Note = defineEntity('Note', {
    durable: true,
    state: () => ({ text: '' }),
    commands: { write: (self, text: string) => void (self.state = { text }) },
  })
  const node = await nodeFor({ entities: [Note] })
  await node.entity(Note, 'a').write('hello')
  expect(await all(node.ids(Note))).toEqual(['a'])
})

test('the events of several types can be read on from the place of any of them', async () => {
  const { node, shop } = await readableNode()
  for (const id of ['ann', 'bob', 'cid', 'dan']) {
    await node.entity(Cart, id).add('tea', 1)
    await node.entity(Order, id).pay(5)
    await node.entity(Cart, id).order()
  }
  await shop.did('Other', 'x', [['Happened']])
  const nameOf = ({ entityType, id, sequenceNr }: Named) => `${entityType} ${id} ${sequenceNr}`
  const events = await all(node.eventsOf({ types: [Cart, Order] }))
  expect(events).toHaveLength(12)
  for (const [index, { place }] of events.entries()) {
    const rest = await all(node.eventsOf({ types: [Cart, Order], after: place }))
    expect(rest.map(nameOf)).toEqual(events.slice(index + 1).map(nameOf))
  }
  await expect(all(node.eventsOf({ types: [Cart], after: 'here' }))).rejects.toMatchObject({
    code: 'INVALID_PLACE',
  })
})

interface Named {
  readonly entityType: string
  readonly id: string
  readonly sequenceNr: number
}

test('only events with a tag', async () => {
  const { node, shop } = await readableNode()
  await shop.did('Cart', 'ann', [['Ordered']], ['vip'])
  await shop.did('Cart', 'bob', [['Ordered']])
  const events = await all(node.eventsOf({ types: [Cart], tag: 'vip' }))
  expect(events.map(({ id, tags }) => [id, tags])).toEqual([['ann', ['vip']]])
})

test('an event that nobody knows is an error with its place, and reading goes on behind it', async () => {
  const { node, shop } = await readableNode()
  await shop.did('Cart', 'ann', [['Added', 'tea', 1], ['Mystery'], ['Ordered']])
  const read: string[] = []
  const readFrom = async (after?: string): Promise<void> => {
    for await (const { name } of node.eventsOf({ types: [Cart], after })) read.push(name)
  }
  const error: unknown = await readFrom().catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'UNREADABLE_EVENT', id: 'ann', sequenceNr: 2 })
  await readFrom((error as { readonly place: string }).place)
  expect(read).toEqual(['Added', 'Ordered'])
  await expect(all(node.events(Cart, 'ann', { from: 2 }))).rejects.toThrow(/read from 3 on\.$/)
})

test('an event adapter and upcasters make of stored events what they are now', async () => {
  const Note = defineEntity('Note', {
    state: () => ({ text: '' }),
    events: { Written: (_state, text: string) => ({ text }) },
    upcast: { Scribbled: (text: string) => ['Written', text] },
    eventAdapter: {
      toJournal: (event) => ({ said: event }),
      fromJournal: (stored) => [(stored as { said: readonly ['Written', string] }).said],
    },
    commands: { write: (self, text: string) => self.persist('Written', text).text },
  })
  const shop = new Shop()
  const node = await nodeFor({ entities: [Note], store: shop.journal })
  await node.entity(Note, '1').write('hello')
  const [event] = await all(node.events(Note, '1'))
  expect(event).toMatchObject({ name: 'Written', args: ['hello'] })
})

test('a folder is read as memory is', async () => {
  const node = await nodeFor({ entities: [Cart], store: { folder: temporaryFolder() } })
  for (const id of ['ann', 'bob']) await node.entity(Cart, id).add('tea', 1)
  const events = await all(node.eventsOf({ types: [Cart] }))
  expect(events.map(({ id }) => id).sort()).toEqual(['ann', 'bob'])
  const [first] = events
  const rest = await all(node.eventsOf({ types: [Cart], after: first?.place }))
  expect(rest.map(({ id }) => id)).toEqual(events.slice(1).map(({ id }) => id))
})
