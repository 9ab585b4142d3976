/** The part of the contract about names that are hard to keep: all are kept apart everywhere, or refused everywhere alike. */
import assert from 'node:assert/strict'
import {
  canTransfer,
  deletesEvents,
  hasRegisters,
  hasSnapshots,
  isSliceReader,
  type Journal,
  keepsStates,
  listsIds,
} from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { allSlices, bytesOf, claimed, readAll, readTexts, textOf } from './journal-texts.ts'

/** Each is a name of its own, and fits everywhere. */
const nasty: readonly string[] = [
  ...["o'clock", '"quoted"', '`ticks`', "'; drop table events; --", '\\', '\\\\', '$1', '${x}'],
  ...['..', '../', '../../etc/passwd', '/', 'a/b', 'a\\b', 'C:', '.', 'con'],
  ...['%', '%2e', '%%', '_', '*', '?', '{}', '[]', '<a>', '&amp;', '#', '|', '||', 'a|'],
  ...[' ', '  ', 'a ', ' a', '\t', '\n', '\r', '\r\n', '\u007f', '\u0001', '\u001b[31m'],
  ...[
    'a',
    'A',
    'İ',
    'i',
    'ß',
    'ss',
    'SS',
    'é',
    'e\u0301',
    'ﬁ',
    'fi',
    '\u00c5',
    '\u212b',
    'A\u030a',
  ],
  ...['\u200f', '\u202eabc', 'abc\u202e', '\u200b', 'a\u200b', '\ufeff', '\u2028', '\ufffd'],
  ...['\u{1f600}', '\u{1f468}\u200d\u{1f469}', '\uffff', '\u{10ffff}', 'أب', 'בא', '0', '00', '-0'],
  ...['null', 'undefined', 'NaN', '__proto__', 'constructor', 'toString'],
]

/** 1 KB, and they differ at the end alone. */
const long: readonly string[] = ['x', 'y', 'é'].map((last) =>
  last.padStart(1024, 'ab').slice(-1023),
)

const invalid: readonly string[] = [
  ...['', '\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800', 'x'.repeat(1025), 'é'.repeat(513)],
  ...['x'.repeat(10_240), 7 as unknown as string, undefined as unknown as string],
]

export function nastyIds(check: AddTest): void {
  kept(check)
  besides(check)
  refused(check)
}

async function store(journal: Journal, id: string): Promise<void> {
  const { epoch } = await claimed(journal, id)
  const text = bytesOf(`event of ${id}`)
  const event = id.length < 250 ? { bytes: text, tags: [id] } : text
  await journal.append({ persistenceId: id, epoch, expectedSequenceNr: 0, events: [event] })
  if (hasSnapshots(journal)) {
    const numbers = { epoch, sequenceNr: 1, savedAtMs: 0 }
    const bytes = bytesOf(`snapshot of ${id}`)
    await journal.saveSnapshot({ persistenceId: id, ...numbers, bytes })
  }
  if (!keepsStates(journal)) return
  const claim = await journal.claimState(id, id.slice(0, 50))
  const numbers = { epoch: claim.epoch, expectedRevision: 0, revision: 1 }
  const bytes = bytesOf(`state of ${id}`)
  await journal.writeState({ persistenceId: id, ...numbers, bytes })
}

async function find(journal: Journal, id: string): Promise<void> {
  assert.deepEqual(await readTexts(journal, id), [`event of ${id}`])
  if (hasSnapshots(journal)) {
    const query = { persistenceId: id, fromSequenceNr: 0, toSequenceNr: 9 }
    const found = await journal.loadSnapshot(query)
    assert.equal(found && textOf(found.bytes), `snapshot of ${id}`)
    assert.equal(found?.persistenceId, id)
  }
  if (!keepsStates(journal)) return
  const found = await journal.readState(id)
  assert.equal(found?.bytes && textOf(found.bytes), `state of ${id}`)
  assert.deepEqual([found?.persistenceId, found?.writer], [id, id.slice(0, 50)])
}

const inOrder = (texts: readonly string[]): string[] =>
  texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

