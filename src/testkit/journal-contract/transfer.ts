/** The part of the contract about moving what is stored to another store, for journals that can take part in that. */
import assert from 'node:assert/strict'
import {
  hasRegisters,
  hasSnapshots,
  type Journal,
  keepsStates,
  listsIds,
  type StreamPlace,
} from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { appendText, bytesOf, claimed, inNumbers, textOf } from './journal-texts.ts'
import { deleterOf, snapshotsOf, statesOf, transferOf } from './ports.ts'

const code = 'INVALID_JOURNAL_CALL'

/** A stream whose first life ended behind event 3, and that has a snapshot in the place of 4 and 5. */
const old: StreamPlace = {
  ...{ persistenceId: 'a', epoch: 7, writer: 'of old' },
  ...{ highestSequenceNr: 9, deletedSequenceNr: 5, startSequenceNr: 3 },
}

export function transfer(check: AddTest): void {
  told(check)
  placed(check)
  streams(check)
  registers(check)
  states(check)
  closing(check)
}

function told(check: AddTest): void {
  check('tells where a stream stands, as its claims do, and claims nothing', async (on) => {
    assert.equal(await transferOf(on.journal).readStream('a'), undefined)
    const writer = await claimed(on.journal, 'a', 'one')
    const place = { persistenceId: 'a', epoch: writer.epoch, writer: 'one' }
    const nothing = { highestSequenceNr: 0, deletedSequenceNr: 0, startSequenceNr: 0 }
    assert.deepEqual(await transferOf(on.journal).readStream('a'), { ...place, ...nothing })
    await appendText(on.journal, writer, 'p', 'q', 'r')
    const { epoch } = writer
    const journal = deleterOf(on.journal)
    const batch = { persistenceId: 'a', epoch, expectedSequenceNr: 3, events: [bytesOf('s')] }
    await journal.deleteEvents(batch)
    await journal.deleteEventsTo({ persistenceId: 'a', epoch, toSequenceNr: 4 })
    const numbers = { highestSequenceNr: 4, deletedSequenceNr: 4, startSequenceNr: 3 }
    await on.reopen()
    assert.deepEqual(await transferOf(on.journal).readStream('a'), { ...place, ...numbers })
    assert.equal(await transferOf(on.journal).readStream('b'), undefined)
    assert.equal((await appendText(on.journal, { ...writer, after: 4 }, 't')).type, 'Appended')
  })
}

function placed(check: AddTest): void {
  check('places a stream as it stood elsewhere, and goes on from there', async (on) => {
    await transferOf(on.journal).placeStream(old)
    const numbers = { highestSequenceNr: 5, deletedSequenceNr: 5, startSequenceNr: 3 }
    for (let round = 0; round < 2; round++) {
      const found = await transferOf(on.journal).readStream('a')
      assert.deepEqual(found, { ...old, ...numbers })
      assert.equal(await on.journal.highestSequenceNr('a'), 5)
      await on.reopen()
    }
    const writer = { id: 'a', epoch: 7, after: 5 }
    const fenced = { type: 'Fenced', byEpoch: 7, byWriter: 'of old' }
    assert.deepEqual(await appendText(on.journal, { ...writer, epoch: 6 }, 'late'), fenced)
    await assert.rejects(appendText(on.journal, { ...writer, epoch: 8 }, 'early'), { code })
    const conflict = { type: 'SequenceConflict', highestSequenceNr: 5 }
    assert.deepEqual(await appendText(on.journal, { ...writer, after: 0 }, 'x'), conflict)
    await appendText(on.journal, writer, 'p', 'q')
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['6 p', '7 q'])
    if (hasSnapshots(on.journal)) await savesThere(on.journal)
    const claim = await on.journal.claim('a', 'new')
    assert.ok(claim.epoch > 7)
    const { highestSequenceNr, deletedSequenceNr, startSequenceNr } = claim
    assert.deepEqual([highestSequenceNr, deletedSequenceNr, startSequenceNr], [7, 5, 3])
  })

  check('places a stream again when a copy goes on, and is claimed like any other', async (on) => {
    const fresh = { ...old, epoch: 1, deletedSequenceNr: 0, startSequenceNr: 0 }
    await transferOf(on.journal).placeStream(fresh)
    await appendText(on.journal, { id: 'a', epoch: 1, after: 0 }, 'p')
    await on.reopen()
    await transferOf(on.journal).placeStream(fresh)
    await transferOf(on.journal).placeStream({ ...fresh, epoch: 4, writer: 'the last one' })
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['1 p'])
    await on.reopen()
    const fenced = { type: 'Fenced', byEpoch: 4, byWriter: 'the last one' }
    assert.deepEqual(await appendText(on.journal, { id: 'a', epoch: 1, after: 1 }, 'q'), fenced)
    assert.equal(
      (await appendText(on.journal, { id: 'a', epoch: 4, after: 1 }, 'q')).type,
      'Appended',
    )
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['1 p', '2 q'])
  })
}

