import { afterAll, beforeAll, expect, test } from 'vitest'
import { PostgresJournal } from '../../src/persistence/index.ts'
import { postgresForTests, query, type TestDatabases } from './postgres-server.ts'

let server: TestDatabases
beforeAll(async () => {
  server = await postgresForTests()
})
afterAll(() => server.stop())

const ids = Array.from({ length: 24 }, (_, at) => `Account|${at}`)
const event = (text: string): Buffer => Buffer.from(text)

async function twoJournals(): Promise<readonly [PostgresJournal, PostgresJournal, string]> {
  const url = await server.newDatabase()
  // One connection, so that all appends of a turn share one commit.
  const settings = { writeConnections: 1 }
  const open = (): Promise<PostgresJournal> => PostgresJournal.open({ url, settings })
  return [await open(), await open(), url]
}

async function eventsOf(journal: PostgresJournal, persistenceId: string): Promise<string[]> {
  const found: string[] = []
  const range = { persistenceId, fromSequenceNr: 1, toSequenceNr: 100 }
  await journal.read(range, ({ sequenceNr, epoch, tags, bytes }) =>
    found.push([sequenceNr, epoch, Buffer.from(bytes), ...tags].join(' ')),
  )
  return found
}

test('stores the others of a commit in which one stream has another writer and one other events', async () => {
  const [journal, other, url] = await twoJournals()
  for (const id of ids) await journal.claim(id, 'first')
  await other.claim(ids[3]!, 'second')
  const results = await Promise.all(
    ids.map((persistenceId, at) =>
      journal.append({
        persistenceId,
        epoch: 1,
        expectedSequenceNr: at === 5 ? 7 : 0,
        events: [event('a'), { bytes: event('b'), tags: ['x', 'y'] }],
      }),
    ),
  )
  expect(results).toEqual(
    ids.map((_, at) => {
      if (at === 3) return { type: 'Fenced', byEpoch: 2, byWriter: 'second' }
      if (at === 5) return { type: 'SequenceConflict', highestSequenceNr: 0 }
      return { type: 'Appended', highestSequenceNr: 2 }
    }),
  )
  for (const [at, id] of ids.entries()) {
    const stored = at === 3 || at === 5 ? [] : ['1 1 a', '2 1 b x y']
    expect(await eventsOf(other, id)).toEqual(stored)
  }
  const [row] = await query(url, 'SELECT sum(live)::int AS live FROM sherd_log')
  expect(row).toEqual({ live: 2 * (ids.length - 2) })
  await Promise.all([journal.close(), other.close()])
})

test('stores events of streams that another journal has claimed, whose numbers it has to ask for', async () => {
  const [journal, other] = await twoJournals()
  for (const id of ids) await other.claim(id, 'first')
  const append = (persistenceId: string, expectedSequenceNr: number) =>
    journal.append({ persistenceId, epoch: 1, expectedSequenceNr, events: [event('a')] })
  // Two of each, so that appends that follow each other become one.
  const results = await Promise.all(ids.flatMap((id) => [append(id, 0), append(id, 1)]))
  expect(results.every(({ type }) => type === 'Appended')).toBe(true)
  for (const id of ids) expect(await eventsOf(other, id)).toEqual(['1 1 a', '2 1 a'])
  const page = await other.readSlices({ fromSlice: 0, toSlice: 1023, eventsMax: 1000 })
  expect(page.events).toHaveLength(2 * ids.length)
  expect(page.events.filter(({ persistenceId }) => persistenceId === ids[0])).toMatchObject([
    { sequenceNr: 1 },
    { sequenceNr: 2 },
  ])
  await Promise.all([journal.close(), other.close()])
})

test('claims under the leases of many shards at once, from several processes, wait for each other in one order', async () => {
  const url = await server.newDatabase()
  const open = (): Promise<PostgresJournal> => PostgresJournal.open({ url })
  const journals = await Promise.all([open(), open(), open()])
  const claims = journals.flatMap((journal, nth) =>
    Array.from({ length: 200 }, (_, i) => {
      const shard = (i * [7, 11, 13][nth]!) % 12
      const grant = { name: `shop-shard-Account-${shard}`, token: 1 + nth }
      return i % 3 === 0
        ? journal.claimState(`Account|${shard}/${i % 9}`, 'w', grant)
        : journal.claim(`Account|${shard}/${i % 9}`, 'w', grant)
    }),
  )
  const results = await Promise.allSettled(claims)
  const refusals = results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as { code?: string }).code] : [],
  )
  expect(new Set(refusals)).toEqual(new Set(refusals.length === 0 ? [] : ['CLAIM_FENCED']))
  expect(results.slice(400).every(({ status }) => status === 'fulfilled')).toBe(true)
  const [row] = await query(
    url,
    'SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(row).toEqual({ count: 0 })
  await Promise.all(journals.map((journal) => journal.close()))
})

