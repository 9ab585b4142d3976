import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  allSlices,
  appendText,
  bytesOf,
  claimed,
  readAll,
  readTexts,
  textOf,
} from '../../testkit/journal-contract/journal-texts.ts'
import { deletesEvents } from '../event-deletion.ts'
import { keepsStates } from '../durable-states.ts'
import { listsIds } from '../id-list.ts'
import { hasSnapshots } from '../snapshots.ts'
import { canTransfer } from '../store-transfer.ts'
import { slowChecksumOf, checksumOf } from './lmdb-checksum.ts'
import { prepareFolder } from './lmdb-folder.ts'
import { LmdbJournal } from './lmdb-journal.ts'
import {
  checkedRegistersKey,
  formatKey,
  formatText,
  formatTextWithSweeps,
  numberKey,
  snapshotKey,
} from './lmdb-layout.ts'
import { type LmdbTable, type LmdbTables, openTables } from './lmdb-tables.ts'

/** As LMDB counts them, in its two meta pages. */
function lastCommit(folder: string): number {
  const file = readFileSync(join(folder, 'data.mdb'))
  const pageBytes = file.readUInt32LE(48)
  const commits = [0, pageBytes].map((page) => Number(file.readBigUInt64LE(page + 152)))
  return Math.max(...commits)
}

