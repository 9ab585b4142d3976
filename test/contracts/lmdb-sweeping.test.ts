/** What deleting the first events of streams means on the disk: pages are used again, whoever shares them. */
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
} from '../../src/testkit/journal-contract/journal-texts.ts'

/** So that little of the log is behind the checkpoint. */
const foldLimits = { foldAfterEvents: 200 }

describe('the sweep of an LmdbJournal', { timeout: 120_000 }, () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const sizeOfFile = (): number => statSync(join(folder, 'data.mdb')).size

  /** Each question takes its turn behind one part of the sweep. */
  async function settled(journal: LmdbJournal): Promise<void> {
    for (let turn = 0; turn < 100; turn++) await journal.highestSequenceNr('nobody')
  }

  /** What other programs find in the log, and in the index. */
  async function inTables(
    word: string,
  ): Promise<{ records: number; words: number; blocks: number }> {
    const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
    const store = open<Buffer, Buffer>({ path: folder, noSubdir: false, readOnly: true, ...binary })
    const log = store.openDB<Buffer, Buffer>('log', binary)
    const records = [...log.getKeys()].map((key) => log.getBinary(key)!)
    const words = records.reduce(
      (sum, record) => sum + record.toString('latin1').split(word).length - 1,
      0,
    )
    const blocks = [...store.openDB<Buffer, Buffer>('blocks', binary).getKeys()].length
    await store.close()
    return { records: records.length, words, blocks }
  }

  /** Streams that append side by side, so that each record has events of many, and keep their last events only. */
  class Streams {
    readonly #journal: LmdbJournal
    readonly #ids: readonly string[]
    readonly #epochs = new Map<string, number>()
    #highest = 0

    constructor(journal: LmdbJournal, count: number) {
      this.#journal = journal
      this.#ids = Array.from({ length: count }, (_, index) => `fast|${index}`)
    }

    async claim(): Promise<void> {
      for (const id of this.#ids) this.#epochs.set(id, (await this.#journal.claim(id, 'w')).epoch)
    }

    async append(events: number): Promise<void> {
      for (let count = 0; count < events; count++) {
        const after = this.#highest++
        const text = `fast ${after + 1} `.padEnd(100, 'x')
        await Promise.all(
          [...this.#epochs].map(([id, epoch]) =>
            appendText(this.#journal, { id, epoch, after }, text),
          ),
        )
      }
    }

    async keep(events: number): Promise<void> {
      const toSequenceNr = Math.max(this.#highest - events, 0)
      await Promise.all(
        [...this.#epochs].map(([persistenceId, epoch]) =>
          this.#journal.deleteEventsTo({ persistenceId, epoch, toSequenceNr }),
        ),
      )
    }

    async expectKept(events: number): Promise<void> {
      for (const id of this.#ids) {
        const numbers = (await readEvents(this.#journal, id)).map(({ sequenceNr }) => sequenceNr)
        const first = this.#highest - events + 1
        expect(numbers).toEqual(Array.from({ length: events }, (_, index) => first + index))
      }
    }
  }

  test('lets a file not grow after the first rounds, though each record has events of many streams', async () => {
    const journal = await LmdbJournal.open({ folder, foldLimits })
    const streams = new Streams(journal, 20)
    await streams.claim()
    const sizes: number[] = []
    for (let round = 0; round < 12; round++) {
      await streams.append(50)
      await streams.keep(50)
      sizes.push(sizeOfFile())
    }
    await streams.expectKept(50)
    expect((await readAll(journal)).length).toBe(20 * 50)
    // 136 kB of events in every round.
    expect(sizes.at(-1)! - sizes[5]!).toBeLessThan(136_000)
    await settled(journal)
    await journal.close()
    const { words, blocks } = await inTables('fast ')
    expect(words).toBeLessThan(2 * 20 * 50)
    expect(blocks).toBeLessThan(4 * 20)
  })

  test('is not held up by a stream that keeps all its events: they move together', async () => {
    const journal = await LmdbJournal.open({ folder, foldLimits })
    const streams = new Streams(journal, 20)
    await streams.claim()
    const slow = await journal.claim('slow', 'w')
    const texts: string[] = []
    for (let round = 0; round < 60; round++) {
      const written = appendText(
        journal,
        { id: 'slow', epoch: slow.epoch, after: round },
        `slow ${round}`,
      )
      texts.push(`slow ${round}`)
      await Promise.all([written, streams.append(1)])
      await streams.append(9)
      if (round % 10 === 9) await streams.keep(10)
    }
    await streams.keep(10)
    await settled(journal)
    expect(await readTexts(journal, 'slow')).toEqual(texts)
    await streams.expectKept(10)
    await journal.close()
    const again = await LmdbJournal.open({ folder, foldLimits })
    expect(await readTexts(again, 'slow')).toEqual(texts)
    expect((await readAll(again)).length).toBe(60 + 200)
    await again.close()
    const { records, words } = await inTables('fast ')
    // 12,000 events were stored, 18 in a record.
    expect(words).toBeLessThan(3_000)
    expect(records).toBeLessThan(250)
  })

  test('goes on where another process has left it', async () => {
    const before = await LmdbJournal.open({ folder, foldLimits })
    const streams = new Streams(before, 20)
    await streams.claim()
    await streams.append(300)
    await streams.keep(1)
    // It is closed with most of the sweep before it.
    await before.close()
    const journal = await LmdbJournal.open({ folder, foldLimits })
    await settled(journal)
    await journal.close()
    const { words, records } = await inTables('fast ')
    expect(words).toBeLessThan(1_000)
    expect(records).toBeLessThan(100)
  })

  test('takes out all of a stream that is ended, also what was deleted before, and where little of a record is gone', async () => {
    const journal = await LmdbJournal.open({ folder, foldLimits })
    const streams = new Streams(journal, 20)
    await streams.claim()
    const { epoch } = await journal.claim('secret', 'w')
    for (let after = 0; after < 60; after++) {
      const written = appendText(journal, { id: 'secret', epoch, after }, `private ${after}`)
      await Promise.all([written, streams.append(1)])
    }
    await journal.saveSnapshot({
      ...{ persistenceId: 'secret', epoch, sequenceNr: 50, savedAtMs: 1 },
      bytes: bytesOf('private state'),
    })
    await journal.deleteEventsTo({ persistenceId: 'secret', epoch, toSequenceNr: 50 })
    await settled(journal)
    const ended = { persistenceId: 'secret', epoch, expectedSequenceNr: 60, events: [] }
    await journal.deleteEvents(ended)
    const all = { persistenceId: 'secret', fromSequenceNr: 0, toSequenceNr: 1_000 }
    expect(await journal.loadSnapshot(all)).toBe(undefined)
    await settled(journal)
    await streams.expectKept(60)
    await journal.close()
    expect((await inTables('private')).words).toBe(0)
  })
})
