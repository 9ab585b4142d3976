/**
 * Benchmark `persist`: events stored by 256 event-sourced entities on LMDB and on PostgreSQL, with one command or several in flight per entity.
 * An event counts when its entity was told that it is durable. Beside it the store's own limit: as many writers that each wait
 * for their own event, put under growing keys in commits of the same size, and nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { ActorRef } from '../src/actor/index.ts'
import { Client } from 'pg'
import {
  defaultLmdbSettings,
  defaultPostgresSettings,
  Effect,
  EventSourcedBehavior,
  type Journal,
  LmdbJournal,
  PostgresJournal,
} from '../src/persistence/index.ts'
import { byteaArray, int8Array } from '../src/persistence/journals/postgres/postgres-arrays.ts'
import { ValueCodec } from '../src/serialization/internals.ts'
import type { Benchmark, MeasuredCase } from './benchmark.ts'
import { Countdown } from './countdown.ts'
import { measure, type Running } from './harness.ts'
import { quietSystem } from './quiet-system.ts'
import { postgresForTests } from '../test/postgres/postgres-server.ts'

const entityCount = 256

interface Increment {
  readonly type: 'Increment'
  readonly by: number
  readonly done: () => void
}

interface Incremented {
  readonly type: 'Incremented'
  readonly by: number
}

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
      { name: 'ours', setUp: () => setUpOurs(inFlight) },
      { name: 'store', setUp: () => setUpStore(entityCount * inFlight) },
    ],
  })
}

function makeFolder(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

async function setUpOurs(inFlight: number): Promise<Running> {
  const { folder, remove } = makeFolder()
  return setUpEntities(await LmdbJournal.open({ folder }), inFlight, remove)
}

async function setUpPostgres(url: string): Promise<Running> {
  return setUpEntities(await PostgresJournal.open({ url }), 1, () => undefined)
}

function setUpEntities(journal: Journal, inFlight: number, remove: () => void): Running {
  const system = quietSystem()
  const codec = new ValueCodec({ use: 'stored' })
  const entities = Array.from({ length: entityCount }, (_, index) => {
    const behavior = EventSourcedBehavior<Increment, Incremented, number>({
      persistenceId: `Counter|${index}`,
      emptyState: 0,
      commandHandler: (_state, { by, done }) =>
        Effect.persist<Incremented, number>({ type: 'Incremented', by }).thenRun(done),
      eventHandler: (state, { by }) => state + by,
      journal,
      codec,
    })
    return system.spawn(behavior, `counter-${index}`)
  })
  return {
    round: (operations) => storeAll(entities, inFlight, operations),
    tearDown: async () => {
      await system.terminate()
      await journal.close()
      remove()
    },
  }
}

/** Each entity gets its next command when one of its events is stored. */
function storeAll(
  entities: readonly ActorRef<Increment>[],
  inFlight: number,
  operations: number,
): Promise<void> {
  const each = operations / entities.length
  const stored = new Countdown()
  const finished = stored.from(operations)
  for (const entity of entities) {
    let sent = 0
    const next = (): void => {
      if (sent++ < each) entity.tell({ type: 'Increment', by: 1, done })
    }
    const done = (): void => {
      stored.one()
      next()
    }
    for (let first = 0; first < inFlight; first++) next()
  }
  return finished
}

/** As many events to a commit, and to a record of the log, as the journal puts there. */
function setUpStore(writers: number): Running {
  const { folder, remove } = makeFolder()
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
  const store = open<Buffer, Buffer>({
    ...binary,
    path: folder,
    noSubdir: false,
    overlappingSync: false,
  })
  const event = new ValueCodec({ use: 'stored' }).encode({ type: 'Incremented', by: 1 })
  const bytes = Buffer.from(event)
  let lastKey = 0
  const putAll = async (count: number): Promise<void> => {
    await store.batch(() => {
      for (let index = 0; index < count; index++) {
        const key = Buffer.alloc(8)
        key.writeDoubleBE(++lastKey)
        void store.put(key, bytes)
      }
    })
  }
  const round = groupCommits(writers, defaultLmdbSettings.commitEventsMax, putAll)
  return {
    round,
    tearDown: async () => {
      await store.close()
      remove()
    },
  }
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

/** Writers that each wait for their own event; those that wait at the same time share a commit. */
function groupCommits(
  writers: number,
  eventsMax: number,
  putAll: (count: number) => Promise<void>,
): Running['round'] {
  const waiting: (() => void)[] = []
  let isCommitting = false
  const commit = async (): Promise<void> => {
    isCommitting = true
    while (waiting.length > 0) {
      const taken = waiting.splice(0, Math.min(eventsMax, writers))
      await putAll(taken.length)
      for (const stored of taken) stored()
    }
    isCommitting = false
  }
  const put = (): Promise<void> =>
    new Promise((stored) => {
      waiting.push(stored)
      if (!isCommitting) void commit()
    })
  const writer = async (events: number): Promise<void> => {
    for (let count = 0; count < events; count++) await put()
  }
  return async (operations) => {
    await Promise.all(Array.from({ length: writers }, () => writer(operations / writers)))
  }
}
