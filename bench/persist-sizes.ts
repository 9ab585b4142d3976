/**
 * Benchmark `persist-sizes`: events stored durably on LMDB by 1, 16 and 4,096 entities with one command under way each, and
 * by one entity with many, beside the store's own limit with as many writers. The hot entity also stands beside one that waits for
 * every event before its next command. The last case is how late the event loop came round meanwhile.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { measure, type Running } from './harness.ts'
import { bareLmdb, countersOnLmdb } from './stored-counters.ts'

const hotInFlight = 256
const delayRounds = 5
const delayEvents = 65_536

export const persistSizes: Benchmark = {
  name: 'persist-sizes',
  summary: 'events stored durably per second on LMDB by few and by many entities, and by a hot one',
  async run() {
    return [
      await measureSize('1 entity', 1),
      await measureSize('16 entities', 16),
      await measureSize('4,096 entities', 4096),
      await measureHot(),
      await measureDelay(),
    ]
  },
}

function measureSize(name: string, entities: number): Promise<MeasuredCase> {
  return measure({
    name,
    unit: 'events/s',
    operationsStep: entities,
    contestants: [
      { name: 'ours', setUp: () => countersOnLmdb({ entities, inFlight: 1 }) },
      { name: 'store', setUp: () => bareLmdb(entities) },
    ],
  })
}

function measureHot(): Promise<MeasuredCase> {
  return measure({
    name: 'one hot entity',
    unit: 'events/s',
    operationsStep: hotInFlight,
    contestants: [
      { name: 'ours', setUp: () => countersOnLmdb({ entities: 1, inFlight: hotInFlight }) },
      { name: 'store', setUp: () => bareLmdb(hotInFlight) },
      { name: 'unpipelined', setUp: () => countersOnLmdb({ entities: 1, inFlight: 1 }) },
    ],
  })
}

/** Microseconds, because figures are printed whole: how much later than asked the event loop came round, at p99. */
async function measureDelay(): Promise<MeasuredCase> {
  const load = { entities: 4096, inFlight: 1 }
  const ours = await countersOnLmdb(load)
  const store = bareLmdb(load.entities)
  const samples = { ours: [] as number[], store: [] as number[] }
  try {
    for (let round = 0; round <= delayRounds; round++) {
      const [oursUs, storeUs] = [await delayOf(ours), await delayOf(store)]
      // The first one warms up.
      if (round === 0) continue
      samples.ours.push(oursUs)
      samples.store.push(storeUs)
    }
  } finally {
    await ours.tearDown?.()
    await store.tearDown?.()
  }
  return {
    name: 'event loop delay, p99 (less is better)',
    unit: 'us',
    contestants: [
      { name: 'ours', samples: samples.ours },
      { name: 'store', samples: samples.store },
    ],
  }
}

async function delayOf({ round }: Running): Promise<number> {
  const resolutionMs = 1
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  await round(delayEvents)
  delay.disable()
  return Math.max(delay.percentile(99) / 1000 - resolutionMs * 1000, 0)
}
