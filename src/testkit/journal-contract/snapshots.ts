/** The part of the contract about snapshots, for journals that keep them. */
import assert from 'node:assert/strict'
import {
  deletesEvents,
  isSliceReader,
  type Journal,
  type NewSnapshot,
  type SnapshotDeletion,
  type SnapshotQuery,
  type SnapshotResult,
} from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import {
  allSlices,
  appendText,
  assertSameBytes,
  bytesOf,
  claimed,
  largeBytes,
  readAll,
  readTexts,
  textOf,
  type Writer,
} from './journal-texts.ts'
import { snapshotsOf } from './ports.ts'

const code = 'INVALID_JOURNAL_CALL'

/** Saved at second 10 for number 10, when nothing else is said. */
export function save(
  journal: Journal,
  { id, epoch }: Pick<Writer, 'id' | 'epoch'>,
  sequenceNr: number,
  text = `state ${sequenceNr}`,
  savedAtMs = sequenceNr * 1_000,
): Promise<SnapshotResult> {
  const snapshot = { persistenceId: id, epoch, sequenceNr, savedAtMs, bytes: bytesOf(text) }
  return snapshotsOf(journal).saveSnapshot(snapshot)
}

const every = { fromSequenceNr: 0, toSequenceNr: Number.MAX_SAFE_INTEGER }

/** `number text`; undefined when there is none. */
export async function load(
  journal: Journal,
  persistenceId: string,
  query: Partial<SnapshotQuery> = {},
): Promise<string | undefined> {
  const found = await snapshotsOf(journal).loadSnapshot({ ...every, ...query, persistenceId })
  return found && `${found.sequenceNr} ${textOf(found.bytes)}`
}

function drop(
  journal: Journal,
  { id, epoch }: Writer,
  query: Partial<SnapshotDeletion> = {},
): Promise<unknown> {
  return snapshotsOf(journal).deleteSnapshots({ ...every, epoch, ...query, persistenceId: id })
}

/** The writer of a stream that has ten events. */
export async function ofTen(journal: Journal, id: string): Promise<Writer> {
  const writer = await claimed(journal, id)
  await appendText(journal, writer, ...Array.from('abcdefghij'))
  return { ...writer, after: writer.after + 10 }
}

export function snapshots(check: AddTest): void {
  kept(check)
  chosen(check)
  deleted(check)
  fenced(check)
  refused(check)
  large(check)
  closing(check)
}

function kept(check: AddTest): void {
  check('keeps a state with the number of its last event, also when opened anew', async (on) => {
    const writer = await ofTen(on.journal, 'a')
    assert.equal(await load(on.journal, 'a'), undefined)
    assert.deepEqual(await save(on.journal, writer, 4, 'x', 7), { type: 'SnapshotSaved' })
    for (let round = 0; round < 2; round++) {
      const found = await snapshotsOf(on.journal).loadSnapshot({ persistenceId: 'a', ...every })
      const { persistenceId, sequenceNr, savedAtMs } = found!
      assert.deepEqual({ persistenceId, sequenceNr, savedAtMs }, { ...saved, sequenceNr: 4 })
      assert.equal(textOf(found!.bytes), 'x')
      assert.equal(await load(on.journal, 'b'), undefined)
      await on.reopen()
    }
    // Nothing of it is an event, and the stream goes on as before.
    assert.deepEqual((await readTexts(on.journal, 'a')).join(''), 'abcdefghij')
    if (isSliceReader(on.journal)) assert.equal((await readAll(on.journal, allSlices)).length, 10)
    assert.equal((await appendText(on.journal, writer, 'k')).type, 'Appended')
    assert.deepEqual(await save(on.journal, writer, 11), { type: 'SnapshotSaved' })
    assert.equal(await load(on.journal, 'a'), '11 state 11')
  })

  check('puts a snapshot in the place of one of the same number', async (on) => {
    const writer = await ofTen(on.journal, 'a')
    await save(on.journal, writer, 5, 'first, and longer', 9)
    assert.deepEqual(await save(on.journal, writer, 5, 'second', 2), { type: 'SnapshotSaved' })
    await on.reopen()
    assert.equal(await load(on.journal, 'a'), '5 second')
    assert.equal(await load(on.journal, 'a', { savedUntilMs: 2 }), '5 second')
    await drop(on.journal, writer, { fromSequenceNr: 5, toSequenceNr: 5 })
    assert.equal(await load(on.journal, 'a'), undefined)
  })

  check('hands out bytes of a snapshot that nobody else has, and keeps none', async (on) => {
    const { id, epoch } = await ofTen(on.journal, 'a')
    const mine = bytesOf('text')
    const snapshot = { persistenceId: id, epoch, sequenceNr: 1, savedAtMs: 0, bytes: mine }
    await snapshotsOf(on.journal).saveSnapshot(snapshot)
    mine.fill(0)
    const found = await snapshotsOf(on.journal).loadSnapshot({ persistenceId: 'a', ...every })
    assert.equal(found && textOf(found.bytes), 'text')
    found?.bytes.fill(0)
    assert.equal(await load(on.journal, 'a'), '1 text')
  })
}