test('refuses a stream that nobody has claimed, and stores the others of its commit', async () => {
  const [journal, other] = await twoJournals()
  await journal.claim('Account|1', 'first')
  const given = { epoch: 1, expectedSequenceNr: 0, events: [event('a')] }
  const [known, unknown] = await Promise.allSettled([
    journal.append({ persistenceId: 'Account|1', ...given }),
    journal.append({ persistenceId: 'Account|2', ...given }),
  ])
  expect(known).toMatchObject({ value: { type: 'Appended' } })
  expect(unknown).toMatchObject({ reason: { code: 'INVALID_JOURNAL_CALL' } })
  await Promise.all([journal.close(), other.close()])
})

test('stores stream by stream where the engine does not know the statement for all of them', async () => {
  const [journal, other, url] = await twoJournals()
  await query(url, 'ALTER FUNCTION pg_catalog.cardinality(anyarray) RENAME TO not_known')
  for (const id of ids) await journal.claim(id, 'first')
  for (const expectedSequenceNr of [0, 1]) {
    const results = await Promise.all(
      ids.map((persistenceId) =>
        journal.append({ persistenceId, epoch: 1, expectedSequenceNr, events: [event('a')] }),
      ),
    )
    expect(new Set(results.map(({ type }) => type))).toEqual(new Set(['Appended']))
  }
  expect(await eventsOf(other, ids[0]!)).toEqual(['1 1 a', '2 1 a'])
  await Promise.all([journal.close(), other.close()])
  expect(await failedStatements(url)).toBe(1)
})

test('finds the numbers of streams anew after tables were restored with others', async () => {
  const [journal, other, url] = await twoJournals()
  for (const id of ids) await journal.claim(id, 'first')
  await query(url, 'UPDATE sherd_streams SET number = number + 1000')
  for (const expectedSequenceNr of [0, 1, 2]) {
    const results = await Promise.all(
      ids.map((persistenceId) =>
        journal.append({ persistenceId, epoch: 1, expectedSequenceNr, events: [event('a')] }),
      ),
    )
    expect(new Set(results.map(({ type }) => type))).toEqual(new Set(['Appended']))
  }
  expect(await eventsOf(other, ids[0]!)).toEqual(['1 1 a', '2 1 a', '3 1 a'])
  await Promise.all([journal.close(), other.close()])
  expect(await failedStatements(url)).toBe(1)
})

/** Of connections that were closed, besides the first look for tables that were not there yet. */
async function failedStatements(url: string): Promise<number> {
  const text = `SELECT xact_rollback::int AS count FROM pg_stat_database WHERE datname = current_database()`
  return Number((await query(url, text))[0]?.['count']) - 1
}

test('reads only the rows that it writes, also where plans are of a time with one row', async () => {
  const [journal, other, url] = await twoJournals()
  const { epoch } = await journal.claim('Account|1', 'first')
  const state = await journal.claimState('Account|1', 'first')
  await query(url, 'ANALYZE')
  const own = { persistenceId: 'Account|1', epoch }
  const write = async (before: number): Promise<void> => {
    const events = [event('a')]
    await journal.append({ ...own, expectedSequenceNr: before, events })
    // Not as expected, so that it is decided stream by stream.
    const again = await journal.append({ ...own, expectedSequenceNr: before, events })
    expect(again.type).toBe('SequenceConflict')
    const revisions = { expectedRevision: before, revision: before + 1 }
    await journal.writeState({ ...own, epoch: state.epoch, ...revisions, bytes: event('b') })
  }
  await write(0)
  for (const table of ['sherd_streams', 'sherd_states']) {
    await query(
      url,
      `INSERT INTO ${table} (id, slice, epoch, writer)
SELECT convert_to('Other|' || n, 'UTF8'), 0, 1, '' FROM generate_series(1, 5000) AS g (n)`,
    )
  }
  await write(1)
  await Promise.all([journal.close(), other.close()])
  const read = await query(
    url,
    `SELECT relname, sum(idx_tup_read) < 100 AS is_little FROM pg_stat_user_indexes
WHERE relname IN ('sherd_streams', 'sherd_states') GROUP BY relname ORDER BY relname`,
  )
  expect(read).toEqual([
    { relname: 'sherd_states', is_little: true },
    { relname: 'sherd_streams', is_little: true },
  ])
})
