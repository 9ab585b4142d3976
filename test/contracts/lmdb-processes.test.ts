import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { appendText, textOf } from '../../src/testkit/journal-contract/journal-texts.ts'
import { countsOf, expectWhole, registerWriterFile, Writer } from './lmdb-processes.ts'
import { printFigures } from '../figures.ts'
import { cases } from '../how-long.ts'
import { compiledFile } from '../processes/harness/compiled.ts'

const readerFile = compiledFile(new URL('./lmdb-killed-reader.ts', import.meta.url))
const openerFile = compiledFile(new URL('./lmdb-opened-twice.ts', import.meta.url))

describe('LmdbJournal between processes', { timeout: 300_000 }, () => {
  let folder: string
  let running: Writer[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
    running = []
  })
  afterEach(async () => {
    await Promise.all(running.map((writer) => writer.kill()))
    rmSync(folder, { recursive: true })
  })
  const start = (name: string, streams: number): Writer => {
    const writer = new Writer(folder, name, streams)
    running.push(writer)
    return writer
  }

  test('loses nothing acknowledged and stays usable when writers are killed in mid-flight', async () => {
    const rounds = cases({ short: 3, full: 100 })
    for (let round = 0; round < rounds; round++) {
      const writers = [start(`left${round}`, 16), start(`right${round}`, 16)]
      await Promise.all(writers.map((writer) => writer.acknowledged(40 + (round % 8) * 57)))
      await writers[round % 2]?.kill()
      // The other one goes on: the lock of the dead is not left behind.
      await writers[(round + 1) % 2]?.acknowledgedMore(50)
      await writers[(round + 1) % 2]?.kill()
    }
    await expectWhole(folder, running)
    printFigures('LMDB, writers killed', { rounds, ...countsOf(running) })
  })

  test('a second journal of one process opens while the first commits', () => {
    const args = [openerFile, folder]
    const { status, stdout } = spawnSync(process.execPath, args, {
      timeout: 60_000,
      encoding: 'utf8',
    })
    expect([status, Number(stdout) > 0]).toEqual([0, true])
  })

  test('uses its pages again, though a reader was killed and nobody opens the store anew', async () => {
    const journal = await LmdbJournal.open({ folder })
    const { epoch } = await journal.claim('a', 'w')
    const write = async (from: number, to: number): Promise<number> => {
      for (let after = from; after < to; after++) {
        await appendText(journal, { id: 'a', epoch, after }, 'x')
      }
      return statSync(join(folder, 'data.mdb')).size
    }
    await write(0, 300)
    const args = [readerFile, folder]
    expect(spawnSync(process.execPath, args, { timeout: 30_000 }).signal).toBe('SIGKILL')
    const before = await write(300, 400)
    expect((await write(400, 1000)) - before).toBeLessThan(1_000_000)
    await journal.close()
  })

  test('gives each revision of a register to one of the processes that race for it', async () => {
    const writers = ['left', 'right'].map((name) => {
      const writer = new Writer(folder, name, 0, 2000, registerWriterFile)
      running.push(writer)
      return writer
    })
    const [left, right] = writers as [Writer, Writer]
    const journal = await LmdbJournal.open({ folder })
    for (const enough of [20, 60, 100]) {
      await Promise.all(writers.map((writer) => writer.acknowledged(enough)))
      // What another process was told before is seen at once.
      const told = Math.max(...writers.map(({ lines }) => Number(lines.at(-1)?.split(' ')[1])))
      expect((await journal.readRegister('r'))?.revision).toBeGreaterThanOrEqual(told)
    }
    await left.kill()
    // The lock of the dead is not left behind.
    await right.acknowledgedMore(20)
    await right.kill()

    const lines = writers.flatMap((writer) => writer.lines)
    expect(lines.filter((line) => line.startsWith('stale'))).toEqual([])
    const texts = new Map(lines.map((line) => [Number(line.split(' ')[1]), line.split(' ')[2]]))
    expect(texts.size, 'no revision was given out twice').toBe(lines.length)
    const last = await journal.readRegister('r')
    expect(last?.revision).toBeGreaterThanOrEqual(Math.max(...texts.keys()))
    // Each of them may have died before it could tell of its last one.
    expect(last?.revision).toBeLessThanOrEqual(lines.length + 2)
    const told = texts.get(last?.revision ?? 0)
    if (told !== undefined) expect(last && textOf(last.bytes)).toBe(told)
    await journal.close()
  })

  test('never interleaves epochs when two processes fight for one stream', async () => {
    const writers = [start('left', 1), start('right', 1)]
    await Promise.all(writers.map((writer) => writer.acknowledged(150)))
    await Promise.all(writers.map((writer) => writer.kill()))
    const events = await expectWhole(folder, running)
    const epochs = events.map(({ epoch }) => epoch)
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b))
    expect(new Set(epochs).size).toBeGreaterThan(2)
  })
})
