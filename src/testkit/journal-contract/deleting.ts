/** The part of the contract about deleting, for journals that can. */
import assert from 'node:assert/strict'
import { type AppendResult, isSliceReader, type Journal } from '../../persistence/index.ts'
import { SteadyRandom } from '../steady-random.ts'
import type { AddTest } from './journal-contract.ts'
import {
  allSlices,
  appendText,
  bytesOf,
  claimed,
  inNumbers,
  readAll,
  readTexts,
  type Writer,
} from './journal-texts.ts'
import { deleterOf } from './ports.ts'

const code = 'INVALID_JOURNAL_CALL'

function deleteText(
  journal: Journal,
  { id, epoch, after }: Writer,
  ...texts: string[]
): Promise<AppendResult> {
  const batch = { persistenceId: id, epoch, expectedSequenceNr: after }
  return deleterOf(journal).deleteEvents({ ...batch, events: texts.map(bytesOf) })
}

const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}`)

export function deleting(check: AddTest): void {
  gone(check)
  inOrder(check)
  fenced(check)
  many(check)
  anyDeletions(check)
}

function gone(check: AddTest): void {
  check('deletes all events of a stream; its numbers and epochs go on', async (on) => {
    const writer = await claimed(on.journal, 'a')
    await appendText(on.journal, writer, 'x', 'y', 'z')
    const deleted = { type: 'Appended', highestSequenceNr: 3 }
    assert.deepEqual(await deleteText(on.journal, { ...writer, after: 3 }), deleted)
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await readTexts(on.journal, 'a'), [])
      assert.deepEqual(await readTexts(on.journal, 'a', 2, 3), [])
      assert.equal(await on.journal.highestSequenceNr('a'), 3)
      await on.reopen()
    }
    const next = await on.journal.claim('a', 'next')
    assert.ok(next.epoch > writer.epoch)
    assert.deepEqual([next.highestSequenceNr, next.deletedSequenceNr], [3, 3])
    await appendText(on.journal, { id: 'a', epoch: next.epoch, after: 3 }, 'new')
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['4 new'])
    await on.reopen()
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['4 new'])
    const last = await on.journal.claim('a', 'last')
    assert.deepEqual([last.highestSequenceNr, last.deletedSequenceNr], [4, 3])
  })

  check('deletes, and stores what comes with the deletion behind it', async (on) => {
    const writer = await claimed(on.journal, 'a')
    await appendText(on.journal, writer, 'x', 'y')
    const result = await deleteText(on.journal, { ...writer, after: 2 }, 'p', 'q')
    assert.deepEqual(result, { type: 'Appended', highestSequenceNr: 4 })
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['3 p', '4 q'])
    await deleteText(on.journal, { ...writer, after: 4 }, 'r')
    await on.reopen()
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['5 r'])
    assert.deepEqual(await readTexts(on.journal, 'a', 1, 4), [])
    assert.deepEqual(await readTexts(on.journal, 'a', 5, 5), ['r'])
  })
}

function inOrder(check: AddTest): void {
  check('deletes where nothing is, too, and says up to where', async ({ journal }) => {
    const writer = await claimed(journal, 'a')
    assert.deepEqual(await deleteText(journal, writer), { type: 'Appended', highestSequenceNr: 0 })
    assert.equal((await journal.claim('a', 'w')).deletedSequenceNr ?? 0, 0)
    const again = await claimed(journal, 'a')
    await appendText(journal, again, 'x')
    for (let round = 0; round < 2; round++) await deleteText(journal, { ...again, after: 1 })
    assert.deepEqual(await readTexts(journal, 'a'), [])
  })

  check('takes deletions and appends in the order of the calls, without waiting', async (on) => {
    const { journal } = on
    const writer = await claimed(journal, 'a')
    const results = await Promise.all([
      appendText(journal, writer, 'x', 'y'),
      deleteText(journal, { ...writer, after: 2 }, 'p'),
      appendText(journal, { ...writer, after: 3 }, 'q'),
      deleteText(journal, { ...writer, after: 4 }),
      appendText(journal, { ...writer, after: 4 }, 'r'),
    ])
    assert.deepEqual(
      results.map((result) => result.type === 'Appended' && result.highestSequenceNr),
      [2, 3, 4, 4, 5],
    )
    assert.deepEqual(await inNumbers(journal, 'a'), ['5 r'])
    await on.reopen()
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['5 r'])
  })
}

function fenced(check: AddTest): void {
  check('refuses to delete for a writer whose stream was claimed by another', async (on) => {
    const old = await claimed(on.journal, 'a')
    await appendText(on.journal, old, 'mine')
    const { epoch: byEpoch } = await on.journal.claim('a', 'the new one')
    const refused = { type: 'Fenced', byEpoch, byWriter: 'the new one' }
    assert.deepEqual(await deleteText(on.journal, { ...old, after: 1 }, 'late'), refused)
    assert.deepEqual(await inNumbers(on.journal, 'a'), ['1 mine'])
    const current = { id: 'a', epoch: byEpoch, after: 1 }
    await deleteText(on.journal, current)
    // The tombstone fences as the stream did.
    assert.deepEqual(await appendText(on.journal, { ...old, after: 1 }, 'late'), refused)
    await on.reopen()
    assert.deepEqual(await deleteText(on.journal, { ...old, after: 1 }), refused)
  })

  check('refuses a deletion that expects another last event, and deletes nothing', async (on) => {
    const { journal } = on
    const writer = await claimed(journal, 'a')
    await appendText(journal, writer, 'x', 'y')
    const conflict = { type: 'SequenceConflict', highestSequenceNr: 2 }
    for (const after of [1, 3]) {
      assert.deepEqual(await deleteText(journal, { ...writer, after }, 'z'), conflict)
    }
    assert.deepEqual(await inNumbers(journal, 'a'), ['1 x', '2 y'])
  })

  check('refuses to delete what nobody has claimed, and too much at once', async (on) => {
    await assert.rejects(deleteText(on.journal, { id: 'a', epoch: 1, after: 0 }), { code })
    const writer = await claimed(on.journal, 'a')
    await assert.rejects(deleteText(on.journal, { ...writer, epoch: 7 }), { code })
    await on.reopen({ appendEventsMax: 2 })
    await assert.rejects(deleteText(on.journal, writer, '1', '2', '3'), { code })
    assert.equal((await deleteText(on.journal, writer, '1', '2')).type, 'Appended')
  })
}

function many(check: AddTest): void {
  check('deletes many events among those of others, which stay', async (on) => {
    const { journal } = on
    const ids = ['a', 'b', 'c']
    const writers = await Promise.all(ids.map((id) => claimed(journal, id)))
    for (let round = 0; round < 12; round++) {
      const append = (writer: Writer): Promise<AppendResult> =>
        appendText(journal, { ...writer, after: round * 50 }, ...texts(50))
      await Promise.all(writers.map(append))
    }
    const before = isSliceReader(journal) ? await readAll(journal) : []
    await deleteText(journal, { ...writers[1]!, after: 600 }, 'left')
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await inNumbers(on.journal, 'b'), ['601 left'])
      for (const id of ['a', 'c']) assert.equal((await readTexts(on.journal, id)).length, 600)
      if (isSliceReader(on.journal)) {
        const all = await readAll(on.journal)
        const expected = before.filter(({ persistenceId }) => persistenceId !== 'b')
        assert.deepEqual(
          all.filter(({ persistenceId }) => persistenceId !== 'b'),
          expected,
        )
        const left = all.filter(({ persistenceId }) => persistenceId === 'b')
        assert.deepEqual(
          left.map(({ sequenceNr }) => sequenceNr),
          [601],
        )
      }
      await on.reopen()
    }
  })

  check('shows nothing of a stream whose events were deleted while they were read', async (on) => {
    const { journal } = on
    if (!isSliceReader(journal)) return
    const writer = await claimed(journal, 'a')
    await appendText(journal, writer, ...texts(10))
    const first = await journal.readSlices({ ...allSlices, eventsMax: 3 })
    await deleteText(journal, { ...writer, after: 10 }, 'new')
    const rest = await readAll(journal, { ...allSlices, after: first.next })
    assert.deepEqual(
      rest.map(({ sequenceNr }) => sequenceNr),
      [11],
    )
  })
}

/** What is left of each stream, and how many events it ever had. */
interface Expected {
  epoch: number
  highest: number
  left: string[]
}

function anyDeletions(check: AddTest): void {
  check('does what lists would do that are emptied now and then', async (on) => {
    const random = new SteadyRandom('deletions')
    const model = new Map<string, Expected>()
    for (let step = 0; step < 150; step++) {
      const id = `${random.below(4)}`
      const known = model.get(id)
      const kind = random.below(12)
      if (kind === 0) await on.reopen()
      if (known === undefined || kind < 3) {
        const claim = await on.journal.claim(id, 'w')
        const { highest = 0, left = [] } = known ?? {}
        assert.equal(claim.highestSequenceNr, highest)
        assert.equal(claim.deletedSequenceNr ?? 0, highest - left.length)
        model.set(id, { epoch: claim.epoch, highest, left })
        continue
      }
      const count = random.below(3) === 0 ? 30 + random.below(40) : random.below(3)
      const added = texts(count).map((text) => `${step}.${text}`)
      const writer = { id, epoch: known.epoch, after: known.highest }
      const deletes = kind < 6
      if (deletes) await deleteText(on.journal, writer, ...added)
      else if (count > 0) await appendText(on.journal, writer, ...added)
      known.highest += added.length
      known.left = deletes ? added : [...known.left, ...added]
    }
    for (const [id, { highest, left }] of model) {
      const first = highest - left.length + 1
      const expected = left.map((text, index) => `${first + index} ${text}`)
      assert.deepEqual(await inNumbers(on.journal, id), expected)
      assert.equal(await on.journal.highestSequenceNr(id), highest)
    }
  })
}
