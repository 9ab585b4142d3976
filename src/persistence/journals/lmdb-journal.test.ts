import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendText, claimed, readTexts } from '../../../test/contracts/journal-words.ts'
import { journalContract, type StoreUnderTest } from '../../../test/contracts/journal.ts'
import { LmdbJournal, type LmdbJournalOptions } from './lmdb-journal.ts'
import { openTables, readCount } from './lmdb-tables.ts'

type FoldLimits = NonNullable<LmdbJournalOptions['foldLimits']>

function storeIn(folder: string, foldLimits: FoldLimits = {}): StoreUnderTest {
  return {
    open: (settings = {}) => LmdbJournal.open({ folder, settings, foldLimits }),
    remove: () => rm(folder, { recursive: true }),
  }
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'sherd-journal-'))

journalContract('LmdbJournal', () => storeIn(newFolder()))

journalContract('LmdbJournal that folds often', () => storeIn(newFolder(), { foldAfterEvents: 5 }))

describe('LmdbJournal whose index is behind its log', () => {
  let folder: string
  let journal: LmdbJournal
  beforeEach(() => {
    folder = newFolder()
    journal = LmdbJournal.open({ folder, settings: { readEventsMax: 7 } })
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
    journal = LmdbJournal.open({ folder })
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

  test('refuses limits that it could never reach', () => {
    const opening = (): unknown =>
      LmdbJournal.open({ folder, foldLimits: { foldAfterEvents: NaN } })
    expect(opening).toThrow('foldAfterEvents must be a whole number of at least 0, not NaN')
  })
})