const saved = { persistenceId: 'a', savedAtMs: 7 }

function chosen(check: AddTest): void {
  check('finds the newest snapshot that fits, by number and by time', async (on) => {
    const writer = await ofTen(on.journal, 'a')
    // Out of order, and not in that of the time.
    for (const [number, atMs] of [[6, 30] as const, [2, 20] as const, [9, 40] as const]) {
      await save(on.journal, writer, number, 's', atMs)
    }
    const expected: readonly (readonly [Partial<SnapshotQuery>, number | undefined])[] = [
      [{}, 9],
      [{ toSequenceNr: 9 }, 9],
      [{ toSequenceNr: 8 }, 6],
      [{ toSequenceNr: 6, fromSequenceNr: 6 }, 6],
      [{ toSequenceNr: 5, fromSequenceNr: 3 }, undefined],
      [{ fromSequenceNr: 10 }, undefined],
      [{ toSequenceNr: 0 }, undefined],
      [{ fromSequenceNr: 9, toSequenceNr: 2 }, undefined],
      [{ savedUntilMs: 40 }, 9],
      [{ savedUntilMs: 39 }, 6],
      [{ savedUntilMs: 20 }, 2],
      [{ savedUntilMs: 19 }, undefined],
      [{ savedUntilMs: 39, toSequenceNr: 5 }, 2],
    ]
    for (let round = 0; round < 2; round++) {
      for (const [query, number] of expected) {
        const found = await load(on.journal, 'a', query)
        assert.equal(found, number && `${number} s`, JSON.stringify(query))
      }
      await on.reopen()
    }
  })

  check('keeps the snapshots of many streams apart, saved all at once', async (on) => {
    const ids = Array.from({ length: 60 }, (_, i) => `Thing|${i}`)
    const writers = await Promise.all(ids.map((id) => ofTen(on.journal, id)))
    await Promise.all(
      writers.flatMap((writer) => [3, 7].map((n) => save(on.journal, writer, n, writer.id))),
    )
    await on.reopen()
    for (const id of ids) {
      assert.equal(await load(on.journal, id), `7 ${id}`)
      assert.equal(await load(on.journal, id, { toSequenceNr: 6 }), `3 ${id}`)
    }
  })
}

function deleted(check: AddTest): void {
  check('deletes the snapshots that fit; when none does, that is no failure', async (on) => {
    const done = { type: 'SnapshotsDeleted' }
    const writer = await ofTen(on.journal, 'a')
    assert.deepEqual(await drop(on.journal, writer), done)
    const other = await ofTen(on.journal, 'b')
    await save(on.journal, other, 3)
    for (const number of [2, 4, 6, 8]) await save(on.journal, writer, number)
    assert.deepEqual(await drop(on.journal, writer, { fromSequenceNr: 9 }), done)
    assert.deepEqual(await drop(on.journal, writer, { toSequenceNr: 1 }), done)
    assert.deepEqual(await drop(on.journal, writer, { savedUntilMs: 1_999 }), done)
    assert.equal(await load(on.journal, 'a', { toSequenceNr: 2 }), '2 state 2')
    await drop(on.journal, writer, { fromSequenceNr: 4, toSequenceNr: 6, savedUntilMs: 5_000 })
    assert.equal(await load(on.journal, 'a', { toSequenceNr: 5 }), '2 state 2')
    await drop(on.journal, writer, { fromSequenceNr: 7 })
    await on.reopen()
    assert.equal(await load(on.journal, 'a'), '6 state 6')
    await drop(on.journal, writer)
    assert.equal(await load(on.journal, 'a'), undefined)
    await on.reopen()
    assert.equal(await load(on.journal, 'a'), undefined)
    assert.equal(await load(on.journal, 'b'), '3 state 3')
    assert.equal((await readTexts(on.journal, 'a')).length, 10)
  })
}

function fenced(check: AddTest): void {
  check('saves and deletes no snapshot for a writer whose stream is another’s', async (on) => {
    const old = await ofTen(on.journal, 'a')
    await save(on.journal, old, 5)
    const { epoch: byEpoch } = await on.journal.claim('a', 'the new one')
    const refusal = { type: 'Fenced', byEpoch, byWriter: 'the new one' }
    for (let round = 0; round < 2; round++) {
      for (const number of [5, 6, 99]) {
        assert.deepEqual(await save(on.journal, old, number, 'late'), refusal)
      }
      assert.deepEqual(await drop(on.journal, old), refusal)
      assert.deepEqual(await drop(on.journal, old, { fromSequenceNr: 9 }), refusal)
      assert.equal(await load(on.journal, 'a'), '5 state 5')
      await on.reopen()
    }
    assert.equal((await save(on.journal, { ...old, epoch: byEpoch }, 6)).type, 'SnapshotSaved')
  })

  check('saves and deletes no snapshot under an epoch that was never given out', async (on) => {
    const writer = await ofTen(on.journal, 'a')
    const strange = { ...writer, epoch: writer.epoch + 1 }
    await save(on.journal, writer, 5)
    await assert.rejects(save(on.journal, strange, 6), { code })
    await assert.rejects(drop(on.journal, strange), { code })
    const nobody = { id: 'nobody', epoch: 1, after: 0 }
    await assert.rejects(save(on.journal, nobody, 1), { code })
    await assert.rejects(drop(on.journal, nobody), { code })
    assert.equal(await load(on.journal, 'a'), '5 state 5')
  })
}

