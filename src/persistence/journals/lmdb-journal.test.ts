import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  allSlices,
  appendText,
  claimed,
  readAll,
  readTexts,
} from '../../testkit/journal-contract/journal-texts.ts'
import { LmdbJournal } from './lmdb-journal.ts'
import { openTables, readCount } from './lmdb-tables.ts'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'sherd-journal-'))

describe('LmdbJournal', () => {
  let folder: string
  let journal: LmdbJournal
  beforeEach(async () => {
    folder = newFolder()
    journal = await LmdbJournal.open({ folder, settings: { readBytesMax: 1 } })
  })
  afterEach(async () => {
    await journal.close()
    await rm(folder, { recursive: true })
  })

  test('numbers the events of all streams 1, 2, 3 and so on, in the order of the commits', async () => {
    await Promise.all(
      Array.from({ length: 256 }, async (_, i) => {
        const writer = await claimed(journal, `Account|${i}`)
        for (let after = 0; after < 10; after++) {
          await appendText(journal, { ...writer, after }, `${after}`)
        }
      }),
    )
    const texts = ['one', 'two', 'three', 'four', 'five']
    for (const text of texts) await appendText(journal, await claimed(journal, text), text)
    const events = await readAll(journal)
    expect(events.map(({ order }) => order)).toEqual(events.map((_, index) => index + 1))
    expect(events.length).toBe(2565)
    expect(events.slice(-5).map(({ persistenceId }) => persistenceId)).toEqual(texts)
  })

  test('has nothing behind the end of the log, however far behind', async () => {
    await appendText(journal, await claimed(journal, 'a'), 'x')
    for (const place of [1, 2 ** 48, Number.MAX_SAFE_INTEGER]) {
      const page = await journal.readSlices({ ...allSlices, after: `${place}` })
      expect(page).toEqual({ events: [], next: `${place}`, isLast: true })
    }
  })

  test('serves the event loop between chunks', async () => {
    await appendText(journal, await claimed(journal, 'a'), 'x', 'y', 'z')
    let turns = 0
    const count = (): void => void (turns++, (turning = setImmediate(count)))
    let turning = setImmediate(count)
    expect(await readTexts(journal, 'a')).toEqual(['x', 'y', 'z'])
    clearImmediate(turning)
    expect(turns).toBeGreaterThanOrEqual(2)
  })

  test('ends a page that has looked at enough, also when it found nothing', async () => {
    await appendText(journal, await claimed(journal, 'a'), 'x', 'y')
    const [{ slice } = { slice: 0 }] = await readAll(journal)
    const other = (slice + 1) % 1024
    const query = { fromSlice: other, toSlice: other, eventsMax: 9 }
    expect(await journal.readSlices(query)).toEqual({ events: [], next: '1', isLast: false })
    expect(await readAll(journal, query)).toEqual([])
  })

  test('refuses settings that contradict each other, all problems at once', async () => {
    const settings = { readEventsMax: 0, eventBytesMax: 10, stateBytesMax: 9, waitingBytesMax: 5 }
    await expect(LmdbJournal.open({ folder, settings })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      problems: [
        'readEventsMax must be a whole number of at least 1, not 0',
        'waitingBytesMax (5) must be at least eventBytesMax (10), or no such event is ever stored',
        'waitingBytesMax (5) must be at least stateBytesMax (9), or no such state is ever stored',
      ],
    })
  })
})

