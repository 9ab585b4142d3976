/**
 * Benchmark `persist`: events stored by 256 event-sourced entities on LMDB and on PostgreSQL, with one command or several in flight per entity.
 * An event counts when its entity was told that it is durable. Beside it the store's own limit: as many writers that each wait
 * for their own event, put under growing keys in commits of the same size, and nothing else.
 */
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { measure } from './harness.ts'
import { measurePostgres } from './persist-postgres.ts'
import { bareLmdb, countersOnLmdb } from './stored-counters.ts'

const entityCount = 256

export const persist: Benchmark = {
  name: 'persist',
  summary: 'events stored durably per second by 256 entities on LMDB and on PostgreSQL',
  async run() {
    return [
      await measureCase('256 entities', 1),
      await measureCase('256 entities, 8 in flight', 8),
      await measurePostgres(entityCount),
    ]
  },
}

/** `inFlight`: commands that each entity has under way. */
function measureCase(name: string, inFlight: number): Promise<MeasuredCase> {
  return measure({
    name,
    unit: 'events/s',
    operationsStep: entityCount * inFlight,
    contestants: [
      { name: 'ours', setUp: () => countersOnLmdb({ entities: entityCount, inFlight }) },
      { name: 'store', setUp: () => bareLmdb(entityCount * inFlight) },
    ],
  })
}
