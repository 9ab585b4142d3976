/** The part of the contract about deleting the first events of a stream, for journals that can. */
import assert from 'node:assert/strict'
import {
  type EventDeletionResult,
  isSliceReader,
  type Journal,
  type StoredEvent,
} from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { allSlices, appendText, claimed, inNumbers, readAll, type Writer } from './journal-texts.ts'
import { deleterOf } from './ports.ts'

const code = 'INVALID_JOURNAL_CALL'

function deleteTo(
  journal: Journal,
  { id, epoch }: Pick<Writer, 'id' | 'epoch'>,
  toSequenceNr: number,
): Promise<EventDeletionResult> {
  return deleterOf(journal).deleteEventsTo({ persistenceId: id, epoch, toSequenceNr })
}

const endStream = (journal: Journal, { id, epoch, after }: Writer): Promise<unknown> =>
  deleterOf(journal).deleteEvents({
    ...{ persistenceId: id, epoch, expectedSequenceNr: after, events: [] },
  })

/** A stream of these events, and its writer behind them. */
async function filled(journal: Journal, id: string, ...texts: string[]): Promise<Writer> {
  const writer = await claimed(journal, id)
  await appendText(journal, writer, ...texts)
  return { ...writer, after: texts.length }
}

/** `highest deleted start`, as a claim tells them. */
async function claimInWords(journal: Journal, id: string): Promise<string> {
  const claim = await journal.claim(id, 'the next one')
  const { highestSequenceNr, deletedSequenceNr = 0, startSequenceNr = 0 } = claim
  return `${highestSequenceNr} ${deletedSequenceNr} ${startSequenceNr}`
}

export function deletingFirst(check: AddTest): void {
  gone(check)
  lives(check)
  refused(check)
  inOrder(check)
  many(check)
}

function gone(check: AddTest): void {
  check('deletes the first events of a stream; the rest and its numbers stay', async (on) => {
    const writer = await filled(on.journal, 'a', 'p', 'q', 'r', 's', 't')
    const deleted = { type: 'EventsDeleted', deletedSequenceNr: 3 }
    assert.deepEqual(await deleteTo(on.journal, writer, 3), deleted)
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await inNumbers(on.journal, 'a'), ['4 s', '5 t'])
      assert.deepEqual(await inNumbers(on.journal, 'a', 1, 3), [])
      assert.deepEqual(await inNumbers(on.journal, 'a', 2, 4), ['4 s'])
      assert.deepEqual(await inNumbers(on.journal, 'a', 5, 9), ['5 t'])
      assert.equal(await on.journal.highestSequenceNr('a'), 5)
      await on.reopen()
    }
    assert.equal((await appendText(on.journal, writer, 'u')).type, 'Appended')
    assert.equal(await claimInWords(on.journal, 'a'), '6 3 0')
    await on.reopen()
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['4 s', '5 t', '6 u'])
    assert.equal(await claimInWords(on.journal, 'a'), '6 3 0')
  })

  check('never has fewer events deleted than before, and may have all deleted', async (on) => {
    const writer = await filled(on.journal, 'a', 'p', 'q', 'r')
    const steps = [0, 2, 1, 0, 3, 3, 1]
    for (const [index, to] of steps.entries()) {
      const deletedSequenceNr = Math.max(...steps.slice(0, index + 1))
      const deleted = { type: 'EventsDeleted', deletedSequenceNr }
      assert.deepEqual(await deleteTo(on.journal, writer, to), deleted)
      assert.equal((await inNumbers(on.journal, 'a')).length, 3 - deletedSequenceNr)
    }
    await on.reopen()
    assert.equal(await claimInWords(on.journal, 'a'), '3 3 0')
    assert.deepEqual(await inNumbers(on.journal, 'a'), [])
  })
}

function lives(check: AddTest): void {
  check('tells where the present life of a stream began, and deletes on from there', async (on) => {
    let writer = await filled(on.journal, 'a', 'p', 'q', 'r')
    await deleteTo(on.journal, writer, 2)
    await endStream(on.journal, writer)
    assert.equal(await claimInWords(on.journal, 'a'), '3 3 3')
    await on.reopen()
    writer = await claimed(on.journal, 'a')
    await appendText(on.journal, writer, 's', 't', 'u')
    const earlier = { type: 'EventsDeleted', deletedSequenceNr: 3 }
    assert.deepEqual(await deleteTo(on.journal, writer, 1), earlier)
    await deleteTo(on.journal, writer, 5)
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['6 u'])
    assert.equal(await claimInWords(on.journal, 'a'), '6 5 3')
    await on.reopen()
    assert.equal(await claimInWords(on.journal, 'a'), '6 5 3')
    await endStream(on.journal, await claimed(on.journal, 'a'))
    assert.equal(await claimInWords(on.journal, 'a'), '6 6 6')
  })
}

