/**
 * Benchmark `entity-local`: calls to a thousand entities made by `defineEntity`, in a hundred shards on this very node: reads, flat
 * objects there and back, and calls that store an event, with 1, 64 and 1,024 of them in flight.
 *
 * Plain: questions to plain actor entities, as `sharded-local` asks them. Bare: a promise per question; of those that store, the
 * events put into LMDB by as many writers.
 */
import type { Benchmark } from './benchmark.ts'
import { measureCalls, type ShopStage } from './entity-cases.ts'
import { openAll, startShops } from './entity-shape.ts'
import { askBare, startOurs as startPlain } from './sharded-local.ts'
import { bareLmdb, makeFolder } from './stored-counters.ts'

export const entityLocal: Benchmark = {
  name: 'entity-local',
  summary: 'calls per second to defined entities of this node, and how long one takes',
  run: () => measureCalls({ startShops: startOurs, startPlain, askBare, storeBare: bareLmdb }),
}

async function startOurs(): Promise<ShopStage> {
  const { folder, remove } = makeFolder()
  const node = await startShops(folder)
  const shops = await openAll(node)
  const tearDown = async (): Promise<void> => {
    await node.stop()
    remove()
  }
  return { shops, tearDown }
}
