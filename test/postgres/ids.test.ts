import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PostgresJournal } from '../../src/persistence/index.ts'
import {
  allSlices,
  appendText,
  claimed,
  readAll,
  readTexts,
} from '../../src/testkit/journal-contract/journal-texts.ts'
import { postgresForTests, query, type TestDatabases } from './postgres-server.ts'

let servers: TestDatabases
beforeAll(async () => {
  servers = await postgresForTests()
})
afterAll(() => servers.stop())

const nasty = [
  ...[`'); DROP TABLE sherd_events; --`, `"; DROP TABLE sherd_streams; --`, `' OR '1'='1`],
  ...['$1', '%', '%s', '_', '\\', '\\x41', 'A', '../../etc/passwd', '/', 'CON', '{}', '{"a",b}'],
  ...['é', 'e\u0301', 'a\u202eb', 'a\u200fb', 'ab', 'a b', 'a  b', 'a\nb', 'a\tb', 'NULL', 'null'],
  ...['İ', 'i', 'I', 'ß', 'SS', '\u{1f600}', '\u{10ffff}', 'x'.repeat(1024), 'x'.repeat(1023)],
]

const utf8Order = (texts: readonly string[]): string[] =>
  [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

async function schemaOf(url: string): Promise<unknown> {
  return query(
    url,
    `SELECT table_name, column_name, data_type FROM information_schema.columns
WHERE table_name LIKE 'sherd%' ORDER BY 1, 2`,
  )
}

describe('names that users give', () => {
  test('stay distinct and are never SQL, in ids, tags, writers, registers and states', async () => {
    const url = await servers.newDatabase()
    const journal = await PostgresJournal.open({ url })
    const before = await schemaOf(url)
    for (const id of nasty) {
      const { epoch } = await claimed(journal, id, id.slice(0, 100))
      const tag = id.slice(0, 255)
      const event = { bytes: Buffer.from(`of ${id}`), tags: [tag] }
      await journal.append({ persistenceId: id, epoch, expectedSequenceNr: 0, events: [event] })
      const name = tag
      await journal.writeRegister({ name, expectedRevision: 0, bytes: event.bytes })
      const state = await journal.claimState(id, id.slice(0, 100))
      const write = { persistenceId: id, epoch: state.epoch, expectedRevision: 0, revision: 1 }
      await journal.writeState({ ...write, bytes: event.bytes })
    }
    for (const id of nasty) {
      expect(await readTexts(journal, id)).toEqual([`of ${id}`])
      expect((await journal.readStream(id))?.writer).toBe(id.slice(0, 100))
      const state = await journal.readState(id)
      expect(String(state?.bytes)).toBe(`of ${id}`)
      const tagged = await readAll(journal, { ...allSlices, tag: id.slice(0, 255) })
      expect(tagged.map(({ persistenceId }) => persistenceId)).toContain(id)
    }
    expect(await schemaOf(url)).toEqual(before)
    expect((await readAll(journal)).length).toBe(nasty.length)
    await journal.close()
  })

  test('are listed in the order of their bytes, from all servers, by prefix and page', async () => {
    const partitions = [await servers.newDatabase(), await servers.newDatabase()]
    const journal = await PostgresJournal.open({ partitions })
    await Promise.all(nasty.map((id) => journal.claim(id, 'w')))
    const listed: string[] = []
    for (let after: string | undefined; ;) {
      const page = await journal.listIds({ kind: 'events', after, idsMax: 4 })
      listed.push(...page.ids)
      after = page.ids.at(-1)
      if (page.isLast) break
    }
    expect(listed).toEqual(utf8Order(nasty))
    for (const prefix of ['a', 'x', '\u{10ffff}', 'e']) {
      const { ids } = await journal.listIds({ kind: 'events', prefix, idsMax: 100 })
      expect(ids).toEqual(utf8Order(nasty.filter((id) => id.startsWith(prefix))))
    }
    expect(await journal.listIds({ kind: 'states', idsMax: 5 })).toEqual({ ids: [], isLast: true })
    await journal.close()
  })

  test('with NUL or half a surrogate are refused before the server sees them', async () => {
    const journal = await PostgresJournal.open({ url: await servers.newDatabase() })
    for (const id of ['a\0b', '\ud800', 'x'.repeat(1025)]) {
      await expect(journal.claim(id, 'w')).rejects.toMatchObject({ code: 'INVALID_PERSISTENCE_ID' })
    }
    // Who writes is for people, and may be anything.
    await journal.claim('a', 'a\0b')
    expect((await journal.readStream('a'))?.writer).toBe('a\0b')
    expect((await appendText(journal, await claimed(journal, 'a'), 'x')).type).toBe('Appended')
    await journal.close()
  })

  test('mean the same in a database of another encoding', async () => {
    const url = await servers.newDatabase()
    const name = `${new URL(url).pathname.slice(1)}_latin`
    const made = `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`
    await query(url, made)
    const latin = new URL(url)
    latin.pathname = `/${name}`
    const journal = await PostgresJournal.open({ url: latin.href })
    for (const id of ['é', '\u{1f600}', '漢']) {
      await appendText(journal, await claimed(journal, id), id)
    }
    const { ids } = await journal.listIds({ kind: 'events', idsMax: 9 })
    expect(ids).toEqual(utf8Order(['é', '\u{1f600}', '漢']))
    await journal.close()
    await query(url, `DROP DATABASE ${name}`)
  })
})