/** In the place of the events that did not come along, and not of a former life. */
async function savesThere(journal: Journal): Promise<void> {
  const snapshot = { persistenceId: 'a', epoch: 7, savedAtMs: 1, bytes: bytesOf('state') }
  const types: string[] = []
  for (const sequenceNr of [5, 3, 8]) {
    types.push((await snapshotsOf(journal).saveSnapshot({ ...snapshot, sequenceNr })).type)
  }
  assert.deepEqual(types, ['SnapshotSaved', 'SnapshotConflict', 'SnapshotConflict'])
}

function streams(check: AddTest): void {
  check('places no stream where that would lower or contradict what is there', async (on) => {
    const { journal } = on
    const refuses = (part: Partial<StreamPlace>): Promise<void> =>
      assert.rejects(transferOf(journal).placeStream({ ...old, ...part }), { code })
    await refuses({ startSequenceNr: 6 })
    assert.equal(await transferOf(journal).readStream('a'), undefined)
    if (listsIds(journal)) {
      assert.deepEqual((await journal.listIds({ kind: 'events', idsMax: 9 })).ids, [])
    }
    await transferOf(journal).placeStream(old)
    await appendText(journal, { id: 'a', epoch: 7, after: 5 }, 'p')
    await refuses({ epoch: 6 })
    await refuses({ deletedSequenceNr: 4 })
    await refuses({ deletedSequenceNr: 6 })
    await refuses({ startSequenceNr: 0 })
    await refuses({ writer: 'w'.repeat(257) })
    const found = await transferOf(journal).readStream('a')
    assert.deepEqual(found, { ...old, highestSequenceNr: 6 })
    assert.deepEqual(await inNumbers(journal, 'a'), ['6 p'])
  })
}

function registers(check: AddTest): void {
  check('lists and places registers with their revisions', async (on) => {
    if (!hasRegisters(on.journal)) return
    const journal = transferOf(on.journal)
    const names = ['A', 'a', 'a/b', 'é', '～', '\u{1f600}']
    for (const name of names.toReversed()) {
      await journal.placeRegister({ name, revision: 3, bytes: bytesOf(name) })
    }
    assert.deepEqual(await journal.listRegisters({ namesMax: 9 }), names)
    assert.deepEqual(await journal.listRegisters({ namesMax: 2 }), ['A', 'a'])
    assert.deepEqual(await journal.listRegisters({ after: 'a/b', namesMax: 9 }), names.slice(3))
    assert.deepEqual(await journal.listRegisters({ after: '\u{1f601}', namesMax: 9 }), [])
    const place = (revision: number, text: string): Promise<void> =>
      transferOf(on.journal).placeRegister({ name: 'a', revision, bytes: bytesOf(text) })
    await place(3, 'a')
    await place(5, 'later')
    for (const bad of [place(5, 'another'), place(4, 'later')]) await assert.rejects(bad, { code })
    await on.reopen()
    assert.ok(hasRegisters(on.journal))
    const found = await on.journal.readRegister('a')
    assert.deepEqual([found?.revision, found && textOf(found.bytes)], [5, 'later'])
    const write = { name: 'a', expectedRevision: 5, bytes: bytesOf('next') }
    assert.deepEqual(await on.journal.writeRegister(write), {
      type: 'RegisterWritten',
      revision: 6,
    })
  })
}

function states(check: AddTest): void {
  check('places a state with its epoch and revision, neither of which falls', async (on) => {
    if (!keepsStates(on.journal)) return
    const state = { persistenceId: 'a', epoch: 4, writer: 'of old', revision: 9 }
    const place = (part: Partial<typeof state>, text: string | undefined): Promise<void> => {
      const bytes = text === undefined ? undefined : bytesOf(text)
      return transferOf(on.journal).placeState({ ...state, ...part, bytes })
    }
    await place({ persistenceId: 'deleted' }, undefined)
    await place({}, 'x')
    await place({}, 'x')
    for (const part of [{ epoch: 3 }, { revision: 8 }]) {
      await assert.rejects(place(part, 'late'), { code })
    }
    await on.reopen()
    const { bytes, ...found } = (await statesOf(on.journal).readState('a'))!
    assert.deepEqual([found, bytes && textOf(bytes)], [state, 'x'])
    const gone = await statesOf(on.journal).readState('deleted')
    assert.deepEqual([gone?.revision, gone?.bytes], [9, undefined])
    const write = { persistenceId: 'a', expectedRevision: 9, revision: 10, bytes: bytesOf('y') }
    const fenced = { type: 'Fenced', byEpoch: 4, byWriter: 'of old' }
    assert.deepEqual(await statesOf(on.journal).writeState({ ...write, epoch: 3 }), fenced)
    const written = await statesOf(on.journal).writeState({ ...write, epoch: 4 })
    assert.equal(written.type, 'StateWritten')
    const claim = await statesOf(on.journal).claimState('a', 'new')
    assert.ok(claim.epoch > 4 && claim.revision === 10)
  })
}

function closing(check: AddTest): void {
  check('places nothing after it was closed', async ({ journal }) => {
    await journal.close()
    const closed = { code: 'JOURNAL_CLOSED' }
    const { readStream, placeStream, listRegisters } = transferOf(journal)
    await assert.rejects(readStream.call(journal, 'a'), closed)
    await assert.rejects(placeStream.call(journal, old), closed)
    await assert.rejects(listRegisters.call(journal, { namesMax: 1 }), closed)
  })
}
