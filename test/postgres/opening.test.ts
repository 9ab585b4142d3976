import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemTimers } from '../../src/foundation/system-timers.ts'
import type { Timers } from '../../src/foundation/timers.ts'
import {
  PostgresJournal,
  type PostgresJournalOptions,
  postgresSchemaSql,
} from '../../src/persistence/index.ts'
import { loadPostgresDriver } from '../../src/persistence/journals/postgres/postgres-driver.ts'
import { appendText, claimed, readTexts } from '../../src/testkit/journal-contract/journal-texts.ts'
import { PostgresServer, query } from './postgres-server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
  await query(server.url, `CREATE ROLE guarded LOGIN PASSWORD 'right'`)
  await query(server.url, 'CREATE ROLE weak LOGIN')
})
afterAll(() => server.stop())

const databaseOf = (url: string): string => new URL(url).pathname.slice(1)

async function refusal(options: PostgresJournalOptions): Promise<Error> {
  const opening = PostgresJournal.open(options).then(async (journal) => {
    await journal.close()
    throw new Error('it was opened')
  })
  return opening.catch((error: Error) => error)
}

async function closed(opening: Promise<PostgresJournal>): Promise<string> {
  const journal = await opening
  await journal.close()
  return journal.storeId
}

describe('a store that cannot be opened says what to do', () => {
  test('without the driver', async () => {
    const missing = Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' })
    await expect(loadPostgresDriver(() => Promise.reject(missing))).rejects.toMatchObject({
      code: 'POSTGRES_DRIVER_MISSING',
      message: expect.stringContaining('npm install pg') as string,
    })
  })

  test('where no server is', async () => {
    const error = await refusal({ url: 'postgres://sherd:secret@127.0.0.1:1/x' })
    expect(error).toMatchObject({ code: 'POSTGRES_UNUSABLE', place: '127.0.0.1:1/x' })
    expect(error.message).toContain('nobody listens there')
    expect(error.message).not.toContain('secret')
  })

  test('with a wrong password, a user and a database that are not there', async () => {
    const wrong = await refusal({ url: server.urlOf('guarded', 'postgres', 'wrong') })
    expect(wrong).toMatchObject({ code: 'POSTGRES_UNUSABLE', sqlState: '28P01' })
    expect(wrong.message).toContain('the password is wrong')
    const nobody = await refusal({ url: server.urlOf('nobody', 'postgres') })
    expect(nobody).toMatchObject({ code: 'POSTGRES_UNUSABLE', sqlState: '28000' })
    const nowhere = await refusal({ url: server.urlOf('sherd', 'nowhere') })
    expect(nowhere).toMatchObject({ code: 'POSTGRES_UNUSABLE', sqlState: '3D000' })
    expect(nowhere.message).toContain('there is no such database. Create it')
  })

  test('for a user who may not make tables, or not use them', async () => {
    const url = await server.newDatabase()
    const weak = server.urlOf('weak', databaseOf(url))
    const toMake = await refusal({ url: weak })
    expect(toMake).toMatchObject({ code: 'POSTGRES_UNUSABLE', sqlState: '42501' })
    expect(toMake.message).toContain('this user may do too little')
    await closed(PostgresJournal.open({ url }))
    const toUse = await refusal({ url: weak })
    expect(toUse).toMatchObject({ code: 'POSTGRES_UNUSABLE', sqlState: '42501' })
  })

  test('where the server takes no writes', async () => {
    const url = await server.newDatabase()
    const set = `ALTER DATABASE ${databaseOf(url)} SET default_transaction_read_only = on`
    await query(server.url, set)
    const error = await refusal({ url })
    expect(error).toMatchObject({ code: 'POSTGRES_UNUSABLE', sqlState: '25006' })
    expect(error.message).toContain('address of the primary')
  })

  test('where somebody holds the locks of its tables', async () => {
    const url = await server.newDatabase()
    await closed(PostgresJournal.open({ url }))
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query('BEGIN')
    await other.query('LOCK TABLE sherd_meta IN ACCESS EXCLUSIVE MODE')
    // What takes half a minute comes soon.
    const after: Timers['after'] = (ms, tell) => systemTimers.after(ms < 30_000 ? ms : 200, tell)
    const error = await refusal({ url, timers: { after } })
    expect(error).toMatchObject({ code: 'POSTGRES_UNUSABLE' })
    expect(error.message).toContain('Does somebody hold locks')
    await other.end()
  })

  test('with tables of another version', async () => {
    const url = await server.newDatabase()
    await closed(PostgresJournal.open({ url }))
    await query(url, 'UPDATE sherd_meta SET version = 99')
    const error = await refusal({ url })
    expect(error).toMatchObject({ code: 'POSTGRES_SCHEMA_MISMATCH', found: 99, expected: 1 })
    expect(error.message).toContain('Use the version of Sherd that made them, or a newer one')
  })

  test('with options that cannot be', async () => {
    const url = 'postgres://sherd@127.0.0.1:1/x'
    const bad: PostgresJournalOptions[] = [
      ...[{}, { url: 'http://x' }, { url, schema: 'x"; DROP TABLE y; --' }],
      ...[{ partitions: [] }, { partitions: [url, `${url}2`, `${url}3`] }],
      ...[{ partitions: [url, url] }, { url: `${url}2`, partitions: [url, `${url}2`] }],
      ...[
        { url, settings: { writeConnections: 3 } },
        { url, settings: { commitEventsMax: 0 } },
      ],
    ]
    for (const options of bad) {
      expect(await refusal(options)).toMatchObject({ code: 'INVALID_SETTINGS' })
    }
  })
})

