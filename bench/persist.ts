/**
 * Benchmark `persist`: events stored by 256 event-sourced entities on LMDB and on PostgreSQL, with one command or several in flight per entity.
 * An event counts when its entity was told that it is durable. Beside it the store's own limit: as many writers that each wait
 * for their own event, put under growing keys in commits of the same size, and nothing else.
 */
import { Client } from 'pg'
import { defaultPostgresSettings, PostgresJournal } from '../src/persistence/index.ts'
import { byteaArray, int8Array } from '../src/persistence/journals/postgres/postgres-arrays.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import { postgresForTests } from '../test/postgres/postgres-server.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { measure, type Running } from './harness.ts'
import { bareLmdb, countersOnLmdb, groupCommits, storedCounters } from './stored-counters.ts'

const entityCount = 256

export const persist: Benchmark = {
  name: 'persist',
  summary: 'events stored durably per second by 256 entities on LMDB and on PostgreSQL',
  async run() {
    return [
      await measureCase('256 entities', 1),
      await measureCase('256 entities, 8 in flight', 8),
      await measurePostgres(),
    ]
  },
}

/** One server for both, so that they share its disk and its log. */
async function measurePostgres(): Promise<MeasuredCase> {
  const server = await postgresForTests()
  try {
    return await measure({
      name: 'postgres, 256 entities',
      unit: 'events/s',
      operationsStep: entityCount,
      contestants: [
        { name: 'ours', setUp: async () => setUpPostgres(await server.newDatabase()) },
        { name: 'store', setUp: async () => setUpPostgresStore(await server.newDatabase()) },
      ],
    })
  } finally {
    await server.stop()
  }
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

async function setUpPostgres(url: string): Promise<Running> {
  return storedCounters(
    await PostgresJournal.open({ url }),
    { entities: entityCount, inFlight: 1 },
    () => undefined,
  )
}

/** The same ids, numbers and bytes into a table with its primary key, and nothing else. */
async function setUpPostgresStore(url: string): Promise<Running> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(
    'CREATE TABLE bare (id bytea, seq bigint, bytes bytea NOT NULL, PRIMARY KEY (id, seq))',
  )
  const event = new ValueCodec({ use: 'stored' }).encode({ type: 'Incremented', by: 1 })
  const ids = Array.from({ length: entityCount }, (_, index) => Buffer.from(`Counter|${index}`))
  let events = 0
  const putAll = async (count: number): Promise<void> => {
    const numbers = Array.from({ length: count }, () => events++)
    await client.query({
      name: 'bare',
      text: 'INSERT INTO bare SELECT * FROM unnest($1::bytea[], $2::int8[], $3::bytea[])',
      values: [
        byteaArray(numbers.map((number) => ids[number % entityCount]!)),
        int8Array(numbers.map((number) => Math.floor(number / entityCount))),
        byteaArray(numbers.map(() => event)),
      ],
    })
  }
  const round = groupCommits(entityCount, defaultPostgresSettings.commitEventsMax, putAll)
  return { round, tearDown: () => client.end() }
}
