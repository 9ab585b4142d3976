import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { MemoryJournal } from '../../src/persistence/index.ts'
import {
  defineProjection,
  type ProjectionContext,
  type RunningProjection,
  startProjection,
} from '../../src/projection/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Cart, Shop } from '../projection/shop.ts'
import { nodeFor } from '../node/nodes.ts'
import { postgresForTests, query, type TestDatabases } from './postgres-server.ts'

let servers: TestDatabases
beforeAll(async () => {
  servers = await postgresForTests()
})
afterAll(() => servers.stop())

const running: RunningProjection[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()))
})

const ids = Array.from({ length: 12 }, (_, index) => `cart-${index}`)

/** A table that shows every event that is counted twice, or not at all. */
async function databaseWithTotals(): Promise<string> {
  const url = await servers.newDatabase()
  await query(url, 'CREATE TABLE totals (id text PRIMARY KEY, total int NOT NULL)')
  return url
}

async function totalsIn(url: string): Promise<Record<string, unknown>> {
  const rows = await query(url, 'SELECT id, total FROM totals')
  return Object.fromEntries(rows.map(({ id, total }) => [String(id), total]))
}

async function add({ client }: ProjectionContext, id: string): Promise<void> {
  await client.query(
    'INSERT INTO totals VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET total = totals.total + 1',
    [id],
  )
}

const settings = { pollIntervalMs: 5, backOffMinMs: 2, backOffMaxMs: 20, keepAliveIntervalMs: 50 }
const quiet = () => ({ logger: new CapturedLogs() })

/** Resolves when all ranges have seen the end, with everything in the view. */
async function caughtUp(projection: RunningProjection, counts: () => Promise<boolean>) {
  while (!(await counts())) {
    const { ranges } = await projection.status()
    const stopped = ranges.find(({ isStopped }) => isStopped)
    if (stopped !== undefined) throw new Error(stopped.failing)
  }
}

async function started(
  shop: Shop,
  options: Partial<Parameters<typeof startProjection<typeof Cart>>[0]>,
): Promise<RunningProjection> {
  const projection = await startProjection<typeof Cart>({
    ...{ journal: new MemoryJournal({ store: shop.store }), environment: quiet() },
    ...{ name: 'totals', from: Cart, ranges: 4, settings },
    ...options,
  } as Parameters<typeof startProjection<typeof Cart>>[0])
  running.push(projection)
  return projection
}

test('each event counts once, whatever fails: handlers, connections, and processes that take over', async () => {
  const url = await databaseWithTotals()
  const shop = new Shop()
  let calls = 0
  const handle = async ({ id }: { readonly id: string }, context: ProjectionContext) => {
    await add(context, id)
    calls++
    if (calls % 7 === 0) throw new Error('after it has written')
    if (calls % 11 === 0)
      await context.client.query('SELECT pg_terminate_backend(pg_backend_pid())')
  }
  await started(shop, { postgres: { url }, handle })
  for (let round = 0; round < 5; round++) {
    for (const id of ids) await shop.added(id, 'tea')
    // Another process of the same name takes the ranges over, in the middle of it.
    if (round === 2) await started(shop, { postgres: { url, connectionsMax: 2 }, handle })
  }
  const last = running.at(-1) as RunningProjection
  const sum = async () =>
    Number((await query(url, 'SELECT coalesce(sum(total), 0)::int AS n FROM totals'))[0]?.['n'])
  await caughtUp(last, async () => (await sum()) >= 5 * ids.length)
  expect(await totalsIn(url)).toEqual(Object.fromEntries(ids.map((id) => [id, 5])))
  expect(calls).toBeGreaterThan(5 * ids.length)
})

test('batches count once too, in a pool and a table of the user', async () => {
  const url = await databaseWithTotals()
  await query(url, 'CREATE SCHEMA views')
  const pool = new Pool({ connectionString: url, max: 3 })
  const shop = new Shop()
  for (const id of [...ids, ...ids]) await shop.added(id, 'tea')
  let calls = 0
  const projection = await started(shop, {
    postgres: { pool, table: 'views.offsets' },
    handleMany: async (events, context) => {
      for (const { id } of events) await add(context, id)
      if (++calls % 2 === 1) throw new Error('after it has written')
    },
    settings: { ...settings, batchEventsMax: 5, batchAfterMs: 1 },
  })
  await caughtUp(projection, async () => {
    const { total } = (await query(url, 'SELECT sum(total)::int AS total FROM totals'))[0] ?? {}
    return Number(total) >= 2 * ids.length
  })
  expect(await totalsIn(url)).toEqual(Object.fromEntries(ids.map((id) => [id, 2])))
  await projection.stop()
  const rows = await query(url, 'SELECT name FROM views.offsets')
  expect(rows).toHaveLength(4)
  await pool.end()
})

