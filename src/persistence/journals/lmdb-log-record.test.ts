import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  appendText,
  bytesOf,
  claimed,
  readAll,
  textOf,
} from '../../testkit/journal-contract/journal-texts.ts'
import type { OrderedEvent } from '../slice-reader.ts'
import { prepareFolder } from './lmdb-folder.ts'
import { LmdbJournal } from './lmdb-journal.ts'
import { numberKey } from './lmdb-layout.ts'
import { LmdbLogRecord, LmdbRecordEntries } from './lmdb-log-record.ts'
import { scrubbed } from './lmdb-record-rewrite.ts'
import { openTables } from './lmdb-tables.ts'
import { noSection, sectionOf } from './lmdb-tag-section.ts'

const hexOf = (words: string): string => words.replaceAll(' ', '')

const id = Buffer.from('a|1')
const stream = { epoch: 3, slice: 5, highestSequenceNr: 6 }

function recordOf(...events: readonly (readonly [text: string, ...tags: string[]])[]): Buffer {
  const record = new LmdbLogRecord()
  for (const [text, ...tags] of events) record.add(id, stream, bytesOf(text), sectionOf(tags))
  return Buffer.from(record.take(10))
}

function eventsIn(record: Buffer): OrderedEvent[] | undefined {
  const entries = LmdbRecordEntries.in(record, 10)
  if (entries === undefined) return undefined
  const events: OrderedEvent[] = []
  while (entries.next()) events.push(entries.event, entries.eventCopy)
  return events.filter((_, index) => index % 2 === 0)
}

describe('a record of the log', () => {
  test('has the bytes that it had before there were tags, for an event without any', () => {
    expect(recordOf(['xy']).toString('hex')).toBe(
      hexOf('0000001d 401c000000000000 4008000000000000 0005 0003 617c31 7879'),
    )
    expect(sectionOf([])).toBe(noSection)
  })

  test('has the tags of an event between its id and its bytes', () => {
    expect(recordOf(['xy', 'r', 'é']).subarray(22).toString('hex')).toBe(
      hexOf('8003 617c31 02 0172 02c3a9 7879'),
    )
  })

  test('has one gap for neighbours that were deleted, and keeps count, orders and weight', () => {
    const other = Buffer.from('b|1')
    const record = new LmdbLogRecord()
    const texts = [id, id, other, id, other, id]
    for (const [index, of] of texts.entries()) {
      record.add(of, { ...stream, highestSequenceNr: index }, bytesOf(`${index}`), noSection)
    }
    const whole = Buffer.from(record.take(10))
    const first = scrubbed(whole, id, 2)
    const gap = hexOf('00000018 4000000000000000 404c000000000000 ffff 0000')
    expect(first.subarray(0, 24).toString('hex')).toBe(gap)
    // Those behind the number stay, and nothing of the others is touched.
    for (const [upTo, left] of [
      [2, [12, 13, 14, 15]],
      [4, [12, 14, 15]],
      [9, [12, 14]],
    ] as const) {
      const rest = scrubbed(first, id, upTo)
      expect(eventsIn(rest)?.map(({ order }) => order)).toEqual(left)
      const { count, weight } = LmdbRecordEntries.in(rest, 10)!
      expect([count, weight]).toEqual([6, whole.length])
    }
    const nothing = scrubbed(scrubbed(first, other, 9), id, 9)
    expect([nothing.length, eventsIn(nothing)]).toEqual([24, []])
  })

  test('is none when a gap is damaged', () => {
    const gap = scrubbed(recordOf(['x']), id, 9)
    expect(eventsIn(gap)).toEqual([])
    for (const at of [0, 3, 4, 12, 20]) {
      const damaged = Buffer.from(gap)
      damaged.writeUInt8(damaged.readUInt8(at) ^ 0xc0, at)
      expect(eventsIn(damaged), `byte ${at}`).toBe(undefined)
    }
    expect(eventsIn(gap.subarray(0, 20))).toBe(undefined)
  })

  test('gives back what was put into it', () => {
    const found = eventsIn(recordOf(['x'], ['y', 'red', 'blue'], ['', 'é'], ['z']))
    expect(found?.map(({ bytes, tags, order }) => [order, textOf(bytes), ...tags])).toEqual([
      [10, 'x'],
      [11, 'y', 'red', 'blue'],
      [12, '', 'é'],
      [13, 'z'],
    ])
    expect(found?.every((event) => event.persistenceId === 'a|1')).toBe(true)
  })

  test.each([
    ['no tags', 27, 0],
    ['too many tags', 27, 17],
    ['an empty tag', 28, 0],
    ['a tag that goes beyond the entry', 28, 200],
    ['more tags than there are', 27, 16],
    ['a tag that is not UTF-8', 29, 0xff],
  ])('is not one of ours when its tags are damaged: %s', (_what, at, byte) => {
    const record = recordOf(['xyz', 'red', 'blue'])
    record[at] = byte
    expect(eventsIn(record)).toBeUndefined()
  })

  test('is cut off anywhere, and is no record then or has fewer events', () => {
    const record = recordOf(['x', 'red'], ['yy', 'blue', 'é'])
    for (let length = 0; length < record.length; length++) {
      expect(eventsIn(record.subarray(0, length))?.length ?? 0).toBeLessThan(2)
    }
  })

  test('never throws, whatever its bytes are', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 })
    fc.assert(
      fc.property(changes, (bytes) => {
        const record = recordOf(['x', 'red'], ['yy'], ['zzz', 'blue', 'é', 'green'])
        for (const [at, byte] of bytes) record[at % record.length] = byte
        for (const { tags } of eventsIn(record) ?? []) expect(tags.length).toBeLessThanOrEqual(16)
      }),
      { numRuns: 2000 },
    )
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void eventsIn(Buffer.from(bytes))))
  })
})

describe('a journal with a damaged tag', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  /** The length of the first tag of the only record is beyond its end. */
  const damage = async (): Promise<void> => {
    prepareFolder(folder)
    const tables = openTables(folder)
    const record = tables.log.getBinary(numberKey(1))!
    record[24 + 1 + 1] = 255
    await tables.log.put(numberKey(1), record)
    await tables.environment.close()
  }

  test('says so to those who read and to those who write', async () => {
    const before = await LmdbJournal.open({ folder })
    const writer = await claimed(before, 'a')
    const events = [{ bytes: bytesOf('x'), tags: ['red'] }]
    await before.append({ persistenceId: 'a', epoch: 1, expectedSequenceNr: 0, events })
    await before.close()
    await damage()
    const journal = await LmdbJournal.open({ folder })
    const wrong = { code: 'JOURNAL_CORRUPTED' }
    const range = { persistenceId: 'a', fromSequenceNr: 1, toSequenceNr: 1 }
    await expect(journal.read(range, () => undefined)).rejects.toMatchObject(wrong)
    await expect(readAll(journal)).rejects.toMatchObject(wrong)
    await expect(journal.claim('a', 'w')).rejects.toMatchObject(wrong)
    await expect(appendText(journal, { ...writer, after: 1 }, 'y')).rejects.toMatchObject(wrong)
    await journal.close()
  })
})