function kept(check: AddTest): void {
  check('keeps ids apart that are hard to keep, in all that it stores', async (on) => {
    const all = [...nasty, ...long]
    await Promise.all(all.map((id) => store(on.journal, id)))
    await on.reopen()
    for (const id of all) await find(on.journal, id)
    if (!listsIds(on.journal)) return
    const { ids } = await on.journal.listIds({ kind: 'events', idsMax: 1_000 })
    assert.deepEqual(ids, inOrder(all))
    for (const id of all) {
      const page = await on.journal.listIds({ kind: 'events', idsMax: 1_000, prefix: id })
      assert.deepEqual(page.ids, inOrder(all.filter((other) => other.startsWith(id))))
    }
  })
}

function besides(check: AddTest): void {
  check('keeps registers and tags apart that are hard to keep', async (on) => {
    const { journal } = on
    if (hasRegisters(journal)) {
      for (const name of nasty) {
        await journal.writeRegister({ name, expectedRevision: 0, bytes: bytesOf(`of ${name}`) })
      }
      for (const name of nasty) {
        const found = await journal.readRegister(name)
        assert.equal(found && textOf(found.bytes), `of ${name}`)
      }
    }
    if (!isSliceReader(journal)) return
    const { epoch } = await claimed(journal, 'a')
    const events = nasty.map((tag) => ({ bytes: bytesOf(tag), tags: [tag] }))
    await journal.append({ persistenceId: 'a', epoch, expectedSequenceNr: 0, events })
    for (const tag of nasty) {
      const found = await readAll(journal, { ...allSlices, tag })
      assert.deepEqual(
        found.map(({ bytes, tags }) => [textOf(bytes), tags]),
        [[tag, [tag]]],
      )
    }
  })
}

function refused(check: AddTest): void {
  check('refuses ids that cannot be kept with one error, whatever they are for', async (on) => {
    const { journal } = on
    const refusal = { code: 'INVALID_PERSISTENCE_ID' }
    for (const persistenceId of invalid) {
      if (hasSnapshots(journal)) {
        const query = { persistenceId, epoch: 1, fromSequenceNr: 0, toSequenceNr: 1 }
        const numbers = { epoch: 1, sequenceNr: 1, savedAtMs: 0, bytes: bytesOf('x') }
        await assert.rejects(journal.saveSnapshot({ persistenceId, ...numbers }), refusal)
        await assert.rejects(journal.loadSnapshot(query), refusal)
        await assert.rejects(journal.deleteSnapshots(query), refusal)
      }
      if (keepsStates(journal)) {
        const numbers = { epoch: 1, expectedRevision: 0, revision: 1, bytes: bytesOf('x') }
        await assert.rejects(journal.claimState(persistenceId, 'w'), refusal)
        await assert.rejects(journal.writeState({ persistenceId, ...numbers }), refusal)
        await assert.rejects(journal.readState(persistenceId), refusal)
      }
      await refusedToMove(journal, persistenceId)
    }
    if (!listsIds(journal)) return
    for (const kind of ['events', 'states'] as const) {
      assert.deepEqual((await journal.listIds({ kind, idsMax: 1 })).ids, [])
    }
  })
}

/** What deletes and what copies. */
async function refusedToMove(journal: Journal, persistenceId: string): Promise<void> {
  const refusal = { code: 'INVALID_PERSISTENCE_ID' }
  if (deletesEvents(journal)) {
    const batch = { persistenceId, epoch: 1, expectedSequenceNr: 0, events: [] }
    await assert.rejects(journal.deleteEvents(batch), refusal)
    const deletion = { persistenceId, epoch: 1, toSequenceNr: 0 }
    await assert.rejects(journal.deleteEventsTo(deletion), refusal)
  }
  if (!canTransfer(journal)) return
  const numbers = { highestSequenceNr: 0, deletedSequenceNr: 0, startSequenceNr: 0 }
  const place = { persistenceId, epoch: 1, writer: 'w' }
  await assert.rejects(journal.readStream(persistenceId), refusal)
  await assert.rejects(journal.placeStream({ ...place, ...numbers }), refusal)
  await assert.rejects(journal.placeState({ ...place, revision: 1, bytes: undefined }), refusal)
}