describe('the tables', () => {
  test('are made once by many who come at the same time, and all have the same store', async () => {
    const url = await server.newDatabase()
    const ids = await Promise.all(
      Array.from({ length: 10 }, () => closed(PostgresJournal.open({ url }))),
    )
    expect(new Set(ids).size).toBe(1)
    expect(await query(url, 'SELECT count(*)::int AS count FROM sherd_lanes')).toEqual([
      { count: 4 },
    ])
  })

  test('can be made by somebody else, from printed SQL, for a user with few rights', async () => {
    const url = await server.newDatabase()
    const weak = server.urlOf('weak', databaseOf(url))
    const options = { url: weak, schema: 'app', createSchema: false }
    const missing = await refusal(options)
    expect(missing).toMatchObject({ code: 'POSTGRES_UNUSABLE' })
    expect(missing.message).toContain('Run what postgresSchemaSql() gives')
    await query(url, postgresSchemaSql({ schema: 'app' }))
    await query(url, 'GRANT USAGE ON SCHEMA app TO weak')
    const rights = 'SELECT, INSERT, UPDATE, DELETE'
    await query(url, `GRANT ${rights} ON ALL TABLES IN SCHEMA app TO weak`)
    const journal = await PostgresJournal.open(options)
    const writer = await claimed(journal, 'a')
    await appendText(journal, writer, 'x')
    expect(await readTexts(journal, 'a')).toEqual(['x'])
    await journal.close()
  })
})

describe('a store on several servers', () => {
  const servers = async (count: number): Promise<string[]> => {
    const urls: string[] = []
    for (let index = 0; index < count; index++) urls.push(await server.newDatabase())
    return urls
  }

  test('has one id, and its events are spread', async () => {
    const partitions = await servers(4)
    const journal = await PostgresJournal.open({ partitions })
    const ids = Array.from({ length: 40 }, (_, i) => `Account|${i}`)
    await Promise.all(ids.map(async (id) => appendText(journal, await claimed(journal, id), id)))
    for (const id of ids) expect(await readTexts(journal, id)).toEqual([id])
    const count = 'SELECT count(*)::int AS count FROM sherd_events'
    const counts = await Promise.all(partitions.map(async (url) => (await query(url, count))[0]))
    const numbers = counts.map((row) => Number(row?.['count']))
    expect(Math.min(...numbers)).toBeGreaterThan(0)
    expect(numbers.reduce((sum, each) => sum + each, 0)).toBe(40)
    await journal.close()
    expect(await closed(PostgresJournal.open({ partitions }))).toBe(journal.storeId)
  })

  test('refuses another order, another number, and the same server twice', async () => {
    const [a = '', b = '', c = '', d = ''] = await servers(4)
    await closed(PostgresJournal.open({ partitions: [a, b] }))
    const swapped = await refusal({ partitions: [b, a] })
    expect(swapped).toMatchObject({ code: 'POSTGRES_PARTITION_MISMATCH' })
    expect(swapped.message).toContain('given as server 1 of 2, with the slices 0 to 511,')
    expect(swapped.message).toContain('it is server 2 of 2, with the slices 512 to 1023,')
    for (const partitions of [[a], [b], [a, b, c, d]]) {
      const error = await refusal({ partitions })
      expect(error).toMatchObject({ code: 'POSTGRES_PARTITION_MISMATCH' })
    }
    const twice = await refusal({ partitions: [c, c.replace('127.0.0.1', 'localhost')] })
    expect(twice).toMatchObject({ code: 'POSTGRES_PARTITION_MISMATCH' })
    // One server of a store beside one of another.
    await closed(PostgresJournal.open({ partitions: [d, await server.newDatabase()] }))
    const mixed = await refusal({ partitions: [d, b] })
    expect(mixed).toMatchObject({ code: 'POSTGRES_PARTITION_MISMATCH' })
    expect(mixed.message).toMatch(/of the store \w+,? and its tables say .* of the store \w+/)
  })
})
