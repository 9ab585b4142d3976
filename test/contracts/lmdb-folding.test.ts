import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { prepareFolder } from '../../src/persistence/journals/lmdb-folder.ts'
import {
  type LmdbTables,
  openTables,
  readCount,
  readHead,
} from '../../src/persistence/journals/lmdb-tables.ts'
import type { LmdbRequest } from '../../src/persistence/journals/lmdb-request.ts'
import { appendText, readTexts } from '../../src/testkit/journal-contract/journal-texts.ts'
import { appendOf, claimOf, Overlay, storedTexts } from './lmdb-overlays.ts'
import { compiledFile } from '../processes/harness/compiled.ts'

const killedFile = compiledFile(new URL('./lmdb-killed-folding.ts', import.meta.url))

const ids = ['a', 'b', 'c', 'd', 'e', 'f']
/** The sixth head that is behind begins a fold, of two heads in each transaction. */
const limits = { foldAfterHeads: 5, foldHeadsMax: 2 }

describe('a fold in several transactions', () => {
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

  const highest = (persistenceId: string): LmdbRequest => ({ type: 'Highest', persistenceId })
  const first = (id: string): LmdbRequest => appendOf({ id, epoch: 1, after: 0 }, `${id}1`)
  const second = (id: string): LmdbRequest => appendOf({ id, epoch: 1, after: 1 }, `${id}2`)
  const inTable = (): (number | undefined)[] =>
    ids.map((id) => readHead(tables, Buffer.from(id))?.highestSequenceNr)
  /** One event in each stream, and the heads of `a` and `b` are folded. */
  const beginFold = async (): Promise<Overlay> => {
    const overlay = new Overlay(tables, limits)
    await overlay.write(ids.map((id) => claimOf(id)))
    await overlay.write(ids.map(first))
    expect(inTable()).toEqual([1, 1, 0, 0, 0, 0])
    return overlay
  }

  test('writes some heads in each, and moves the checkpoint to where it began when all are written', async () => {
    const overlay = await beginFold()
    expect(readCount(tables)).toMatchObject({ headsOrder: 0, lastOrder: 6, foldedClaims: 0 })
    const { tailBytes } = readCount(tables)
    await overlay.write([second('a'), second('f')])
    expect(inTable()).toEqual([1, 1, 1, 1, 0, 0])
    expect(readCount(tables)).toMatchObject({ headsOrder: 0, lastOrder: 8 })
    const added = readCount(tables).tailBytes - tailBytes
    await overlay.foldOn()
    expect(inTable()).toEqual([1, 1, 1, 1, 1, 2])
    expect(readCount(tables)).toMatchObject({ headsOrder: 6, lastOrder: 8, foldedClaims: 6 })
    expect(readCount(tables).tailBytes).toBe(added)
    expect([...tables.claims.getKeys()]).toEqual([])
    expect(overlay.heads.dirtyCount).toBe(1)
    const { commitCount } = readCount(tables)
    await overlay.foldOn()
    expect(readCount(tables).commitCount, 'nothing was left to do').toBe(commitCount)
  })

  test('keeps up with commits that put more heads behind than it would write', async () => {
    const overlay = await beginFold()
    await overlay.write(ids.map(second))
    expect(inTable()).toEqual([1, 1, 2, 2, 2, 2])
    expect(readCount(tables)).toMatchObject({ headsOrder: 6, lastOrder: 12 })
  })

  test('that ends with its process leaves the rest to the next one, and nothing twice', async () => {
    await beginFold()
    const next = new Overlay(tables, limits)
    expect(await next.write(ids.map(highest))).toEqual([1, 1, 1, 1, 1, 1])
    expect(next.heads.dirtyCount).toBe(4)
    expect(await next.write([appendOf({ id: 'c', epoch: 1, after: 0 }, 'again')])).toEqual([
      { type: 'SequenceConflict', highestSequenceNr: 1 },
    ])
    await next.write(['a', 'b'].map(second))
    while (next.heads.fold !== undefined) await next.foldOn()
    expect(readCount(tables)).toMatchObject({ headsOrder: 8, tailBytes: 0 })
    expect(inTable()).toEqual([2, 2, 1, 1, 1, 1])
    for (const id of ids) expect(storedTexts(tables, id)[0]).toBe(`${id}1`)
  })

  test('whose transaction fails forgets how far it was, and loses nothing', async () => {
    const overlay = await beginFold()
    await overlay.writeInVain([second('a'), second('c')])
    expect(overlay.heads.fold).toBeUndefined()
    expect(inTable()).toEqual([1, 1, 0, 0, 0, 0])
    expect(await overlay.write(ids.map(highest))).toEqual([1, 1, 1, 1, 1, 1])
  })

  test('counts what others append in between, whether the head was folded or not', async () => {
    const [overlay, other] = [await beginFold(), new Overlay(tables)]
    await other.write(['b', 'c', 'f'].map(second))
    expect(await overlay.write([first('b'), first('f')])).toEqual([
      { type: 'SequenceConflict', highestSequenceNr: 2 },
      { type: 'SequenceConflict', highestSequenceNr: 2 },
    ])
    while (overlay.heads.fold !== undefined) await overlay.foldOn()
    expect(readCount(tables)).toMatchObject({ headsOrder: 6, lastOrder: 9 })
    expect(inTable()).toEqual([1, 1, 2, 1, 1, 2])
    const next = new Overlay(tables)
    expect(await next.write(ids.map(highest))).toEqual([1, 2, 2, 1, 1, 2])
    for (const id of ['b', 'c', 'f']) expect(storedTexts(tables, id)).toEqual([`${id}1`, `${id}2`])
  })

  test('never writes over a claim that another made in between, whether the head was folded or not', async () => {
    const [overlay, other] = [await beginFold(), new Overlay(tables)]
    const claims = ['a', 'f'].map((id) => claimOf(id, 'other'))
    expect(await other.write(claims)).toEqual([
      { epoch: 2, highestSequenceNr: 1 },
      { epoch: 2, highestSequenceNr: 1 },
    ])
    await other.write([appendOf({ id: 'f', epoch: 2, after: 1 }, 'f2')])
    while (overlay.heads.fold !== undefined) await overlay.foldOn()
    expect(readCount(tables)).toMatchObject({ headsOrder: 6, foldedClaims: 8 })
    for (const process of [overlay, other, new Overlay(tables)]) {
      const fenced = { type: 'Fenced', byEpoch: 2, byWriter: 'other' }
      expect(await process.write([second('a'), second('f')])).toEqual([fenced, fenced])
      expect(await process.write([highest('a'), highest('f')])).toEqual([1, 2])
    }
  })

  test('takes its own claim of a half folded stream, and what follows it', async () => {
    const overlay = await beginFold()
    expect(await overlay.write([claimOf('e'), claimOf('a')])).toEqual([
      { epoch: 2, highestSequenceNr: 1 },
      { epoch: 2, highestSequenceNr: 1 },
    ])
    expect(inTable(), 'two heads were written for the claims').toEqual([1, 1, 0, 0, 1, 0])
    await overlay.write([appendOf({ id: 'e', epoch: 2, after: 1 }, 'e2'), second('e')])
    while (overlay.heads.fold !== undefined) await overlay.foldOn()
    expect(await new Overlay(tables).write([second('a'), highest('e')])).toEqual([
      { type: 'Fenced', byEpoch: 2, byWriter: 'w' },
      2,
    ])
    expect(storedTexts(tables, 'e')).toEqual(['e1', 'e2'])
  })

  test('of two processes writes no head twice, and who has seen all goes on when the other is done', async () => {
    const overlay = await beginFold()
    const other = new Overlay(tables, { foldAfterEvents: 5, foldHeadsMax: 1 })
    await other.write([highest('a')])
    await overlay.write([claimOf('x'), claimOf('y')])
    const put = vi.spyOn(tables.heads, 'put')
    await other.write([second('c')])
    expect(inTable()).toEqual([1, 1, 2, 0, 0, 0])
    await overlay.foldOn()
    await other.foldOn()
    expect(inTable(), 'the other had only to look').toEqual([1, 1, 2, 1, 0, 0])
    expect(other.heads.fold).toBeDefined()
    await overlay.foldOn()
    expect(put.mock.calls.map(([id]) => id.toString())).toEqual(['c', 'd', 'e', 'f'])
    expect(readCount(tables)).toMatchObject({ headsOrder: 6, lastOrder: 7 })
    const read = vi.spyOn(tables.log, 'getBinary')
    expect(await other.write([highest('f'), highest('c')])).toEqual([1, 2])
    expect(read, 'the log is not read again').not.toHaveBeenCalled()
    expect(other.heads.fold, 'the checkpoint has moved').toBeUndefined()
    expect(other.heads.dirtyCount).toBe(0)
  })

  test('of another lets a process forget the places that are in the index, and keep the rest', async () => {
    const [here, other] = [
      new Overlay(tables),
      new Overlay(tables, { foldAfterEvents: 69, foldHeadsMax: 1 }),
    ]
    const texts = Array.from({ length: 72 }, (_, index) => `${index + 1}`)
    const writer = { id: 'a', epoch: 1 }
    await here.write([claimOf('a'), claimOf('b')])
    await other.write([appendOf({ ...writer, after: 0 }, ...texts.slice(0, 70)), first('b')])
    await here.write([appendOf({ ...writer, after: 70 }, '71')])
    await other.foldOn()
    expect(readCount(tables)).toMatchObject({ headsOrder: 71, lastOrder: 72 })
    await here.write([appendOf({ ...writer, after: 71 }, '72')])
    expect(here.heads.dirtyCount).toBe(1)
    const put = vi.spyOn(tables.blocks, 'put')
    expect(await here.write([claimOf('a')])).toEqual([{ epoch: 2, highestSequenceNr: 72 }])
    expect(put, 'full blocks are written once').not.toHaveBeenCalled()
    expect(storedTexts(tables, 'a')).toEqual(texts)
  })

  test('is found by the next process when its own was killed', { timeout: 60_000 }, async () => {
    const args = [killedFile, folder]
    expect(spawnSync(process.execPath, args, { timeout: 30_000 }).signal).toBe('SIGKILL')
    const streams = Array.from({ length: 64 }, (_, index) => `s|${index}`)
    const folded = streams.filter((id) => readHead(tables, Buffer.from(id))?.highestSequenceNr)
    expect(folded.length).toBe(12)
    expect(readCount(tables)).toMatchObject({ headsOrder: 0, lastOrder: 44 })
    const overlay = new Overlay(tables, { foldAfterEvents: 0, foldHeadsMax: 4 })
    const numbers = streams.map((_, index) => (index < 44 ? 1 : 0))
    expect(await overlay.write(streams.map(highest))).toEqual(numbers)
    await overlay.write([first('s|63')])
    while (overlay.heads.fold !== undefined) await overlay.foldOn()
    expect(readCount(tables)).toMatchObject({ headsOrder: 45, tailBytes: 0 })
    for (const [index, id] of streams.slice(0, 44).entries()) {
      expect(storedTexts(tables, id)).toEqual([`${index}`])
    }
  })
})