describe('the ports of an LmdbJournal', () => {
  let folder: string
  let journal: LmdbJournal
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
    journal = await LmdbJournal.open({ folder })
  })
  afterEach(async () => {
    await journal.close()
    rmSync(folder, { recursive: true })
  })

  const reopen = async (): Promise<void> => {
    await journal.close()
    journal = await LmdbJournal.open({ folder })
  }
  const save = (persistenceId: string, epoch: number, sequenceNr: number, text = `${sequenceNr}`) =>
    journal.saveSnapshot({
      ...{ persistenceId, epoch, sequenceNr, savedAtMs: sequenceNr * 10 },
      bytes: bytesOf(text),
    })
  const load = async (id: string, from = 0, to = Number.MAX_SAFE_INTEGER, until?: number) => {
    const query = { persistenceId: id, fromSequenceNr: from, toSequenceNr: to, savedUntilMs: until }
    const found = await journal.loadSnapshot(query)
    return found && [found.sequenceNr, found.savedAtMs, textOf(found.bytes)]
  }

  test('are all there', () => {
    const ports = [deletesEvents, hasSnapshots, keepsStates, listsIds, canTransfer]
    expect(ports.map((has) => has(journal))).toEqual([true, true, true, true, true])
  })

  test('keep snapshots by number, in the place of one of the same, and for their writer alone', async () => {
    const a = await claimed(journal, 'a')
    await appendText(journal, a, '1', '2', '3', '4')
    await appendText(journal, await claimed(journal, 'a|1'), 'x', 'y')
    expect(await save('a', 1, 5)).toEqual({ type: 'SnapshotConflict', highestSequenceNr: 4 })
    for (const number of [1, 3, 2]) {
      expect(await save('a', 1, number)).toEqual({ type: 'SnapshotSaved' })
    }
    await save('a', 1, 3, 'three')
    await save('a|1', 1, 2)
    await reopen()
    expect(await load('a')).toEqual([3, 30, 'three'])
    expect(await load('a', 0, 2)).toEqual([2, 20, '2'])
    expect(await load('a', 0, 4, 15)).toEqual([1, 10, '1'])
    expect(await load('a', 4)).toBe(undefined)
    expect(await load('nobody')).toBe(undefined)
    await journal.claim('a', 'next')
    const fenced = { type: 'Fenced', byEpoch: 2, byWriter: 'next' }
    expect(await save('a', 1, 4)).toEqual(fenced)
    const range = { persistenceId: 'a', fromSequenceNr: 0, toSequenceNr: 2 }
    expect(await journal.deleteSnapshots({ ...range, epoch: 1 })).toEqual(fenced)
    expect(await journal.deleteSnapshots({ ...range, epoch: 2 })).toEqual({
      type: 'SnapshotsDeleted',
    })
    expect([await load('a', 0, 2), await load('a')]).toEqual([undefined, [3, 30, 'three']])
    expect(await load('a|1')).toEqual([2, 20, '2'])
  })

  test('end snapshots with their stream, also more of them than one commit takes out', async () => {
    const { epoch } = await claimed(journal, 'a')
    const texts = Array.from({ length: 600 }, (_, index) => `${index}`)
    await appendText(journal, { id: 'a', epoch, after: 0 }, ...texts)
    await Promise.all(texts.map((_, index) => save('a', epoch, index + 1)))
    const range = { persistenceId: 'a', epoch, fromSequenceNr: 0, toSequenceNr: 595 }
    await journal.deleteSnapshots({ ...range, savedUntilMs: 100 })
    expect([await load('a', 0, 10), await load('a', 0, 11)]).toEqual([undefined, [11, 110, '11']])
    await journal.deleteSnapshots(range)
    expect([await load('a', 0, 595), await load('a', 0, 596)]).toEqual([
      undefined,
      [596, 5960, '596'],
    ])
    await Promise.all(texts.map((_, index) => save('a', epoch, index + 1)))
    const ended = { persistenceId: 'a', epoch, expectedSequenceNr: 600, events: [bytesOf('new')] }
    await journal.deleteEvents(ended)
    expect(await load('a')).toBe(undefined)
    expect(await save('a', epoch, 600)).toMatchObject({ type: 'SnapshotConflict' })
    await save('a', epoch, 601)
    for (let turn = 0; turn < 10; turn++) await journal.highestSequenceNr('a')
    expect(await load('a')).toEqual([601, 6010, '601'])
    expect(await readTexts(journal, 'a')).toEqual(['new'])
    await journal.close()
    const tables = openTables(folder)
    expect([...tables.snapshots.getKeys()]).toHaveLength(1)
    expect([...tables.deletions.getKeys()]).toHaveLength(0)
    await tables.environment.close()
    journal = await LmdbJournal.open({ folder })
  })

  test('keep a state with its epoch and revision, and no more than the newest', async () => {
    const write = (epoch: number, expectedRevision: number, revision: number, text?: string) =>
      journal.writeState({
        ...{ persistenceId: 's', epoch, expectedRevision, revision },
        bytes: text === undefined ? undefined : bytesOf(text),
      })
    expect(await journal.readState('s')).toBe(undefined)
    await expect(write(1, 0, 1, 'x')).rejects.toMatchObject({ code: 'INVALID_JOURNAL_CALL' })
    expect(await journal.claimState('s', 'é')).toEqual({ epoch: 1, revision: 0, bytes: undefined })
    const answers = await Promise.all([
      write(1, 0, 1, 'one'),
      write(1, 1, 3, 'three'),
      write(1, 1, 4),
    ])
    expect(answers).toEqual([
      { type: 'StateWritten', revision: 1 },
      { type: 'StateWritten', revision: 3 },
      { type: 'RevisionConflict', revision: 3 },
    ])
    await reopen()
    const claim = await journal.claimState('s', 'w')
    expect({ ...claim, bytes: textOf(claim.bytes!) }).toEqual({
      epoch: 2,
      revision: 3,
      bytes: 'three',
    })
    expect(await write(1, 3, 4, 'x')).toEqual({ type: 'Fenced', byEpoch: 2, byWriter: 'w' })
    expect(await write(2, 3, 3)).toEqual({ type: 'StateWritten', revision: 3 })
    const [persistenceId, writer] = ['s', 'w']
    const left = { persistenceId, epoch: 2, writer, revision: 3, bytes: undefined }
    expect(await journal.readState('s')).toEqual(left)
    await write(2, 3, 5, '')
    expect((await journal.readState('s'))?.bytes).toEqual(new Uint8Array())
  })

  test('claim states in several commits where these would be large, because a claim writes its state anew', async () => {
    await journal.close()
    journal = await LmdbJournal.open({ folder, settings: { commitEventsMax: 8 } })
    const ids = ['s1', 's2', 's3', 's4']
    for (const persistenceId of ids) {
      const { epoch } = await journal.claimState(persistenceId, 'w')
      const write = { persistenceId, epoch, expectedRevision: 0, revision: 1 }
      await journal.writeState({ ...write, bytes: new Uint8Array(40_000) })
    }
    const before = lastCommit(folder)
    const claims = await Promise.all(ids.map((id) => journal.claimState(id, 'v')))
    expect(claims.map(({ epoch, bytes }) => [epoch, bytes?.length])).toEqual(
      ids.map(() => [2, 40_000]),
    )
    expect(lastCommit(folder) - before).toBe(ids.length)
  })

  test('write registers as processes of earlier versions read them, where these may have the store open', async () => {
    await journal.close()
    const tables = openTables(folder)
    // As an earlier version has made it.
    await tables.meta.put(formatKey, Buffer.from(formatText))
    await tables.meta.remove(checkedRegistersKey)
    journal = await LmdbJournal.open({ folder })
    await journal.claimState('s', 'w')
    expect(tables.meta.getBinary(formatKey)?.toString()).toBe(formatTextWithSweeps)
    await journal.writeRegister({ name: 'r', expectedRevision: 0, bytes: bytesOf('founding') })
    // The look at the format above may still hold the view of before.
    tables.environment.resetReadTxn()
    const stored = tables.registers.getBinary(Buffer.from('r'))!
    expect([stored.readUIntBE(0, 6), stored.toString('utf8', 6)]).toEqual([1, 'founding'])
    expect(await journal.readRegister('r')).toEqual({ revision: 1, bytes: bytesOf('founding') })
    await tables.environment.close()
  })

  test('list ids in the order of their bytes, also those that only the tail of the log knows', async () => {
    const ids = ['b', 'a', 'a|2', 'é', 'a|10', 'a|1', '￿', '😀']
    for (const id of ids) await appendText(journal, await claimed(journal, id), 'x')
    for (const id of ['a', 'z']) await journal.claimState(id, 'w')
    const sorted = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(await journal.listIds({ kind: 'events', idsMax: 9 })).toEqual({
      ids: sorted,
      isLast: true,
    })
    const page = await journal.listIds({ kind: 'events', prefix: 'a|', idsMax: 2 })
    expect(page).toEqual({ ids: ['a|1', 'a|10'], isLast: false })
    const rest = { kind: 'events', prefix: 'a|', after: 'a|10', idsMax: 2 } as const
    expect(await journal.listIds(rest)).toEqual({ ids: ['a|2'], isLast: true })
    expect((await journal.listIds({ kind: 'events', after: 'é', idsMax: 9 })).ids).toEqual([
      '￿',
      '😀',
    ])
    expect((await journal.listIds({ kind: 'states', idsMax: 9 })).ids).toEqual(['a', 'z'])
  })

  test('place streams, states and registers as another store has them, and lower nothing', async () => {
    const place = { persistenceId: 'a', epoch: 7, writer: 'w', highestSequenceNr: 50 }
    const begins = { ...place, deletedSequenceNr: 40, startSequenceNr: 10 }
    const texts = 'a b c d e f g h i j'.split(' ')
    await journal.placeStream(begins)
    await reopen()
    await appendText(journal, { id: 'a', epoch: 7, after: 40 }, ...texts)
    await reopen()
    expect(await journal.readStream('a')).toEqual(begins)
    expect(await readTexts(journal, 'a')).toEqual(texts)
    await journal.placeStream({ ...begins, epoch: 9, writer: 'v' })
    for (const wrong of [{ epoch: 8 }, { epoch: 9, startSequenceNr: 40 }]) {
      const placed = journal.placeStream({ ...begins, ...wrong })
      await expect(placed).rejects.toMatchObject({ code: 'INVALID_JOURNAL_CALL' })
    }
    expect(await journal.claim('a', 'u')).toEqual({
      ...{ epoch: 10, highestSequenceNr: 50, deletedSequenceNr: 40, startSequenceNr: 10 },
    })
    const state = { persistenceId: 's', epoch: 4, writer: 'w', revision: 6, bytes: bytesOf('x') }
    await journal.placeState(state)
    await expect(journal.placeState({ ...state, revision: 5 })).rejects.toMatchObject({
      code: 'INVALID_JOURNAL_CALL',
    })
    expect(await journal.readState('s')).toEqual(state)
    for (const name of ['r', 'q']) {
      await journal.placeRegister({ name, revision: 3, bytes: bytesOf('x') })
    }
    const other = { name: 'r', revision: 3, bytes: bytesOf('y') }
    await expect(journal.placeRegister(other)).rejects.toMatchObject({
      code: 'INVALID_JOURNAL_CALL',
    })
    expect(await journal.listRegisters({ namesMax: 9 })).toEqual(['q', 'r'])
    expect(await journal.listRegisters({ after: 'q', namesMax: 9 })).toEqual(['r'])
    expect(await journal.readRegister('r')).toEqual({ revision: 3, bytes: bytesOf('x') })
    expect(await journal.readStream('nobody')).toBe(undefined)
  })

  test('read events of one tag only', async () => {
    const { epoch } = await claimed(journal, 'a')
    const events = [['red'], [], ['blue', 'red'], ['blue']].map((tags, index) => {
      return { bytes: bytesOf(`${index}`), tags }
    })
    await journal.append({ persistenceId: 'a', epoch, expectedSequenceNr: 0, events })
    const textsOf = async (tag: string): Promise<string[]> =>
      (await readAll(journal, { ...allSlices, tag })).map(({ bytes }) => textOf(bytes))
    expect(await textsOf('red')).toEqual(['0', '2'])
    expect(await textsOf('blue')).toEqual(['2', '3'])
    expect(await textsOf('green')).toEqual([])
  })
})

