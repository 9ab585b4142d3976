/**
 * Benchmark `persist-postgres`: events stored by entities on PostgreSQL, by how many there are, by one that has many commands in
 * flight, and by two journals on one server; and for how long the event loop is held. An event counts when its entity was told
 * that it is durable. Beside each the store's own limit in the same run: as many writers that each wait for their own event, which
 * one connection inserts into a table with its primary key, in commits of the same size, and nothing else.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Client } from 'pg'
import { defaultPostgresSettings, PostgresJournal } from '../src/persistence/index.ts'
import { byteaArray, int8Array } from '../src/persistence/journals/postgres/postgres-arrays.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import { postgresForTests, type TestDatabases } from '../test/postgres/postgres-server.ts'
import type { Benchmark, Measured, MeasuredCase } from './benchmark.ts'
import { type Contestant, measure, type Running } from './harness.ts'
import { groupCommits, persistenceIdOfCounter, setUpEntities, storedEvent } from './persisting.ts'

/** Commands that the hot entity has under way. */
const hotInFlight = 256

const delayRounds = 9
const delayRoundEvents = 8192

export const persistPostgres: Benchmark = {
  name: 'persist-postgres',
  summary: 'events stored durably per second on PostgreSQL, by the number of entities',
  run: () =>
    onServer(async (server) => [
      await measureEntities(server, 1),
      await measureEntities(server, 16),
      await measureEntities(server, 4096),
      await measureHot(server),
      await measureTwoNodes(server, 256),
      await measureDelay(server, 256),
    ]),
}

/** The case that `persist` has too, beside the one of LMDB. */
export function measurePostgres(entityCount: number): Promise<MeasuredCase> {
  return onServer((server) => measureEntities(server, entityCount))
}

/** One server for all contestants, so that they share its disk and its log. */
async function onServer<Result>(work: (server: TestDatabases) => Promise<Result>): Promise<Result> {
  const server = await postgresForTests({ syncs: true })
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

function measureEntities(server: TestDatabases, entityCount: number): Promise<MeasuredCase> {
  return measure({
    name: `postgres, ${entityCount} entities`,
    unit: 'events/s',
    operationsStep: entityCount,
    contestants: [
      { name: 'ours', setUp: () => entitiesOn(server, { entityCount }) },
      storeOn(server, { ids: entityCount, writers: entityCount }),
    ],
  })
}

/** `unpipelined`: the same entity, with one command at a time. */
function measureHot(server: TestDatabases): Promise<MeasuredCase> {
  return measure({
    name: 'postgres, one hot entity',
    unit: 'events/s',
    operationsStep: hotInFlight,
    contestants: [
      { name: 'ours', setUp: () => entitiesOn(server, { entityCount: 1, inFlight: hotInFlight }) },
      { name: 'unpipelined', setUp: () => entitiesOn(server, { entityCount: 1 }) },
      storeOn(server, { ids: 1, writers: hotInFlight }),
    ],
  })
}

/** As two nodes have them: a journal each, with connections of its own, and entities in all slices. */
function measureTwoNodes(server: TestDatabases, entityCount: number): Promise<MeasuredCase> {
  return measure({
    name: `postgres, two nodes, ${entityCount} entities`,
    unit: 'events/s',
    operationsStep: entityCount,
    contestants: [
      { name: 'ours', setUp: () => entitiesOn(server, { entityCount, nodes: 2 }) },
      storeOn(server, { ids: entityCount, writers: entityCount }),
    ],
  })
}

/** How late a timer of a millisecond is in 99 of 100 cases, the millisecond included: less is better. */
async function measureDelay(server: TestDatabases, entityCount: number): Promise<MeasuredCase> {
  const name = `postgres, ${entityCount} entities: event loop held, p99`
  console.error(`measuring ${name}`)
  const store = storeOn(server, { ids: entityCount, writers: entityCount })
  return {
    name,
    unit: 'ms',
    contestants: [
      await delaysOf('ours', await entitiesOn(server, { entityCount })),
      await delaysOf(store.name, await store.setUp()),
    ],
  }
}

async function delaysOf(name: string, running: Running): Promise<Measured> {
  const samples: number[] = []
  for (let round = -2; round < delayRounds; round++) {
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    await running.round(delayRoundEvents)
    delays.disable()
    if (round >= 0) samples.push(delays.percentile(99) / 1e6)
  }
  await running.tearDown?.()
  return { name, samples }
}

async function entitiesOn(
  server: TestDatabases,
  {
    entityCount,
    inFlight = 1,
    nodes = 1,
  }: Record<'entityCount', number> & Partial<Record<'inFlight' | 'nodes', number>>,
): Promise<Running> {
  const url = await server.newDatabase()
  const journals: PostgresJournal[] = []
  for (let node = 0; node < nodes; node++) journals.push(await PostgresJournal.open({ url }))
  return setUpEntities({ journals, entityCount, inFlight })
}

interface StoreShape {
  readonly ids: number
  readonly writers: number
}

/** The same ids, numbers and bytes into a table with its primary key, and nothing else. */
function storeOn(server: TestDatabases, { ids: idCount, writers }: StoreShape): Contestant {
  const setUp = async (): Promise<Running> => {
    const client = new Client({ connectionString: await server.newDatabase() })
    await client.connect()
    await client.query(
      'CREATE TABLE bare (id bytea, seq bigint, bytes bytea NOT NULL, PRIMARY KEY (id, seq))',
    )
    const event = new ValueCodec({ use: 'stored' }).encode(storedEvent)
    const ids = Array.from({ length: idCount }, (_, at) => Buffer.from(persistenceIdOfCounter(at)))
    let events = 0
    const putAll = async (count: number): Promise<void> => {
      const numbers = Array.from({ length: count }, () => events++)
      await client.query({
        name: 'bare',
        text: 'INSERT INTO bare SELECT * FROM unnest($1::bytea[], $2::int8[], $3::bytea[])',
        values: [
          byteaArray(numbers.map((number) => ids[number % idCount]!)),
          int8Array(numbers.map((number) => Math.floor(number / idCount))),
          byteaArray(numbers.map(() => event)),
        ],
      })
    }
    const round = groupCommits(writers, defaultPostgresSettings.commitEventsMax, putAll)
    return { round, tearDown: () => client.end() }
  }
  return { name: 'store', setUp }
}