function refused(check: AddTest): void {
  check('refuses to delete first events for a writer whose stream is another’s', async (on) => {
    const old = await filled(on.journal, 'a', 'p', 'q')
    const { epoch: byEpoch } = await on.journal.claim('a', 'the new one')
    const fenced = { type: 'Fenced', byEpoch, byWriter: 'the new one' }
    for (const to of [0, 1, 9]) assert.deepEqual(await deleteTo(on.journal, old, to), fenced)
    await on.reopen()
    assert.deepEqual(await deleteTo(on.journal, old, 1), fenced)
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['1 p', '2 q'])
    await assert.rejects(deleteTo(on.journal, { ...old, epoch: byEpoch + 1 }, 1), { code })
    await assert.rejects(deleteTo(on.journal, { id: 'nobody', epoch: 1 }, 0), { code })
  })

  check('deletes no first events that are not stored, and none for bad numbers', async (on) => {
    const { journal } = on
    const writer = await filled(journal, 'a', 'p', 'q')
    const conflict = { type: 'SequenceConflict', highestSequenceNr: 2 }
    assert.deepEqual(await deleteTo(journal, writer, 3), conflict)
    for (const number of [-1, 0.5, NaN, 2 ** 53]) {
      await assert.rejects(deleteTo(journal, writer, number), { code })
      await assert.rejects(deleteTo(journal, { ...writer, epoch: number }, 1), { code })
    }
    assert.deepEqual(await inNumbers(journal, 'a'), ['1 p', '2 q'])
    await journal.close()
    await assert.rejects(deleteTo(journal, writer, 1), { code: 'JOURNAL_CLOSED' })
  })
}

function inOrder(check: AddTest): void {
  check('takes deletions of first events and appends in the order of the calls', async (on) => {
    const { journal } = on
    const writer = await claimed(journal, 'a')
    const results = await Promise.all([
      deleteTo(journal, writer, 1),
      appendText(journal, writer, 'p', 'q'),
      deleteTo(journal, writer, 1),
      deleteTo(journal, writer, 3),
      appendText(journal, { ...writer, after: 2 }, 'r'),
      deleteTo(journal, writer, 2),
      appendText(journal, { ...writer, after: 3 }, 's'),
    ])
    assert.deepEqual(
      results.map(({ type }) => type),
      [
        ...['SequenceConflict', 'Appended', 'EventsDeleted', 'SequenceConflict'],
        ...['Appended', 'EventsDeleted', 'Appended'],
      ],
    )
    assert.deepEqual(await inNumbers(journal, 'a'), ['3 r', '4 s'])
    await on.reopen()
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['3 r', '4 s'])
  })

  check('settles deletions of first events under way when it is closed', async (on) => {
    const writer = await filled(on.journal, 'a', 'p', 'q', 'r')
    const deleting = [1, 2].map((to) => deleteTo(on.journal, writer, to))
    await on.reopen()
    const results = await Promise.all(deleting)
    assert.ok(results.every(({ type }) => type === 'EventsDeleted'))
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['3 r'])
  })
}

function many(check: AddTest): void {
  check('deletes first events here and there, and those of others stay', async (on) => {
    const { journal } = on
    const ids = ['a', 'b', 'c', 'd']
    const writers = await Promise.all(ids.map((id) => claimed(journal, id)))
    const texts = Array.from({ length: 50 }, (_, i) => `${i}`)
    for (let round = 0; round < 12; round++) {
      const after = round * texts.length
      await Promise.all(writers.map((w) => appendText(journal, { ...w, after }, ...texts)))
    }
    const deleted: Readonly<Record<string, number>> = { a: 1, b: 257, c: 599, d: 0 }
    const isLeft = (event: StoredEvent): boolean => event.sequenceNr > deleted[event.persistenceId]!
    const first = isSliceReader(journal) ? await journal.readSlices(allSlices) : undefined
    await Promise.all(writers.map((w) => deleteTo(journal, w, deleted[w.id]!)))
    for (let round = 0; round < 2; round++) {
      for (const id of ids) {
        const left = await inNumbers(on.journal, id)
        assert.equal(left.length, 600 - deleted[id]!)
        assert.equal(left[0]?.split(' ')[0], `${deleted[id]! + 1}`)
      }
      if (isSliceReader(on.journal)) {
        const all = await readAll(on.journal)
        assert.equal(all.length, 4 * 600 - 1 - 257 - 599)
        assert.ok(all.every(isLeft))
        // A reader that was on its way sees nothing of it either, and all of the rest.
        const rest = await readAll(on.journal, { ...allSlices, after: first?.next })
        assert.equal(rest.length, all.length - (first?.events.filter(isLeft).length ?? 0))
        assert.ok(rest.every(isLeft))
      }
      await on.reopen()
    }
  })
}