describe('a flipped bit', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Flips one bit in every byte of a value, one after the other, and looks each time. */
  async function eachFlip(
    [tableOf, key]: readonly [(tables: LmdbTables) => LmdbTable, Buffer],
    look: (journal: LmdbJournal, at: number) => Promise<void>,
  ): Promise<void> {
    prepareFolder(folder)
    const tables = openTables(folder)
    const table = tableOf(tables)
    const whole = Buffer.from(table.getBinary(key)!)
    expect(whole.length).toBeGreaterThan(10)
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole)
      damaged.writeUInt8(whole.readUInt8(at) ^ (0x80 >> (at % 8)), at)
      await table.put(key, damaged)
      // One that has read nothing before.
      const journal = await LmdbJournal.open({ folder })
      await look(journal, at)
      await journal.close()
    }
    await tables.environment.close()
  }

  async function filled(fill: (journal: LmdbJournal) => Promise<unknown>): Promise<void> {
    const journal = await LmdbJournal.open({ folder })
    const { epoch } = await claimed(journal, 'a')
    await appendText(journal, { id: 'a', epoch, after: 0 }, 'one', 'two')
    await fill(journal)
    await journal.close()
  }

  test('in a record of the log is noticed by whoever reads it', async () => {
    await filled(async () => undefined)
    await eachFlip([({ log }) => log, numberKey(1)], async (journal, at) => {
      await expect(readTexts(journal, 'a'), `byte ${at}`).rejects.toMatchObject({
        code: 'JOURNAL_CORRUPTED',
      })
      await expect(readAll(journal), `byte ${at}`).rejects.toThrow(
        'record 1 of the log is unreadable',
      )
    })
  })

  test('in a snapshot is told with its number, and the one before it can still be loaded', async () => {
    await filled(async (journal) => {
      for (const sequenceNr of [1, 2]) {
        const snapshot = { persistenceId: 'a', epoch: 1, sequenceNr, savedAtMs: 5 }
        await journal.saveSnapshot({ ...snapshot, bytes: bytesOf(`state ${sequenceNr}`) })
      }
    })
    const key = snapshotKey(Buffer.from('a'), 2)
    await eachFlip([({ snapshots }) => snapshots, key], async (journal, at) => {
      const query = { persistenceId: 'a', fromSequenceNr: 0, toSequenceNr: 2 }
      await expect(journal.loadSnapshot(query), `byte ${at}`).rejects.toThrow(
        `The journal in ${folder} is damaged: snapshot 2 of "a" is unreadable.`,
      )
      const older = await journal.loadSnapshot({ ...query, toSequenceNr: 1 })
      expect(textOf(older!.bytes)).toBe('state 1')
    })
  })

  test('in a durable state is noticed by whoever reads or claims it', async () => {
    await filled(async (journal) => {
      const { epoch } = await journal.claimState('s', 'w')
      const write = { persistenceId: 's', epoch, expectedRevision: 0, revision: 1 }
      await journal.writeState({ ...write, bytes: bytesOf('state') })
    })
    await eachFlip([({ states }) => states, Buffer.from('s')], async (journal, at) => {
      const wrong = { code: 'JOURNAL_CORRUPTED' }
      await expect(journal.readState('s'), `byte ${at}`).rejects.toMatchObject(wrong)
      await expect(journal.claimState('s', 'v'), `byte ${at}`).rejects.toMatchObject(wrong)
    })
  })

  test('in a register is noticed by whoever reads or writes it', async () => {
    const write = { name: 'r', expectedRevision: 0, bytes: bytesOf('founding') }
    await filled((journal) => journal.writeRegister(write))
    await eachFlip([({ registers }) => registers, Buffer.from('r')], async (journal, at) => {
      const wrong = { code: 'JOURNAL_CORRUPTED' }
      await expect(journal.readRegister('r'), `byte ${at}`).rejects.toMatchObject(wrong)
      await expect(journal.writeRegister(write), `byte ${at}`).rejects.toMatchObject(wrong)
    })
  })

  test('in the head of a stream is noticed by whoever claims or reads it', async () => {
    await filled(async () => undefined)
    await eachFlip([({ heads }) => heads, Buffer.from('a')], async (journal, at) => {
      const wrong = { code: 'JOURNAL_CORRUPTED' }
      await expect(journal.claim('a', 'w'), `byte ${at}`).rejects.toMatchObject(wrong)
      await expect(readTexts(journal, 'a'), `byte ${at}`).rejects.toMatchObject(wrong)
    })
  })

  test('gives another checksum, the same with the code of Node and with ours', () => {
    for (const text of ['', 'a', 'The quick brown fox', 'é'.repeat(300)]) {
      expect(slowChecksumOf(bytesOf(text))).toBe(checksumOf(bytesOf(text)))
      expect(slowChecksumOf(bytesOf(text), 7)).toBe(checksumOf(bytesOf(text), 7))
    }
  })
})
