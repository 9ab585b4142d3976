/** What the benchmarks of calls agree on: a thousand entities made by `defineEntity` in a hundred shards, and what is called. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { defineEntity, type SherdNode, startNode } from '../src/index.ts'
import { logger } from './quiet-system.ts'
import { entityIds } from './sharded-shape.ts'

/** A flat object as calls carry them. */
interface Order {
  readonly id: string
  readonly item: string
  readonly count: number
  readonly price: number
  readonly isGift: boolean
}

export const makeOrder = (): Order => ({
  ...{ id: 'order-1', item: 'teapot', count: 1, price: 19.5, isGift: false },
})

export const Shop = defineEntity('Shop', {
  state: () => ({ sold: 0, one: 1 }),
  events: { Sold: (state, count: number) => ({ ...state, sold: state.sold + count }) },
  commands: {
    one: (self): number => self.state.one,
    echo: (_self, order: Order): Order => order,
    sell: (self, count: number): number => self.persist('Sold', count).one,
  },
  numberOfShards: 100,
  passivateAfter: 'never',
})

/** Forms a cluster and hosts all shops. */
export function startShops(folder: string): Promise<SherdNode> {
  return startNode({ entities: [Shop], store: { folder }, port: 0, environment: { logger } })
}

/** Calls every shop once, so that all shards have homes and all entities run. */
export async function openAll(node: SherdNode) {
  const shops = entityIds.map((id) => node.entity(Shop, id, { timeout: '20s' }))
  await Promise.all(shops.map((shop) => shop.one()))
  return shops
}

export type OpenShops = Awaited<ReturnType<typeof openAll>>

/** Starts a process that hosts all shops, and waits until it is up. */
export function startShopHost(folder: string): Promise<{ readonly address: string; end(): void }> {
  const child = fork(fileURLToPath(new URL('./entity-child.js', import.meta.url)), [folder])
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the other process ended with ${code}`)))
    child.once('message', (address) =>
      resolve({ address: address as string, end: () => child.disconnect() }),
    )
  })
}
