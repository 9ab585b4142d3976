/** What deleting means on the disk: bytes are gone, pages are used again, and a process that dies in between leaves no rest. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LmdbJournal } from '../../src/persistence/index.ts'
import {
  appendText,
  bytesOf,
  readAll,
  readEvents,
  readTexts,
  textOf,
} from '../../src/testkit/journal-contract/journal-texts.ts'
import { compiledFile } from '../processes/harness/compiled.ts'
import { printFigures } from '../figures.ts'
import { cases } from '../how-long.ts'
import { countsOf, Writer } from './lmdb-processes.ts'

const deleterFile = compiledFile(new URL('./lmdb-deleter.ts', import.meta.url))
const killedFile = compiledFile(new URL('./lmdb-killed-deleting.ts', import.meta.url))

describe('LmdbJournal deletes', { timeout: 300_000 }, () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const sizeOfFile = (): number => statSync(join(folder, 'data.mdb')).size

  async function fill(
    journal: LmdbJournal,
    writer: { readonly id: string; readonly epoch: number; readonly after: number },
    count: number,
  ): Promise<void> {
    for (let after = 0; after < count; after += 100) {
      const texts = Array.from({ length: 100 }, (_, i) => `secret ${after + i} `.padEnd(500, 'x'))
      await appendText(journal, { ...writer, after: writer.after + after }, ...texts)
    }
  }

  function erase(journal: LmdbJournal, id: string, epoch: number, expectedSequenceNr: number) {
    return journal.deleteEvents({ persistenceId: id, epoch, expectedSequenceNr, events: [] })
  }

  /** What other programs find in the tables. */
  async function inTables(): Promise<{ secrets: number; deletions: number; format: string }> {
    const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
    const store = open<Buffer, Buffer>({ path: folder, noSubdir: false, readOnly: true, ...binary })
    const table = (name: string) => store.openDB<Buffer, Buffer>(name, binary)
    const log = table('log')
    const secrets = [...log.getKeys()].filter((key) => log.getBinary(key)!.includes('secret'))
    const deletions = [...table('deletions').getKeys()].length
    const format = table('meta').getBinary(Buffer.from('format'))!.toString()
    await store.close()
    return { secrets: secrets.length, deletions, format }
  }

  /** Each question takes its turn behind one part of what is taken out. */
  async function settled(journal: LmdbJournal): Promise<void> {
    for (let turn = 0; turn < 50; turn++) await journal.highestSequenceNr('nobody')
  }

  /** Two that write, delete and fight; each in its turn is killed before the other. */
  async function killedInRounds(rounds: number): Promise<readonly Writer[]> {
    const running: Writer[] = []
    const start = (name: string): Writer => {
      const writer = new Writer(folder, name, 6, 2000, deleterFile)
      running.push(writer)
      return writer
    }
    try {
      for (let round = 0; round < rounds; round++) {
        const writers = [start(`left${round}`), start(`right${round}`)]
        await Promise.all(writers.map((writer) => writer.acknowledged(60)))
        await writers[round % 2]?.kill()
        await writers[1 - (round % 2)]?.acknowledgedMore(40)
        await writers[1 - (round % 2)]?.kill()
      }
    } finally {
      await Promise.all(running.map((writer) => writer.kill()))
    }
    return running
  }

  test('a few events at once: when it has answered, their bytes are in no table', async () => {
    const journal = await LmdbJournal.open({ folder })
    const { epoch } = await journal.claim('a', 'w')
    await fill(journal, { id: 'a', epoch, after: 0 }, 200)
    await erase(journal, 'a', epoch, 200)
    await journal.close()
    expect(await inTables()).toEqual({
      ...{ secrets: 0, deletions: 0, format: 'sherd journal, format 6' },
    })
  })

  test('many events piece by piece, and uses their pages again', async () => {
    const journal = await LmdbJournal.open({ folder })
    const { epoch } = await journal.claim('a', 'w')
    await fill(journal, { id: 'a', epoch, after: 0 }, 3_000)
    for (let round = 1; round <= 3; round++) {
      await erase(journal, 'a', epoch, round * 3_000)
      expect(await readTexts(journal, 'a')).toEqual([])
      expect(await readAll(journal)).toEqual([])
      await settled(journal)
      const before = sizeOfFile()
      await fill(journal, { id: 'a', epoch, after: round * 3_000 }, 3_000)
      // 1.5 MB of events, and the first round makes room for copies of pages.
      if (round > 1) expect(sizeOfFile() - before).toBeLessThan(1_000_000)
    }
    await erase(journal, 'a', epoch, 12_000)
    await settled(journal)
    await journal.close()
    expect(await inTables()).toMatchObject({ secrets: 0, deletions: 0 })
  })

  test('also when the process is killed in the middle: the next one goes on', async () => {
    const { signal, stderr } = spawnSync(process.execPath, [killedFile, folder], {
      timeout: 60_000,
      encoding: 'utf8',
    })
    expect([signal, stderr]).toEqual(['SIGKILL', ''])
    expect(await inTables()).toMatchObject({ deletions: 1 })
    const journal = await LmdbJournal.open({ folder })
    expect(await readTexts(journal, 'a')).toEqual([])
    expect((await readTexts(journal, 'b')).length).toBe(10)
    expect((await readAll(journal)).every(({ persistenceId }) => persistenceId === 'b')).toBe(true)
    const claim = await journal.claim('a', 'next')
    expect(claim).toMatchObject({ highestSequenceNr: 3_000, deletedSequenceNr: 3_000 })
    await settled(journal)
    await journal.append({
      ...{ persistenceId: 'a', epoch: claim.epoch, expectedSequenceNr: 3_000 },
      events: [bytesOf('new')],
    })
    expect(await readTexts(journal, 'a')).toEqual(['new'])
    await journal.close()
    expect(await inTables()).toMatchObject({ secrets: 0, deletions: 0 })
  })

  test('between processes that fight, and are killed: what was deleted is gone, all else is there', async () => {
    const rounds = cases({ short: 2, full: 100 })
    const running = await killedInRounds(rounds)
    const journal = await LmdbJournal.open({ folder })
    const log = await readAll(journal)
    const lines = running.flatMap((writer) => writer.lines)
    expect(lines.filter((line) => line.endsWith('deleted')).length).toBeGreaterThan(20)
    expect(lines.filter((line) => line.endsWith('saved')).length).toBeGreaterThan(20)
    for (let stream = 0; stream < 6; stream++) {
      const id = `stream|${stream}`
      const claim = await journal.claim(id, 'the test')
      const { highestSequenceNr, deletedSequenceNr = 0, startSequenceNr = 0 } = claim
      const all = { persistenceId: id, fromSequenceNr: 0, toSequenceNr: highestSequenceNr }
      const snapshot = await journal.loadSnapshot(all)
      const saved = lines.map((line) => line.split(' ')).filter((words) => words[0] === id)
      for (const [, number, text, what] of saved) {
        if (what !== 'saved' || Number(number) <= startSequenceNr) continue
        expect(snapshot?.sequenceNr).toBeGreaterThanOrEqual(Number(number))
        if (snapshot?.sequenceNr === Number(number)) expect(textOf(snapshot.bytes)).toBe(text)
      }
      // Who deletes events has saved what they say.
      if (deletedSequenceNr > startSequenceNr) {
        expect(snapshot?.sequenceNr).toBeGreaterThanOrEqual(deletedSequenceNr)
      }
      const events = await readEvents(journal, id)
      const numbers = events.map(({ sequenceNr }) => sequenceNr)
      const left = Array.from(
        { length: highestSequenceNr - deletedSequenceNr },
        (_, index) => deletedSequenceNr + 1 + index,
      )
      expect(numbers).toEqual(left)
      const inLog = log.filter(({ persistenceId }) => persistenceId === id)
      expect(inLog.map(({ sequenceNr }) => sequenceNr)).toEqual(left)
      for (const line of lines.filter((each) => each.startsWith(`${id} `))) {
        const [, first = '', text = '', deleted] = line.split(' ')
        if (deleted === 'deleted')
          expect(deletedSequenceNr).toBeGreaterThanOrEqual(Number(first) - 1)
        const event = events[Number(first) - deletedSequenceNr - 1]
        if (Number(first) > deletedSequenceNr) expect(textOf(event!.bytes)).toBe(text)
      }
    }
    await settled(journal)
    await journal.close()
    expect(await inTables()).toMatchObject({ deletions: 0 })
    printFigures('LMDB, writers that delete killed', { rounds, ...countsOf(running) })
  })

  test('from a store of an older version, which has the same format as long as nothing is deleted', async () => {
    const before = await LmdbJournal.open({ folder })
    const { epoch } = await before.claim('a', 'w')
    await before.close()
    const store = open<Buffer, Buffer>({ path: folder, noSubdir: false, overlappingSync: false })
    const meta = store.openDB('meta', { encoding: 'binary', keyEncoding: 'binary' })
    meta.putSync(Buffer.from('format'), Buffer.from('sherd journal, format 2'))
    await store.close()
    const journal = await LmdbJournal.open({ folder })
    await fill(journal, { id: 'a', epoch, after: 0 }, 100)
    expect(await inTables()).toMatchObject({ format: 'sherd journal, format 2' })
    await erase(journal, 'a', epoch, 100)
    expect(await inTables()).toMatchObject({ format: 'sherd journal, format 4' })
    const next = await journal.claim('a', 'w')
    expect(next).toMatchObject({ deletedSequenceNr: 100, startSequenceNr: 100 })
    await fill(journal, { id: 'a', epoch: next.epoch, after: 100 }, 100)
    await journal.deleteEventsTo({ persistenceId: 'a', epoch: next.epoch, toSequenceNr: 150 })
    expect(await inTables()).toMatchObject({ format: 'sherd journal, format 5' })
    expect(await journal.claim('a', 'w')).toMatchObject({
      ...{ highestSequenceNr: 200, deletedSequenceNr: 150, startSequenceNr: 100 },
    })
    expect((await readEvents(journal, 'a')).map(({ sequenceNr }) => sequenceNr)).toEqual(
      Array.from({ length: 50 }, (_, index) => 151 + index),
    )
    await journal.close()
  })
})