function refused(check: AddTest): void {
  check('keeps no snapshot of events that are not stored', async ({ journal }) => {
    const empty = await claimed(journal, 'empty')
    const none = { type: 'SnapshotConflict', highestSequenceNr: 0 }
    assert.deepEqual(await save(journal, empty, 1), none)
    const writer = await ofTen(journal, 'a')
    const ten = { type: 'SnapshotConflict', highestSequenceNr: 10 }
    assert.deepEqual(await save(journal, writer, 11), ten)
    assert.equal(await load(journal, 'a'), undefined)
    assert.equal((await save(journal, writer, 10)).type, 'SnapshotSaved')
  })

  check('refuses numbers, times and bytes that no snapshot has', async ({ journal }) => {
    const { id, epoch } = await ofTen(journal, 'a')
    const good: NewSnapshot = {
      ...{ persistenceId: id, epoch, sequenceNr: 3, savedAtMs: 0, bytes: bytesOf('x') },
    }
    const query = { persistenceId: id, ...every }
    const on = snapshotsOf(journal)
    for (const number of [-1, 0.5, NaN, 2 ** 53]) {
      for (const name of ['epoch', 'sequenceNr', 'savedAtMs']) {
        await assert.rejects(on.saveSnapshot({ ...good, [name]: number }), { code })
      }
      for (const name of ['fromSequenceNr', 'toSequenceNr', 'savedUntilMs']) {
        await assert.rejects(on.loadSnapshot({ ...query, [name]: number }), { code })
        await assert.rejects(on.deleteSnapshots({ ...query, epoch, [name]: number }), { code })
      }
      await assert.rejects(on.deleteSnapshots({ ...query, epoch: number }), { code })
    }
    for (const part of [{ sequenceNr: 0 }, { bytes: 'x' as unknown as Uint8Array }]) {
      await assert.rejects(on.saveSnapshot({ ...good, ...part }), { code })
    }
    assert.equal(await load(journal, 'a'), undefined)
  })
}

function large(check: AddTest): void {
  check('keeps snapshots of no bytes and of 8 MB, byte by byte', async (on) => {
    const { id, epoch } = await ofTen(on.journal, 'a')
    const sizes = [8 * 1_048_576, 0, 3]
    for (const [index, size] of sizes.entries()) {
      const numbers = { epoch, sequenceNr: index + 1, savedAtMs: 0 }
      const snapshot = { persistenceId: id, ...numbers, bytes: largeBytes(size) }
      await snapshotsOf(on.journal).saveSnapshot(snapshot)
    }
    await on.reopen()
    for (const [index, size] of sizes.entries()) {
      const query = { fromSequenceNr: index + 1, toSequenceNr: index + 1, persistenceId: id }
      const found = await snapshotsOf(on.journal).loadSnapshot(query)
      assertSameBytes(found?.bytes, largeBytes(size))
    }
    if (!deletesEvents(on.journal)) return
    await drop(on.journal, { id, epoch, after: 10 }, { toSequenceNr: 1 })
    assert.equal(await load(on.journal, 'a', { toSequenceNr: 1 }), undefined)
  })

  check('refuses a snapshot that is too large', async (on) => {
    const { id, epoch } = await ofTen(on.journal, 'a')
    await on.reopen({ stateBytesMax: 10 })
    const writer = { id, epoch, after: 10 }
    const refusal = { code: 'STATE_TOO_LARGE', bytes: 11, persistenceId: 'a' }
    await assert.rejects(save(on.journal, writer, 1, 'x'.repeat(11)), refusal)
    assert.equal(await load(on.journal, 'a'), undefined)
    assert.equal((await save(on.journal, writer, 1, 'x'.repeat(10))).type, 'SnapshotSaved')
  })
}

function closing(check: AddTest): void {
  check('settles snapshots under way when it is closed, and takes no more', async (on) => {
    const writer = await ofTen(on.journal, 'a')
    const { journal } = on
    const saving = [1, 2, 3].map((number) => save(journal, writer, number))
    await on.reopen()
    assert.ok((await Promise.all(saving)).every(({ type }) => type === 'SnapshotSaved'))
    assert.equal(await load(on.journal, 'a'), '3 state 3')
    const closed = { code: 'JOURNAL_CLOSED' }
    await assert.rejects(save(journal, writer, 4), closed)
    await assert.rejects(load(journal, 'a'), closed)
    await assert.rejects(drop(journal, writer), closed)
  })
}
