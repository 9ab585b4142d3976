import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DiskRoom } from './disk-room.ts'
import type { LmdbCommitParts } from './lmdb-commit.ts'
import { defaultFoldLimits } from './lmdb-fold.ts'
import { LmdbHeads } from './lmdb-heads.ts'
import { numberKey } from './lmdb-layout.ts'
import { LmdbLogRecord } from './lmdb-log-record.ts'
import { LmdbReader } from './lmdb-reader.ts'
import type { LmdbRequest } from './lmdb-request.ts'
import { defaultLmdbSettings } from './lmdb-settings.ts'
import { freshSweep, readSweep, type SweepPlace, writeSweep } from './lmdb-sweep.ts'
import { openTables } from './lmdb-tables.ts'
import { LmdbWrite, transact } from './lmdb-write.ts'

/** A walk over everything. */
const paid: SweepPlace = { ...freshSweep, paid: 10_000, taken: 1 }

describe('a sweep of the log', () => {
  let folder: string
  let parts: LmdbCommitParts
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
    const tables = openTables(folder)
    const room = new DiskRoom({ folder, freeBytes: () => undefined })
    // Every commit moves the checkpoint, and what is deleted goes in small parts.
    const foldLimits = { ...defaultFoldLimits, foldAfterEvents: 0 }
    const record = new LmdbLogRecord()
    parts = { tables, heads: new LmdbHeads(tables), record, foldLimits, scrubEventsMax: 4, room }
  })
  afterEach(async () => {
    await parts.tables.environment.close()
    await rm(folder, { recursive: true })
  })

  /** In one transaction. Answers their results and errors. */
  async function write(...requests: readonly LmdbRequest[]): Promise<unknown[]> {
    const results: unknown[] = []
    const writes = requests.map((request, index) => {
      const settle = (result: unknown): void => void (results[index] = result)
      return new LmdbWrite(request, 1, { succeeded: settle, failed: settle })
    })
    await transact(parts, () => writes)
    for (const one of writes) one.succeed()
    return results
  }
  const claim = (persistenceId: string): LmdbRequest => {
    return { type: 'Claim', persistenceId, writer: 'w' }
  }
  const append = (persistenceId: string, after: number, ...texts: string[]): LmdbRequest => {
    const events = texts.map((text) => Buffer.from(text))
    return {
      type: 'Append',
      batch: { persistenceId, epoch: 1, expectedSequenceNr: after, events },
    }
  }
  const deleteTo = (persistenceId: string, toSequenceNr: number): LmdbRequest => {
    return { type: 'DeleteTo', deletion: { persistenceId, epoch: 1, toSequenceNr } }
  }
  const sweepFrom = async (place: SweepPlace, ...besides: LmdbRequest[]): Promise<unknown[]> => {
    await parts.tables.environment.transaction(() => writeSweep(parts.tables, place))
    return write({ type: 'Sweep' }, ...besides)
  }
  const texts = (persistenceId: string): string[] => {
    const reader = new LmdbReader(parts.tables, defaultLmdbSettings)
    const range = { id: Buffer.from(persistenceId), from: 1, to: 1_000, lastOrder: 1_000 }
    return reader.chunk(range).map(({ bytes }) => Buffer.from(bytes).toString())
  }
  const ordersInLog = (): number[] => {
    const query = { fromSlice: 0, toSlice: 1023, eventsMax: 1_000 }
    const page = new LmdbReader(parts.tables, defaultLmdbSettings).page(query, 0)
    return page.events.map(({ order }) => order)
  }
  const inLog = (word: string): number => {
    const { log, environment } = parts.tables
    environment.resetReadTxn()
    const records = [...log.getKeys()].map((key) => log.getBinary(key)!.toString('latin1'))
    return records.join('').split(word).length - 1
  }

  test('never joins a record with itself, also where the place to go on with is not the beginning of one', async () => {
    await write(claim('a'))
    await write(append('a', 0, '1', '2', '3', '4', '5'))
    await write(append('a', 5, '6'))
    await sweepFrom({ ...paid, next: 3 })
    expect(ordersInLog()).toEqual([1, 2, 3, 4, 5, 6])
    expect(texts('a')).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  test('leaves the index of a stream that was ended to the scrub, which finds its events by it', async () => {
    await write(claim('secret'), claim('b'))
    for (let after = 0; after < 40; after++) {
      // The last event of a block is alone in its record, and the others are little of theirs.
      const besides =
        after === 31 ? [] : [append('b', after > 31 ? after - 1 : after, 'b'.repeat(300))]
      await write(append('secret', after, `private ${after}`), ...besides)
    }
    const ended = { persistenceId: 'secret', epoch: 1, expectedSequenceNr: 40, events: [] }
    await write({ type: 'Delete', batch: ended })
    await sweepFrom(paid)
    expect(inLog('private')).toBe(39)
    for (let left: unknown = 1; left !== 0;) [left] = await write({ type: 'Scrub' })
    expect(inLog('private')).toBe(0)
    expect([...parts.tables.blocks.getKeys()].map(String).join()).not.toContain('secret')
    expect(texts('b')).toHaveLength(39)
  })

  test('leaves no block of the index behind where a stream that was ended goes on and deletes again', async () => {
    await write(claim('a'))
    for (let after = 0; after < 40; after++) await write(append('a', after, `${after}`))
    const ended = { persistenceId: 'a', epoch: 1, expectedSequenceNr: 40, events: [] }
    await write({ type: 'Delete', batch: ended })
    for (let after = 40; after < 80; after++) await write(append('a', after, `${after}`))
    await write(deleteTo('a', 70))
    // Of the block with events 33 to 64, the scrub needs the first.
    await sweepFrom(paid)
    for (let left: unknown = 1; left !== 0;) [left] = await write({ type: 'Scrub' })
    await sweepFrom(paid)
    expect([...parts.tables.blocks.getKeys()]).toHaveLength(0)
    expect(texts('a')).toEqual(Array.from({ length: 10 }, (_, index) => `${70 + index}`))
  })

  test('passes over a damaged record, and those who share its commit are not refused', async () => {
    await write(claim('a'), claim('b'))
    for (let after = 0; after < 5; after++) await write(append('a', after, `gone ${after}`))
    await write(append('b', 0, 'kept'))
    const { log, environment } = parts.tables
    const damaged = Buffer.from(log.getBinary(numberKey(3))!)
    damaged.writeUInt8(damaged.readUInt8(9) ^ 1, 9)
    await log.put(numberKey(3), damaged)
    await write(deleteTo('a', 5))
    const [, appended] = await sweepFrom(paid, append('b', 1, 'new'))
    expect(appended).toEqual({ type: 'Appended', highestSequenceNr: 2 })
    environment.resetReadTxn()
    expect(log.getBinary(numberKey(3))).toEqual(damaged)
    expect(inLog('gone')).toBe(1)
    expect(readSweep(parts.tables)).toMatchObject({ next: 1 })
    // From behind the damage, too.
    await sweepFrom({ ...paid, next: 4 })
    expect(texts('b')).toEqual(['kept', 'new'])
  })

  test('leaves records without events, as a scrub does: a page over all slices passes some of them at a time', async () => {
    await write(claim('a'), claim('b'))
    for (let after = 0; after < 10; after++) await write(append('a', after, 'x'))
    await write(append('b', 0, 'kept'))
    const ended = { persistenceId: 'a', epoch: 1, expectedSequenceNr: 10, events: [] }
    await write({ type: 'Delete', batch: ended })
    for (let left: unknown = 1; left !== 0;) [left] = await write({ type: 'Scrub' })
    const reader = new LmdbReader(parts.tables, { ...defaultLmdbSettings, readEventsMax: 4 })
    const pages: unknown[] = []
    for (let after = 0, isLast = false; !isLast;) {
      const page = reader.page({ fromSlice: 0, toSlice: 1023, eventsMax: 100 }, after)
      pages.push([page.next, page.events.map(({ order }) => order)])
      after = Number(page.next)
      isLast = page.isLast
    }
    expect(pages).toEqual([
      ['4', []],
      ['8', []],
      ['11', [11]],
    ])
  })
})
