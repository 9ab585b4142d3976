import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { PostgresJournal, type PostgresSettings, sliceOf } from '../../src/persistence/index.ts'
import {
  allSlices,
  appendText,
  claimed,
  readTexts,
  type Writer,
} from '../../src/testkit/journal-contract/journal-texts.ts'
import { HeldCommits, heldText, terminate, waiting } from './held-commits.ts'
import { PostgresServer, query } from './postgres-server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await PostgresServer.start()
})
afterAll(() => server.stop())

interface Opened {
  readonly url: string
  readonly journal: PostgresJournal
  readonly writer: Writer
}

/** With one event in the stream `a`. */
async function opened(settings: Partial<PostgresSettings> = {}): Promise<Opened> {
  const url = await server.newDatabase()
  const journal = await PostgresJournal.open({ url, settings })
  const writer = await claimed(journal, 'a')
  await appendText(journal, writer, 'first')
  return { url, journal, writer: { ...writer, after: 1 } }
}

/** The journal that met the trouble goes on by itself. */
async function expectGoingOn(journal: PostgresJournal, texts: readonly string[]): Promise<void> {
  const next = await claimed(journal, 'a', 'next')
  expect(next.after).toBe(texts.length)
  expect((await appendText(journal, next, 'more')).type).toBe('Appended')
  expect(await readTexts(journal, 'a')).toEqual([...texts, 'more'])
  await journal.close()
}

const unavailable = { code: 'JOURNAL_UNAVAILABLE' }
const unknown = { code: 'JOURNAL_OUTCOME_UNKNOWN' }

describe('a server that is stopped and started', () => {
  test('delays what is stored meanwhile, and loses nothing', async () => {
    const { journal, writer } = await opened()
    await server.stopServer()
    const storing = appendText(journal, writer, 'second')
    const reading = readTexts(journal, 'a', 1, 1)
    await server.startAgain()
    expect((await storing).type).toBe('Appended')
    expect(await reading).toEqual(['first'])
    await expectGoingOn(journal, ['first', 'second'])
  })

  test('refuses what waits for it too long, and takes it afterwards', async () => {
    const { journal, writer } = await opened({ commitTimeoutMs: 400, readTimeoutMs: 400 })
    await server.stopServer()
    await expect(appendText(journal, writer, 'lost')).rejects.toMatchObject(unavailable)
    await expect(readTexts(journal, 'a')).rejects.toMatchObject(unavailable)
    await expect(journal.readRegister('r')).rejects.toMatchObject(unavailable)
    await server.startAgain()
    await expectGoingOn(journal, ['first'])
  })

  test('is asked nothing while it is a standby, whose answers may be old', async () => {
    const { url, journal } = await opened({ readTimeoutMs: 400 })
    await journal.writeRegister({ name: 'r', expectedRevision: 0, bytes: Buffer.from('x') })
    await server.stopServer()
    await server.startAsStandby()
    const reading = journal.readRegister('r')
    await expect(reading).rejects.toMatchObject(unavailable)
    await expect(reading).rejects.toThrow(/takes no writes: it is a standby/)
    await query(url, 'SELECT pg_promote()')
    expect((await journal.readRegister('r'))?.revision).toBe(1)
    await expectGoingOn(journal, ['first'])
  })

  test('has everything that was acknowledged before it was killed', async () => {
    const { url, journal } = await opened()
    const ids = Array.from({ length: 20 }, (_, i) => `writer-${i}`)
    const acknowledged = new Map(ids.map((id) => [id, 0]))
    const killed = new AbortController()
    const write = async (id: string): Promise<void> => {
      const writer = await claimed(journal, id)
      try {
        for (let after = 0; !killed.signal.aborted; after++) {
          await appendText(journal, { ...writer, after }, `${after + 1}`)
          acknowledged.set(id, after + 1)
        }
      } catch (error) {
        expect(['JOURNAL_UNAVAILABLE', 'JOURNAL_OUTCOME_UNKNOWN']).toContain(
          (error as { code: string }).code,
        )
      }
    }
    const writing = ids.map(write)
    await expect.poll(() => Math.min(...acknowledged.values())).toBeGreaterThan(20)
    await server.killServer()
    killed.abort()
    await server.startAgain()
    await Promise.all(writing)
    for (const id of ids) {
      const texts = await readTexts(journal, id)
      const count = acknowledged.get(id) ?? 0
      // One more may have been stored without anybody having heard of it.
      expect([count, count + 1]).toContain(texts.length)
      expect(texts).toEqual(texts.map((_, index) => `${index + 1}`))
      expect(await journal.highestSequenceNr(id)).toBe(texts.length)
    }
    await journal.close()
    await query(url, 'SELECT 1')
  })
})

