import { expect, test } from 'vitest'
import type { SherdNode } from '../../src/node/index.ts'
import { defineProjection, startProjection } from '../../src/projection/index.ts'
import { Cart, Shop } from '../projection/shop.ts'
import { nodeFor, refusalOf, temporaryFolder, whenAll } from './nodes.ts'

/** A view that tells when it has got something. */
class View {
  readonly rows = new Map<string, number>()
  #changed: () => void = () => undefined

  handle(id: string, sequenceNr: number): void {
    this.rows.set(id, sequenceNr)
    this.#changed()
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.#changed = resolve))
  }
}

function projectionOf(view: View, by: string, workers: Set<string>) {
  return defineProjection({
    ...{ name: 'carts', from: Cart, ranges: 8 },
    settings: { pollIntervalMs: 10, keepAliveIntervalMs: 200 },
    handle: ({ id, sequenceNr }) => {
      workers.add(by)
      view.handle(id, sequenceNr)
    },
  })
}

const ids = Array.from({ length: 40 }, (_, index) => `cart ${index}`)

test('two nodes on one folder divide the work, and the one that stays takes it all', async () => {
  const view = new View()
  const workers = new Set<string>()
  const store = { folder: temporaryFolder() }
  const start = (by: string, seeds: readonly string[]): Promise<SherdNode> =>
    nodeFor({
      ...{ entities: [Cart], store, seeds, projections: [projectionOf(view, by, workers)] },
      settings: { sharding: { rebalanceIntervalMs: 100 } },
    })
  const a = await start('a', [])
  const b = await start('b', [a.address])
  await whenAll([a, b], ({ cluster }) => cluster.state.members.length === 2)
  for (const id of ids) await a.entity(Cart, id).add('tea', 1)
  // Ranges move to the newcomer while events come; from some time on both handle them.
  for (let round = 0; workers.size < 2; round++) {
    await a.entity(Cart, `more ${round}`).add('tea', 1)
    await view.until(() => view.rows.has(`more ${round}`))
  }
  await view.until(() => ids.every((id) => view.rows.get(id) === 1))
  const { unanswered, name } = await b.projection('carts').status()
  expect([name, unanswered]).toEqual(['carts', []])
  await b.stop()
  workers.clear()
  for (const id of ids) await a.entity(Cart, id).order()
  await view.until(() => ids.every((id) => view.rows.get(id) === 2))
  expect([...workers]).toEqual(['a'])
  const { ranges } = await a.projection('carts').status()
  expect(new Set(ranges.map(({ node }) => node))).toEqual(new Set([a.id]))
})

test('a node with another number of ranges does not start', async () => {
  const store = { folder: temporaryFolder() }
  const projectionWith = (ranges: number) =>
    defineProjection({ name: 'carts', from: Cart, ranges, handle: () => undefined })
  const a = await nodeFor({ store, projections: [projectionWith(8)] })
  const error = await refusalOf({ store, seeds: [a.address], projections: [projectionWith(4)] })
  expect(error.message).toMatch(/projection\/carts.*numberOfShards/)
})

test('a node can run one by itself, which ends with it', async () => {
  const shop = new Shop()
  const view = new View()
  const node = await nodeFor({ entities: [Cart], store: shop.journal })
  const running = await startProjection({
    ...{ node, name: 'carts', from: Cart, settings: { pollIntervalMs: 5 } },
    handle: ({ id, sequenceNr }) => view.handle(id, sequenceNr),
  })
  await node.entity(Cart, 'ann').add('tea', 1)
  await view.until(() => view.rows.has('ann'))
  expect((await running.status()).missing).toEqual([])
  await node.stop()
  await running.stop()
})

test('what is wrong with projections is told before anything starts', async () => {
  const carts = defineProjection({ name: 'carts', from: Cart, handle: () => undefined })
  const error = await refusalOf({ projections: [carts, carts, Cart as never] })
  expect(error.message).toContain("projections: two have the name 'carts'; rename one")
  expect(error.message).toContain('is not made by defineProjection')
  expect(() => carts && defineProjection({ name: '', from: [], ranges: 3 } as never)).toThrow(
    /name must be.*\n.*names no entity\n.*ranges must be.*divides 1024.*\n.*handle/,
  )
})

test('a projection that this node does not run is named, with those it does', async () => {
  const carts = defineProjection({ name: 'carts', from: Cart, handle: () => undefined })
  const node = await nodeFor({ entities: [Cart], projections: [carts] })
  expect(() => node.projection('charts')).toThrow(/'charts'; it runs carts\./)
})