test('a handler that hides a failed statement has failed, and an outage skips nothing', async () => {
  const url = await databaseWithTotals()
  const shop = new Shop()
  await shop.added('ann', 'tea')
  await shop.added('ann', 'milk')
  const skipped: string[] = []
  let cuts = 0
  const projection = await started(shop, {
    postgres: { url },
    handle: async ({ id, sequenceNr }, context) => {
      if (sequenceNr === 1)
        await context.client.query('SELECT * FROM nowhere').catch(() => undefined)
      else if (++cuts <= 3)
        await context.client.query('SELECT pg_terminate_backend(pg_backend_pid())')
      else await add(context, id)
    },
    // oxlint-disable-next-line unicorn/no-thenable
    onFailure: { retries: 1, then: 'skip' },
    onSkipped: (_, error) => void skipped.push(error.message),
  })
  await caughtUp(projection, async () => (await totalsIn(url))['ann'] === 1)
  expect(skipped).toEqual([expect.stringContaining('Do not catch errors of `client`')])
  expect(cuts).toBe(4)
})

test('nothing stays of what a handler wrote before it failed', async () => {
  const url = await databaseWithTotals()
  const shop = new Shop()
  await shop.added('ann', 'tea')
  await shop.added('bob', 'tea')
  const skipped: string[] = []
  const projection = await started(shop, {
    postgres: { url },
    handle: async ({ id }, context) => {
      await add(context, id)
      if (id === 'ann') throw new Error('after it has written')
    },
    // oxlint-disable-next-line unicorn/no-thenable
    onFailure: { retries: 1, then: 'skip' },
    onSkipped: (event) => void skipped.push(event?.id ?? ''),
  })
  await caughtUp(projection, async () => 'bob' in (await totalsIn(url)) && skipped.length > 0)
  expect(await totalsIn(url)).toEqual({ bob: 1 })
  expect(skipped).toEqual(['ann'])
})

test('another definition is refused, and reset begins again', async () => {
  const url = await databaseWithTotals()
  const shop = new Shop()
  await shop.added('ann', 'tea')
  const handle = async ({ id }: { readonly id: string }, context: ProjectionContext) =>
    add(context, id)
  const first = await started(shop, { postgres: { url }, handle })
  await caughtUp(first, async () => (await totalsIn(url))['ann'] === 1)
  await first.reset()
  await caughtUp(first, async () => (await totalsIn(url))['ann'] === 2)
  await first.stop()
  await expect(started(shop, { postgres: { url }, handle, ranges: 8 })).rejects.toMatchObject({
    code: 'PROJECTION_CHANGED',
  })
})

test('what is wrong with the database is told at once, and without its password', () => {
  const options = { name: 'x', from: Cart, handle: () => undefined } as const
  const define = (postgres: object) => () => defineProjection({ ...options, postgres })
  expect(define({})).toThrow(/postgres needs one of url and pool/)
  expect(define({ url: 'http://me:secret@host', table: 'a b' })).toThrow(
    /postgres\.url must begin with postgres:\/\/\n.*postgres\.table must be/,
  )
  expect(define({ url: 'http://me:secret@host' })).not.toThrow(/secret/)
})

test('nodes on PostgreSQL count each event once in the same database, while one of them leaves', async () => {
  const url = (await databaseWithTotals()) as `postgres://${string}`
  const totals = () =>
    defineProjection({
      ...{ name: 'totals', from: Cart, ranges: 4, postgres: { url }, settings },
      handle: ({ id }, context) => add(context, id),
    })
  const start = (seeds: readonly string[]) =>
    nodeFor({
      ...{ entities: [Cart], projections: [totals()], store: url, seeds },
      settings: { sharding: { rebalanceIntervalMs: 100 } },
    })
  const first = await start([])
  const second = await start([first.address])
  for (const id of ids) await second.entity(Cart, id).add('tea', 1)
  await first.stop()
  for (const id of ids) await second.entity(Cart, id).add('milk', 1)
  const sum = async () =>
    Object.values(await totalsIn(url)).reduce<number>((a, b) => a + Number(b), 0)
  while ((await sum()) < 2 * ids.length) {
    const { ranges } = await second.projection('totals').status()
    expect(ranges.filter(({ isStopped }) => isStopped)).toEqual([])
  }
  expect(await totalsIn(url)).toEqual(Object.fromEntries(ids.map((id) => [id, 2])))
})
