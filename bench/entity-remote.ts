/**
 * Benchmark `entity-remote`: calls to a thousand entities made by `defineEntity`, in a hundred shards, all of them at home in
 * another process: reads, flat objects there and back, and calls that store an event, with 1, 64 and 1,024 of them in flight.
 *
 * Plain: questions to plain actor entities, as `sharded-remote` asks them. Bare: the stream of `remote-ask`; of those that store,
 * the events put into LMDB by as many writers of this process.
 */
import { startNode } from '../src/index.ts'
import { askBare } from './bare-remote.ts'
import type { Benchmark } from './benchmark.ts'
import { measureCalls, type ShopStage } from './entity-cases.ts'
import { openAll, Shop, startShopHost } from './entity-shape.ts'
import { logger } from './quiet-system.ts'
import { startOurs as startPlain } from './sharded-remote.ts'
import { entityCount } from './sharded-shape.ts'
import { bareLmdb, makeFolder } from './stored-counters.ts'

export const entityRemote: Benchmark = {
  name: 'entity-remote',
  summary: 'calls per second to defined entities of another process, and how long one takes',
  run: () =>
    measureCalls({
      ...{ startShops: startOurs, startPlain, storeBare: bareLmdb },
      askBare: (inFlight) => askBare(entityCount, inFlight),
    }),
}

async function startOurs(): Promise<ShopStage> {
  const { folder, remove } = makeFolder()
  const host = await startShopHost(folder)
  const node = await startNode({
    ...{ proxies: [Shop], store: { folder }, port: 0, seeds: [host.address] },
    environment: { logger },
  })
  const shops = await openAll(node)
  const tearDown = async (): Promise<void> => {
    await node.stop()
    host.end()
    remove()
  }
  return { shops, tearDown }
}
