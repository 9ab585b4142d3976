import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DiskRoom } from './disk-room.ts'
import type { LmdbCommitParts } from './lmdb-commit.ts'
import { defaultFoldLimits } from './lmdb-fold.ts'
import { LmdbHeads } from './lmdb-heads.ts'
import { LmdbLogRecord } from './lmdb-log-record.ts'
import { findSnapshot } from './lmdb-snapshots.ts'
import { readState } from './lmdb-states.ts'
import { openTables } from './lmdb-tables.ts'
import type { LmdbRequest } from './lmdb-request.ts'
import { LmdbWrite, transact } from './lmdb-write.ts'

describe('a transaction that is rolled back', () => {
  let folder: string
  let parts: LmdbCommitParts
  let free: number | undefined
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
    const tables = openTables(folder)
    const record = new LmdbLogRecord()
    free = undefined
    const room = new DiskRoom({ folder, freeBytes: () => free })
    parts = { tables, heads: new LmdbHeads(tables), record, foldLimits: defaultFoldLimits, room }
  })
  afterEach(async () => {
    await parts.tables.environment.close()
    await rm(folder, { recursive: true })
  })

  /** As the only one of its transaction, or before one that breaks it. */
  const write = async (request: LmdbRequest, breaks = false): Promise<unknown> => {
    let result: unknown
    const succeeded = (given: unknown): void => void (result = given)
    const failed = (error: Error): void => void (result = error)
    const one = new LmdbWrite(request, 1, { succeeded, failed })
    const broken = {
      perform: () => {
        throw new Error('the disk is full')
      },
    } as unknown as LmdbWrite
    await transact(parts, () => (breaks ? [one, broken] : [one]))
    one.succeed()
    return result
  }
  const claim: LmdbRequest = { type: 'Claim', persistenceId: 'a', writer: 'me' }
  const append = (expectedSequenceNr: number): LmdbRequest => ({
    type: 'Append',
    batch: { persistenceId: 'a', epoch: 1, expectedSequenceNr, events: [Buffer.from('x')] },
  })

  test('leaves no number behind that was never stored', async () => {
    await write(claim)
    await write(append(0))
    await expect(write(append(1), true)).rejects.toThrow('the disk is full')
    // Not SequenceConflict; and a claim that named 2 would leave a hole that nobody can ever recover from.
    expect(await write({ type: 'Highest', persistenceId: 'a' })).toBe(1)
    expect(await write(append(1))).toEqual({ type: 'Appended', highestSequenceNr: 2 })
  })

  test('leaves no epoch behind that nobody was given', async () => {
    await write(claim)
    await expect(write(claim, true)).rejects.toThrow('the disk is full')
    expect(await write(append(0))).toEqual({ type: 'Appended', highestSequenceNr: 1 })
  })

  test('is so where the disk has no room, before the store tries, and nothing is stored', async () => {
    await write(claim)
    free = 20_000
    const refused = write(append(0))
    await expect(refused).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
    await expect(refused).rejects.toThrow(
      `Nothing could be written in ${folder}: the disk is full (19 kB are free); free some space.`,
    )
    free = 20_000_000
    expect(await write(append(0))).toEqual({ type: 'Appended', highestSequenceNr: 1 })
  })

  test('is so for snapshots and states, too, which keep what they had and go on when there is room', async () => {
    await write(claim)
    await write(append(0))
    await write({ type: 'ClaimState', persistenceId: 's', writer: 'me', storedBytes: 0 })
    const save = (text: string): LmdbRequest => {
      const snapshot = { persistenceId: 'a', epoch: 1, sequenceNr: 1, savedAtMs: 0 }
      return { type: 'SaveSnapshot', snapshot: { ...snapshot, bytes: Buffer.from(text) } }
    }
    const put = (expectedRevision: number, text: string): LmdbRequest => {
      const place = { persistenceId: 's', epoch: 1, expectedRevision }
      const bytes = Buffer.from(text)
      return { type: 'WriteState', write: { ...place, revision: expectedRevision + 1, bytes } }
    }
    const stored = (): (string | undefined)[] => {
      const query = { persistenceId: 'a', fromSequenceNr: 0, toSequenceNr: 9 }
      parts.tables.environment.resetReadTxn()
      const values = [findSnapshot(parts.tables, query, 0), readState(parts.tables, 's')]
      return values.map((value) => value?.bytes && Buffer.from(value.bytes).toString())
    }
    await write(save('first'))
    await write(put(0, 'first'))
    free = 20_000
    for (const request of [save('second'), put(1, 'second')]) {
      await expect(write(request)).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
      await expect(write(request)).rejects.toThrow('the disk is full (19 kB are free)')
    }
    expect(stored()).toEqual(['first', 'first'])
    free = undefined
    // Also when the disk fills up in the middle.
    for (const request of [save('third'), put(1, 'third')]) {
      await expect(write(request, true)).rejects.toThrow('the disk is full')
    }
    expect(stored()).toEqual(['first', 'first'])
    free = 20_000_000
    expect(await write(save('fourth'))).toEqual({ type: 'SnapshotSaved' })
    expect(await write(put(1, 'fourth'))).toEqual({ type: 'StateWritten', revision: 2 })
    expect(stored()).toEqual(['fourth', 'fourth'])
  })

  test('is not so where one of its requests asks for what is damaged: the others are stored', async () => {
    const { tables } = parts
    await write(claim)
    await write({ type: 'Claim', persistenceId: 'b', writer: 'me' })
    await write({ type: 'ClaimState', persistenceId: 's', writer: 'me', storedBytes: 0 })
    for (const [table, key] of [
      [tables.heads, 'b'],
      [tables.states, 's'],
    ] as const) {
      await table.put(Buffer.from(key), Buffer.from('damaged'))
    }
    parts.heads.forget()
    const results: unknown[] = []
    const requests: readonly LmdbRequest[] = [
      { type: 'Claim', persistenceId: 'b', writer: 'you' },
      { type: 'ClaimState', persistenceId: 's', writer: 'you', storedBytes: 9 },
      append(0),
    ]
    const settle = (result: unknown): void => void results.push(result)
    const writes = requests.map((request) => {
      return new LmdbWrite(request, 1, { succeeded: settle, failed: settle })
    })
    await transact(parts, () => writes)
    for (const one of writes) one.succeed()
    const damaged = { code: 'JOURNAL_CORRUPTED' }
    expect(results).toMatchObject([damaged, damaged, { type: 'Appended', highestSequenceNr: 1 }])
  })
})
