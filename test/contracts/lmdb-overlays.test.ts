import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FoldLimits } from '../../src/persistence/journals/lmdb-fold.ts'
import { prepareFolder } from '../../src/persistence/journals/lmdb-folder.ts'
import {
  countKey,
  encodeCount,
  formatKey,
  formatTextWithSweeps,
  numberKey,
} from '../../src/persistence/journals/lmdb-layout.ts'
import {
  type LmdbTables,
  openTables,
  readCount,
  readHead,
} from '../../src/persistence/journals/lmdb-tables.ts'
import type { LmdbRequest } from '../../src/persistence/journals/lmdb-request.ts'
import { SeededRandom } from '../../src/simulation/internals.ts'
import {
  appendOf,
  claimOf,
  deleteOf,
  logTexts,
  Overlay,
  storedTexts,
  tornAppendOf,
} from './lmdb-overlays.ts'
import { OverlayModel } from './lmdb-overlay-model.ts'

describe('heads in the memory of several processes', { timeout: 60_000 }, () => {
  let folder: string
  let tables: LmdbTables
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
    prepareFolder(folder)
    tables = openTables(folder)
  })
  afterEach(async () => {
    await tables.environment.close()
    rmSync(folder, { recursive: true })
  })
  const highestInTable = (id: string): number | undefined =>
    readHead(tables, Buffer.from(id))?.highestSequenceNr
  const highest = (persistenceId: string): LmdbRequest => ({ type: 'Highest', persistenceId })

  test.each<[string, Partial<FoldLimits>]>([
    ['at every commit', { foldAfterEvents: 0 }],
    ['after some events', { foldAfterEvents: 40 }],
    ['after many events', { foldAfterEvents: 700, foldAfterClaims: 100 }],
    ['after some streams', { foldAfterHeads: 4 }],
    ['after some claims', { foldAfterClaims: 3 }],
    ['after some bytes', { foldAfterBytes: 2000 }],
    ['after some events, two heads at a time', { foldAfterEvents: 40, foldHeadsMax: 2 }],
    ['always, one head at a time', { foldAfterEvents: 0, foldHeadsMax: 1 }],
    ['after some claims, three heads at a time', { foldAfterClaims: 3, foldHeadsMax: 3 }],
    ['never', {}],
  ])(
    'agree with a plain model whoever writes, fails or forgets; folding %s',
    async (name, limits) => {
      const model = new OverlayModel(tables, limits, new SeededRandom(1, name))
      for (let step = 0; step < 300; step++) await model.step()
      model.expectStored()
      await model.expectScrubbed()
    },
  )

  test('an append writes the log only; a fold writes all heads that are behind', async () => {
    const overlay = new Overlay(tables, { foldAfterEvents: 3 })
    await overlay.write([claimOf('a'), claimOf('b')])
    await overlay.write([appendOf({ id: 'a', epoch: 1, after: 0 }, '1', '2')])
    await overlay.write([appendOf({ id: 'b', epoch: 1, after: 0 }, '1')])
    expect([highestInTable('a'), highestInTable('b')]).toEqual([0, 0])
    expect(readCount(tables)).toMatchObject({ lastOrder: 3, headsOrder: 0, foldedClaims: 0 })
    expect(tables.claims.getBinary(numberKey(2))?.toString()).toBe('b')
    await overlay.write([appendOf({ id: 'a', epoch: 1, after: 2 }, '3')])
    expect([highestInTable('a'), highestInTable('b')]).toEqual([3, 1])
    expect(readCount(tables)).toMatchObject({ headsOrder: 4, tailBytes: 0, foldedClaims: 2 })
    expect([...tables.claims.getKeys()]).toEqual([])
    expect(overlay.heads.dirtyCount).toBe(0)
  })

  describe('an append that is decided before the lock is held', () => {
    const x = (after: number, epoch = 1) => appendOf({ id: 'a', epoch, after }, `${after + 1}`)
    const begin = async () => {
      const [overlay, other] = [new Overlay(tables), new Overlay(tables)]
      await overlay.write([claimOf('a'), claimOf('b')])
      return { overlay, other, underLock: vi.spyOn(tables.environment, 'childTransaction') }
    }

    test('asks for the event loop no more, and leaves what others leave', async () => {
      const { overlay, underLock, other } = await begin()
      expect(await overlay.writeQuickly([x(0), x(1)])).toMatchObject([{ type: 'Appended' }, {}])
      expect(await overlay.writeQuickly([x(1)])).toMatchObject([{ type: 'SequenceConflict' }])
      expect(underLock).not.toHaveBeenCalled()
      expect(storedTexts(tables, 'a')).toEqual(['1', '2'])
      expect(await other.write([highest('a')])).toEqual([2])
      expect(readCount(tables)).toMatchObject({ lastOrder: 2, commitCount: 2 })
    })

    test.each<[string, (other: Overlay) => void, object]>([
      [
        'a claim',
        (other) => other.writeAtOnce([claimOf('a', 'v')]),
        { type: 'Fenced', byEpoch: 2 },
      ],
      ['an event', (other) => other.writeAtOnce([x(0)]), { type: 'SequenceConflict' }],
      [
        'an event of another stream',
        (other) => other.writeAtOnce([appendOf({ id: 'b', epoch: 1, after: 0 }, 'b')]),
        { type: 'Appended', highestSequenceNr: 1 },
      ],
    ])('is decided again when %s came in between', async (_, comesBetween, answer) => {
      const { overlay, other, underLock } = await begin()
      const writing = overlay.writeQuickly([x(0)])
      comesBetween(other)
      expect(await writing).toMatchObject([answer])
      expect(underLock).toHaveBeenCalledTimes(1)
      expect(readCount(tables).lastOrder).toBe(logTexts(tables).length)
    })

    test('knows from then on that others may have folded what it would', async () => {
      const { overlay, other } = await begin()
      const b = (after: number) => appendOf({ id: 'b', epoch: 1, after }, `b${after + 1}`)
      const writing = overlay.writeQuickly([x(0)])
      other.writeAtOnce([b(0)])
      await writing
      expect(overlay.heads.dirtyCount).toBe(2)
      await new Overlay(tables, { foldAfterEvents: 0 }).write([b(1)])
      expect(highestInTable('a')).toBe(1)
      expect(overlay.heads.behind('a')).toBe(undefined)
    })

    test('finds its stream in the table when it is not known', async () => {
      const { overlay, other, underLock } = await begin()
      await other.write([claimOf('c')])
      await overlay.write([highest('a')])
      expect(await overlay.writeQuickly([appendOf({ id: 'c', epoch: 1, after: 0 }, 'c')])).toEqual([
        { type: 'Appended', highestSequenceNr: 1 },
      ])
      expect(underLock).toHaveBeenCalledTimes(2)
    })

    test('is no such thing in a store of an older version, whose processes leave no marks', async () => {
      const { overlay, underLock } = await begin()
      await tables.meta.put(formatKey, Buffer.from(formatTextWithSweeps))
      expect(await overlay.writeQuickly([x(0)])).toMatchObject([{ type: 'Appended' }])
      expect(underLock).toHaveBeenCalledTimes(1)
    })
  })

  test('a stream that another has claimed is fenced, though its head is in memory', async () => {
    const [first, second] = [new Overlay(tables), new Overlay(tables)]
    const old = { id: 'a', epoch: 1, after: 2 }
    await first.write([claimOf('a', 'first')])
    await first.write([appendOf({ ...old, after: 0 }, '1', '2')])
    expect(await second.write([claimOf('a', 'second')])).toEqual([
      { epoch: 2, highestSequenceNr: 2 },
    ])
    await second.write([appendOf({ id: 'a', epoch: 2, after: 2 }, '3')])
    const fenced = { type: 'Fenced', byEpoch: 2, byWriter: 'second' }
    expect(await first.write([appendOf(old, 'late'), highest('a')])).toEqual([fenced, 3])
    expect(storedTexts(tables, 'a')).toEqual(['1', '2', '3'])
  })

  test('a stream that another has deleted is so for all, though its head is in memory', async () => {
    const [first, second] = [new Overlay(tables), new Overlay(tables, {}, 1)]
    await first.write([claimOf('a'), claimOf('b')])
    await first.write([appendOf({ id: 'a', epoch: 1, after: 0 }, '1', '2')])
    await second.write([deleteOf({ id: 'a', epoch: 1, after: 2 }, '3')])
    const conflict = { type: 'SequenceConflict', highestSequenceNr: 3 }
    expect(await first.write([deleteOf({ id: 'a', epoch: 1, after: 2 })])).toEqual([conflict])
    await first.write([appendOf({ id: 'a', epoch: 1, after: 3 }, '4')])
    expect(storedTexts(tables, 'a', 3)).toEqual(['3', '4'])
    // Its events are still in the log, and nobody is shown them.
    expect(logTexts(tables)).toEqual(['a 3 3', 'a 4 4'])
    expect(await first.write([{ type: 'Scrub' }, claimOf('a')])).toEqual([
      0,
      { epoch: 2, highestSequenceNr: 4, deletedSequenceNr: 2, startSequenceNr: 2 },
    ])
    expect(logTexts(tables)).toEqual(['a 3 3', 'a 4 4'])
  })

  test('what is stored and deleted in one commit is gone', async () => {
    const overlay = new Overlay(tables)
    await overlay.write([
      claimOf('a'),
      appendOf({ id: 'a', epoch: 1, after: 0 }, '1'),
      deleteOf({ id: 'a', epoch: 1, after: 1 }, '2'),
      appendOf({ id: 'a', epoch: 1, after: 2 }, '3'),
      deleteOf({ id: 'a', epoch: 1, after: 3 }, '4'),
      appendOf({ id: 'a', epoch: 1, after: 4 }, '5'),
    ])
    expect(storedTexts(tables, 'a', 4)).toEqual(['4', '5'])
    expect(logTexts(tables)).toEqual(['a 4 4', 'a 5 5'])
  })

  test('a process that was away for several folds knows every claim made meanwhile', async () => {
    const away = new Overlay(tables)
    await away.write([claimOf('a'), claimOf('b'), appendOf({ id: 'b', epoch: 1, after: 0 }, '1')])
    const busy = new Overlay(tables, { foldAfterEvents: 2 })
    await busy.write([claimOf('a', 'busy')])
    for (let after = 0; after < 20; after++) {
      await busy.write([appendOf({ id: 'a', epoch: 2, after }, `${after}`)])
    }
    const [late, kept] = await away.write([
      appendOf({ id: 'a', epoch: 1, after: 0 }, 'late'),
      appendOf({ id: 'b', epoch: 1, after: 1 }, '2'),
    ])
    expect(late).toEqual({ type: 'Fenced', byEpoch: 2, byWriter: 'busy' })
    expect(kept).toEqual({ type: 'Appended', highestSequenceNr: 2 })
  })

  test('what a failed transaction has counted is forgotten', async () => {
    const overlay = new Overlay(tables)
    const writer = { id: 'a', epoch: 1, after: 0 }
    await overlay.write([claimOf('a')])
    await expect(
      overlay.write([claimOf('a'), tornAppendOf({ ...writer, epoch: 2 })]),
    ).rejects.toThrow('torn')
    await overlay.writeInVain([appendOf(writer, 'in vain'), claimOf('a')])
    expect(await overlay.write([appendOf(writer, '1')])).toMatchObject([{ type: 'Appended' }])
    expect(storedTexts(tables, 'a')).toEqual(['1'])
  })

  test('clean heads are bounded, and dirty ones outlive them', async () => {
    const overlay = new Overlay(tables)
    await overlay.write([claimOf('a'), appendOf({ id: 'a', epoch: 1, after: 0 }, '1')])
    await overlay.write([appendOf({ id: 'a', epoch: 1, after: 1 }, '2')])
    const strangers = Array.from({ length: 10_000 }, (_, i) => highest(`stranger|${i}`))
    await overlay.write(strangers)
    expect(overlay.heads.size).toBeLessThan(8200)
    expect(await overlay.write([highest('a')])).toEqual([2])
    expect(highestInTable('a')).toBe(1)
  })

  test('a tail that does not follow its heads is damage, for those who write and those who read', async () => {
    const overlay = new Overlay(tables)
    await overlay.write([claimOf('a')])
    for (let after = 0; after < 3; after++) {
      await overlay.write([appendOf({ id: 'a', epoch: 1, after }, `${after}`)])
    }
    await tables.log.remove(numberKey(2))
    const code = 'JOURNAL_CORRUPTED'
    await expect(new Overlay(tables).write([claimOf('a')])).rejects.toMatchObject({ code })
    expect(() => storedTexts(tables, 'a')).toThrow('record 2 of the log is missing')
  })

  test('a count that is lost is damage, not an empty store', async () => {
    await new Overlay(tables).write([claimOf('a'), appendOf({ id: 'a', epoch: 1, after: 0 }, '1')])
    await tables.meta.remove(countKey)
    const code = 'JOURNAL_CORRUPTED'
    await expect(new Overlay(tables).write([claimOf('b')])).rejects.toMatchObject({ code })
    expect(() => storedTexts(tables, 'a')).toThrow('its count is missing')
  })

  test.each([2, 4])(
    'a count that ends elsewhere than the log is damage for who begins to write: %i of 3',
    async (lastOrder) => {
      const overlay = new Overlay(tables, { foldAfterEvents: 0 })
      await overlay.write([claimOf('a'), appendOf({ id: 'a', epoch: 1, after: 0 }, '1', '2', '3')])
      const count = { ...readCount(tables), lastOrder, headsOrder: lastOrder }
      await tables.meta.put(countKey, encodeCount(count))
      await expect(new Overlay(tables).write([claimOf('a')])).rejects.toThrow(
        `the log ends with event 3, and its count with event ${lastOrder}`,
      )
    },
  )

  test.each([1, 3, 4])(
    'a checkpoint that is not where it was left is damage for who begins to write: %i, not 2',
    async (headsOrder) => {
      const [writer, folding] = [{ id: 'a', epoch: 1 }, new Overlay(tables, { foldAfterEvents: 0 })]
      await folding.write([claimOf('a'), appendOf({ ...writer, after: 0 }, '1', '2')])
      const overlay = new Overlay(tables)
      await overlay.write([appendOf({ ...writer, after: 2 }, '3')])
      await overlay.write([appendOf({ ...writer, after: 3 }, '4')])
      const count = readCount(tables)
      expect(count).toMatchObject({ headsOrder: 2, lastOrder: 4 })
      await tables.meta.put(countKey, encodeCount({ ...count, headsOrder }))
      const code = 'JOURNAL_CORRUPTED'
      await expect(new Overlay(tables).write([claimOf('a')])).rejects.toMatchObject({ code })
      expect(readHead(tables, Buffer.from('a'))?.epoch).toBe(1)
    },
  )

  test('numbers that are none are damage', async () => {
    await new Overlay(tables).write([claimOf('a')])
    await new Overlay(tables).write([appendOf({ id: 'a', epoch: 1, after: 0 }, '1')])
    const stored = tables.log.getBinary(numberKey(1))!
    // As older stores have it, without a checksum.
    const record = Buffer.from(stored.subarray(4))
    record.writeDoubleBE(NaN, 4)
    await tables.log.put(numberKey(1), record)
    expect(() => storedTexts(tables, 'a')).toThrow('event 1 of "a" is missing')
    stored.writeDoubleBE(NaN, 8)
    await tables.log.put(numberKey(1), stored)
    expect(() => storedTexts(tables, 'a')).toThrow('record 1 of the log is unreadable')
    const head = tables.heads.getBinary(Buffer.from('a'))!
    head.writeDoubleBE(-32, 8)
    await tables.heads.put(Buffer.from('a'), head)
    expect(() => storedTexts(tables, 'a')).toThrow('the head of "a" is unreadable')
  })

  test('a snapshot ends with the read, so that the pages behind it can be used again', async () => {
    await new Overlay(tables).write([claimOf('a'), appendOf({ id: 'a', epoch: 1, after: 0 }, '1')])
    expect(storedTexts(tables, 'a')).toEqual(['1'])
    const [, ...readers] = tables.environment.readerList().trim().split('\n')
    expect(readers.length).toBeGreaterThan(0)
    for (const reader of readers) expect(reader.trim().split(/\s+/)[2]).toBe('-')
  })
})