describe('a commit whose connection is lost', () => {
  test('has an outcome that nobody knows; the next writer learns it', async () => {
    const { url, journal, writer } = await opened()
    const held = await HeldCommits.start(url)
    const storing = appendText(journal, writer, heldText)
    const behind = appendText(journal, { ...writer, after: 2 }, 'behind')
    const settled = Promise.allSettled([storing, behind])
    await waiting(url, 1)
    await terminate(url, 'waiting')
    // Both were in it.
    for (const outcome of await settled) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: unknown })
    }
    await held.release()
    await expectGoingOn(journal, ['first'])
  })

  test('that was lost while nobody used it is made anew without anybody noticing', async () => {
    const { url, journal, writer } = await opened()
    for (let after = 1; after < 4; after++) {
      await terminate(url, 'all')
      const { type } = await appendText(journal, { ...writer, after }, `${after}`)
      expect(type).toBe('Appended')
    }
    await expectGoingOn(journal, ['first', '1', '2', '3'])
  })

  test('that takes too long is given up, and holds nobody up afterwards', async () => {
    const { url, journal, writer } = await opened({ commitTimeoutMs: 300 })
    const held = await HeldCommits.start(url)
    const storing = appendText(journal, writer, heldText)
    await expect(storing).rejects.toMatchObject(unknown)
    // The server knows nothing of that, and commits in the end: what the next writer finds.
    await held.release()
    await vi.waitFor(async () => expect((await claimed(journal, 'a')).after).toBe(2), {
      timeout: 20_000,
    })
    await expectGoingOn(journal, ['first', heldText])
  })
})

