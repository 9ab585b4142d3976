/** The part of the contract about what deleting events does to snapshots, for journals that can do both. */
import assert from 'node:assert/strict'
import type { AppendResult, Journal } from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { appendText, claimed, type Writer } from './journal-texts.ts'
import { deleterOf } from './ports.ts'
import { load, ofTen, save } from './snapshots.ts'

function endStream(journal: Journal, { id, epoch, after }: Writer): Promise<AppendResult> {
  const batch = { persistenceId: id, epoch, expectedSequenceNr: after, events: [] }
  return deleterOf(journal).deleteEvents(batch)
}

export function snapshotsOfEndedStreams(check: AddTest): void {
  check('keeps the snapshots of a stream whose first events are deleted', async (on) => {
    const writer = await ofTen(on.journal, 'a')
    await save(on.journal, writer, 4)
    await save(on.journal, writer, 8)
    await deleterOf(on.journal).deleteEventsTo({
      ...{ persistenceId: 'a', epoch: writer.epoch, toSequenceNr: 8 },
    })
    await on.reopen()
    assert.equal(await load(on.journal, 'a'), '8 state 8')
    assert.equal(await load(on.journal, 'a', { toSequenceNr: 7 }), '4 state 4')
    // Of events that are gone, and were of this life.
    assert.equal((await save(on.journal, writer, 6)).type, 'SnapshotSaved')
  })

  check('ends the snapshots of a stream with it, and takes none of its former life', async (on) => {
    const writer = await ofTen(on.journal, 'a')
    const other = await ofTen(on.journal, 'b')
    for (const number of [3, 10]) {
      await save(on.journal, writer, number)
      await save(on.journal, other, number)
    }
    await endStream(on.journal, writer)
    const conflict = { type: 'SnapshotConflict', highestSequenceNr: 10 }
    for (let round = 0; round < 2; round++) {
      assert.equal(await load(on.journal, 'a'), undefined)
      for (const number of [3, 10, 11]) {
        assert.deepEqual(await save(on.journal, writer, number, 'late'), conflict)
      }
      assert.equal(await load(on.journal, 'a'), undefined)
      await on.reopen()
    }
    assert.equal(await load(on.journal, 'b'), '10 state 10')
    const next = await claimed(on.journal, 'a')
    await appendText(on.journal, next, 'k', 'l')
    const later = { type: 'SnapshotConflict', highestSequenceNr: 12 }
    assert.deepEqual(await save(on.journal, next, 10, 'late'), later)
    assert.equal((await save(on.journal, next, 11)).type, 'SnapshotSaved')
    await on.reopen()
    assert.equal(await load(on.journal, 'a'), '11 state 11')
  })

  check('has no snapshot left that was under way when its stream was ended', async (on) => {
    const writer = await ofTen(on.journal, 'a')
    const results = await Promise.all([
      save(on.journal, writer, 9),
      endStream(on.journal, writer),
      save(on.journal, writer, 10),
      appendText(on.journal, writer, 'k'),
    ])
    const [, ended, late, appended] = results.map(({ type }) => type)
    assert.deepEqual([ended, appended], ['Appended', 'Appended'])
    assert.ok(late === 'SnapshotSaved' || late === 'SnapshotConflict')
    assert.equal(await load(on.journal, 'a'), undefined)
    await on.reopen()
    assert.equal(await load(on.journal, 'a'), undefined)
  })
}