describe('LmdbJournal that folds in several commits', () => {
  let root: string
  beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'sherd-journal-'))))
  afterEach(() => rmSync(root, { recursive: true }))

  test('is whole in a copy of any moment', { timeout: 60_000 }, async () => {
    const folder = join(root, 'journal')
    const foldLimits = { foldAfterHeads: 4, foldHeadsMax: 1 }
    const journal = await LmdbJournal.open({ folder, foldLimits })
    const streams = Array.from({ length: 10 }, (_, index) => `s|${index}`)
    for (const id of streams) await journal.claim(id, 'w')
    for (let step = 0; step < 30; step++) {
      const [id, after] = [streams[step % 10]!, Math.floor(step / 10)]
      await appendText(journal, { id, epoch: 1, after }, `${after + 1}`)
      const copy = join(root, `copy-${step}`)
      cpSync(folder, copy, { recursive: true })
      const restored = await LmdbJournal.open({ folder: copy, foldLimits })
      for (const [index, other] of streams.entries()) {
        const count = after + (index <= step % 10 ? 1 : 0)
        expect(await restored.highestSequenceNr(other)).toBe(count)
        expect(await readTexts(restored, other)).toEqual(['1', '2', '3'].slice(0, count))
      }
      expect(await restored.claim(id, 'w')).toEqual({ epoch: 2, highestSequenceNr: after + 1 })
      await restored.close()
    }
    await journal.close()
  })

  test('lets commits wait for a fold that does not keep up, so that what lies behind is bounded', async () => {
    const foldLimits = { foldAfterHeads: 8, foldHeadsMax: 2 }
    const journal = await LmdbJournal.open({
      folder: root,
      foldLimits,
      settings: { commitEventsMax: 8 },
    })
    const streams = Array.from({ length: 200 }, (_, index) => `s|${index}`)
    await Promise.all(streams.map((id) => journal.claim(id, 'w')))
    await Promise.all(streams.map((id) => appendText(journal, { id, epoch: 1, after: 0 }, 'x')))
    await journal.close()
    const tables = openTables(root)
    const count = readCount(tables)
    const heads = streams.map((id) => readHead(tables, Buffer.from(id))!)
    const behind = heads.filter(({ highestSequenceNr }) => highestSequenceNr === 0)
    expect(behind.length).toBeLessThanOrEqual(2 * 8 + 8)
    expect(count.lastOrder - count.headsOrder).toBeLessThanOrEqual(6 * 8)
    await tables.environment.close()
  })

  test('refuses to fold nothing at once', async () => {
    const opening = LmdbJournal.open({ folder: root, foldLimits: { foldHeadsMax: 0 } })
    await expect(opening).rejects.toThrow(
      'foldHeadsMax must be a whole number of at least 1, not 0',
    )
  })
})