describe('LmdbJournal whose index is behind its log', () => {
  let folder: string
  let journal: LmdbJournal
  beforeEach(async () => {
    folder = newFolder()
    journal = await LmdbJournal.open({ folder, settings: { readEventsMax: 7 } })
  })
  afterEach(async () => {
    await journal.close()
    await rm(folder, { recursive: true })
  })

  const textsUpTo = (last: number): string[] => Array.from({ length: last }, (_, i) => `${i + 1}`)

  /** Events 1 to 50 are in the index by the second claim, those up to 90 are not; other streams lie in between. */
  const fill = async (): Promise<void> => {
    const texts = textsUpTo(90)
    const other = await claimed(journal, 'aa')
    await appendText(journal, await claimed(journal, 'a'), ...texts.slice(0, 50))
    const writer = await claimed(journal, 'a')
    for (let after = 50; after < 90; after += 2) {
      await Promise.all([
        appendText(journal, { ...writer, after }, ...texts.slice(after, after + 2)),
        appendText(journal, { ...other, after: after - 50 }, 'x', 'y'),
      ])
    }
  }

  test('reads any range, in order', async () => {
    await fill()
    for (const [from, to] of [
      [1, 90],
      [0, 1000],
      [30, 50],
      [45, 55],
      [50, 50],
      [51, 51],
      [64, 65],
      [83, 90],
      [91, 99],
    ] as const) {
      const expected = textsUpTo(90).filter((text) => Number(text) >= from && Number(text) <= to)
      expect(await readTexts(journal, 'a', from, to)).toEqual(expected)
    }
    expect(await readTexts(journal, 'nobody')).toEqual([])
  })

  test('reads large events beside small ones, before and after they are in the index', async () => {
    const texts = ['small', 'x'.repeat(1_000_000), 'é'.repeat(40_000), '', 'y'.repeat(3000)]
    await appendText(journal, await claimed(journal, 'a'), ...texts)
    await appendText(journal, await claimed(journal, 'b'), 'z'.repeat(100_000))
    expect(await readTexts(journal, 'a')).toEqual(texts)
    await journal.claim('a', 'w')
    expect(await readTexts(journal, 'a')).toEqual(texts)
  })

  test('hands over what was stored when the read began, though it grows and moves into the index meanwhile', async () => {
    await fill()
    const writer = await claimed(journal, 'b')
    await appendText(journal, writer, ...textsUpTo(40))
    const texts: string[] = []
    let next = 40
    const range = { persistenceId: 'b', fromSequenceNr: 1, toSequenceNr: 1e9 }
    const appending: Promise<unknown>[] = []
    await journal.read(range, ({ sequenceNr }) => {
      texts.push(`${sequenceNr}`)
      if (next === 60) appending.push(journal.claim('b', 'the next one'))
      appending.push(appendText(journal, { ...writer, after: next++ }, 'more'))
    })
    expect(texts).toEqual(textsUpTo(40))
    await Promise.all(appending)
  })

  test('goes on where it was after it was closed and opened, without a claim', async () => {
    await fill()
    await journal.close()
    journal = await LmdbJournal.open({ folder })
    expect(await journal.highestSequenceNr('a')).toBe(90)
    const writer = { id: 'a', epoch: 2, after: 90 }
    expect(await appendText(journal, { ...writer, epoch: 1 }, 'late')).toMatchObject({
      type: 'Fenced',
      byEpoch: 2,
    })
    expect(await appendText(journal, writer, '91')).toMatchObject({ highestSequenceNr: 91 })
    expect(await readTexts(journal, 'a')).toEqual(textsUpTo(91))
    expect(await journal.claim('a', 'w')).toEqual({ epoch: 3, highestSequenceNr: 91 })
  })

  test('divides a crowd of claims, so that none of its commits keeps the event loop and the lock for long', async () => {
    const ids = Array.from({ length: 4000 }, (_, i) => `crowd|${i}`)
    const claiming = Promise.all(ids.map((id) => journal.claim(id, 'w')))
    const asking = Promise.all(ids.map((id) => journal.highestSequenceNr(id)))
    let turns = 0
    const count = (): void => void (turns++, (turning = setImmediate(count)))
    let turning = setImmediate(count)
    expect(new Set((await claiming).map(({ epoch }) => epoch))).toEqual(new Set([1]))
    expect(new Set(await asking)).toEqual(new Set([0]))
    clearImmediate(turning)
    await journal.close()
    const tables = openTables(folder)
    expect(readCount(tables).commitCount).toBeGreaterThan(5)
    await tables.environment.close()
    expect(turns).toBeGreaterThan(5)
  })

  test('refuses limits that it could never reach', async () => {
    const opening = LmdbJournal.open({ folder, foldLimits: { foldAfterEvents: NaN } })
    await expect(opening).rejects.toThrow(
      'foldAfterEvents must be a whole number of at least 0, not NaN',
    )
  })
})