describe('connections that read', () => {
  test('are asked one thing at a time, as the driver wants it', async () => {
    const { journal } = await opened({ readConnections: 1 })
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    const reads = await Promise.all(Array.from({ length: 20 }, () => readTexts(journal, 'a')))
    expect(new Set(reads.flat())).toEqual(new Set(['first']))
    await journal.close()
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  test('are all gone when the journal is closed in the middle of a page', async () => {
    const { url, journal } = await opened()
    const page = journal.readSlices(allSlices)
    const settled = Promise.allSettled([page])
    await journal.close()
    await settled
    const left = `SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'sherd'`
    await vi.waitFor(async () => expect(await query(url, left)).toEqual([]), { timeout: 20_000 })
  })
})

test('a server that does not answer holds up nobody who closes', async () => {
  const { url, journal } = await opened({ commitTimeoutMs: 300, readTimeoutMs: 300 })
  const backends = await query(
    url,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sherd'`,
  )
  const signal = (name: NodeJS.Signals): void => {
    for (const { pid } of backends) process.kill(Number(pid), name)
  }
  signal('SIGSTOP')
  try {
    await journal.close()
  } finally {
    signal('SIGCONT')
  }
})

test('a snapshot that was on its way when its stream was ended does not come back', async () => {
  const { url, journal, writer } = await opened()
  const { id: persistenceId, epoch } = writer
  await journal.deleteEvents({ persistenceId, epoch, expectedSequenceNr: 1, events: [] })
  await query(
    url,
    `INSERT INTO sherd_snapshots (stream, seq, saved_at, bytes) SELECT number, 1, 0, 'x' FROM sherd_streams`,
  )
  const all = { persistenceId, fromSequenceNr: 0, toSequenceNr: Number.MAX_SAFE_INTEGER }
  expect(await journal.loadSnapshot(all)).toBeUndefined()
  await journal.close()
})

describe('a server that refuses for a while', () => {
  test('because it takes no writes: what waits is stored when it does', async () => {
    const { url, journal, writer } = await opened()
    const name = new URL(url).pathname.slice(1)
    await query(server.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await terminate(url, 'all')
    const storing = appendText(journal, writer, 'second')
    await query(server.url, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
    expect((await storing).type).toBe('Appended')
    await expectGoingOn(journal, ['first', 'second'])
  })

  test('because it is read-only for long: says so', async () => {
    const { url, journal, writer } = await opened({ commitTimeoutMs: 400 })
    const name = new URL(url).pathname.slice(1)
    await query(server.url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await terminate(url, 'all')
    await expect(appendText(journal, writer, 'lost')).rejects.toThrow(
      /Nothing was done.*takes no writes.*address of the primary/,
    )
    await query(server.url, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
    await expectGoingOn(journal, ['first'])
  })

  test('because it has too many connections', async () => {
    const url = await server.newDatabase()
    await query(server.url, 'CREATE ROLE few LOGIN')
    await query(url, 'GRANT ALL ON SCHEMA public TO few')
    const few = url.replace('sherd@', 'few@')
    const journal = await PostgresJournal.open({ url: few })
    const writer = await claimed(journal, 'a')
    await query(server.url, 'ALTER ROLE few CONNECTION LIMIT 0')
    await terminate(url, 'all')
    const storing = appendText(journal, writer, 'first')
    await query(server.url, 'ALTER ROLE few CONNECTION LIMIT -1')
    expect((await storing).type).toBe('Appended')
    await expectGoingOn(journal, ['first'])
  })

  test('because its disk is full: says so, stores nothing, and goes on when there is room', async () => {
    const { url, journal, writer } = await opened()
    await query(
      url,
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`,
    )
    await query(
      url,
      `CREATE TRIGGER full_disk BEFORE INSERT ON sherd_events EXECUTE FUNCTION full_disk()`,
    )
    const refused = appendText(journal, writer, 'lost')
    await expect(refused).rejects.toThrow(/its disk is full. Make room there/)
    await expect(refused).rejects.toMatchObject(unavailable)
    await query(url, 'DROP TRIGGER full_disk ON sherd_events')
    await expectGoingOn(journal, ['first'])
  })
})

describe('transactions of others', () => {
  test('that lock the same rows the other way round end in no error here', async () => {
    const { url, journal, writer } = await opened()
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query('BEGIN')
    await other.query('SELECT * FROM sherd_streams FOR UPDATE')
    const storing = appendText(journal, writer, 'second')
    await waiting(url, 1)
    // Now each waits for the other, and the server ends the statement that waited longer: ours.
    await other.query('SELECT * FROM sherd_lanes ORDER BY lane FOR UPDATE')
    await other.query('COMMIT')
    await other.end()
    expect((await storing).type).toBe('Appended')
    await expectGoingOn(journal, ['first', 'second'])
  })

  /** Deletes all of `a`, and does this while the journal waits to take its events out of the tables. */
  async function meanwhile(
    { url, journal, writer: { id, epoch, after } }: Opened,
    ...texts: readonly string[]
  ): Promise<void> {
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query('BEGIN')
    await other.query('SELECT * FROM sherd_lanes ORDER BY lane FOR UPDATE')
    await journal.deleteEventsTo({ persistenceId: id, epoch, toSequenceNr: after })
    await waiting(url, 1)
    for (const text of texts) await other.query(text)
    await other.query('COMMIT')
    await other.end()
  }

  test('that take the same deleted events out of the tables leave none behind', async () => {
    const { url, journal, writer } = await opened()
    await appendText(journal, writer, ...Array.from({ length: 599 }, () => 'more'))
    const all = { url, journal, writer: { ...writer, after: 600 } }
    await meanwhile(all, 'DELETE FROM sherd_events WHERE seq <= 500')
    await vi.waitFor(async () =>
      expect(await query(url, 'SELECT seq FROM sherd_events')).toEqual([]),
    )
    await journal.close()
  })

  test('that take out other events of the same commit leave no trace of it', async () => {
    const { url, journal, writer } = await opened()
    const quarter = (id: string): number => Math.floor(sliceOf(id) / 256)
    const names = Array.from({ length: 100 }, (_, index) => `b${index}`)
    const near = await claimed(journal, names.find((id) => quarter(id) === quarter('a')) ?? '')
    await Promise.all([appendText(journal, writer, 'x'), appendText(journal, near, 'y')])
    const lives = 'SELECT live FROM sherd_log ORDER BY ord'
    expect(await query(url, lives)).toEqual([{ live: 1 }, { live: 2 }])
    await meanwhile(
      { url, journal, writer: { ...writer, after: 2 } },
      `DELETE FROM sherd_events WHERE bytes = 'y'`,
      'UPDATE sherd_log SET live = live - 1 WHERE live = 2',
    )
    await vi.waitFor(async () => expect(await query(url, lives)).toEqual([]))
    await journal.close()
  })

  test('are serialized where the server has that as its default, with retries', async () => {
    const { url, journal: first } = await opened()
    const name = new URL(url).pathname.slice(1)
    const setting = `ALTER DATABASE ${name} SET default_transaction_isolation`
    await query(server.url, `${setting} = 'serializable'`)
    const second = await PostgresJournal.open({ url })
    await terminate(url, 'all')
    const each = 15
    const fight = async (journal: PostgresJournal, index: number): Promise<void> => {
      const shared = await claimed(journal, 'shared')
      const own = await claimed(journal, `own-${index}`)
      for (let after = 0; after < each; after++) {
        const [, result] = await Promise.all([
          appendText(journal, { ...shared, after }, `${index}`),
          appendText(journal, { ...own, after }, `${after}`),
          journal.writeRegister({ name: 'r', expectedRevision: 0, bytes: Buffer.from('x') }),
        ])
        expect(result.type).toBe('Appended')
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, i) => fight(i % 2 === 0 ? first : second, i)))
    for (let index = 0; index < 8; index++) {
      expect((await readTexts(first, `own-${index}`)).length).toBe(each)
    }
    expect((await first.readRegister('r'))?.revision).toBe(1)
    // Of those who claimed it only the last could write, so all of it is by one.
    expect(new Set(await readTexts(second, 'shared')).size).toBeLessThanOrEqual(2)
    await Promise.all([first.close(), second.close()])
  })
})
