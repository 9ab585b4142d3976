/** The part of the contract about claims and appends. */
import assert from 'node:assert/strict'
import type { AddTest } from './journal-contract.ts'
import { appendText, bytesOf, claimed, readEvents, readTexts, textOf } from './journal-texts.ts'

const code = 'INVALID_JOURNAL_CALL'

export function claims(check: AddTest): void {
  check('gives every claim of an id a greater epoch, also after it was opened anew', async (on) => {
    const first = await on.journal.claim('a', 'one')
    const second = await on.journal.claim('a', 'two')
    await appendText(on.journal, { id: 'a', epoch: second.epoch, after: 0 }, 'x', 'y')
    await on.reopen()
    const third = await on.journal.claim('a', 'three')
    const numbers = [first, second, third].map(({ highestSequenceNr }) => highestSequenceNr)
    assert.deepEqual(numbers, [0, 0, 2])
    assert.ok(first.epoch >= 1 && first.epoch < second.epoch && second.epoch < third.epoch)
    assert.equal((await on.journal.claim('b', 'one')).highestSequenceNr, 0)
  })

  check('gives claims made at once different epochs', async ({ journal }) => {
    const all = await Promise.all(Array.from({ length: 50 }, () => journal.claim('a', 'w')))
    assert.equal(new Set(all.map(({ epoch }) => epoch)).size, 50)
  })

  check('refuses a writer whose stream was claimed by another, and says by whom', async (on) => {
    const old = await claimed(on.journal, 'a')
    await appendText(on.journal, old, 'mine')
    const { epoch: byEpoch } = await on.journal.claim('a', 'the new one')
    const fenced = { type: 'Fenced', byEpoch, byWriter: 'the new one' }
    assert.deepEqual(await appendText(on.journal, { ...old, after: 1 }, 'late'), fenced)
    await on.reopen()
    assert.deepEqual(await appendText(on.journal, { ...old, after: 1 }, 'later'), fenced)
    assert.deepEqual(await readTexts(on.journal, 'a'), ['mine'])
  })

  check('keeps the young events of a stream when the writer changes', async ({ journal }) => {
    for (let round = 0; round < 40; round++) {
      const { epoch, highestSequenceNr } = await journal.claim('a', 'w'.repeat(round * 3))
      await appendText(journal, { id: 'a', epoch, after: highestSequenceNr }, `${round}`)
    }
    const rounds = Array.from({ length: 40 }, (_, i) => `${i}`)
    assert.deepEqual(await readTexts(journal, 'a'), rounds)
  })
}

export function conditions(check: AddTest): void {
  check('refuses an append that expects another last event', async ({ journal }) => {
    const writer = await claimed(journal, 'a')
    const appended = { type: 'Appended', highestSequenceNr: 2 }
    assert.deepEqual(await appendText(journal, writer, 'x', 'y'), appended)
    const conflict = { type: 'SequenceConflict', highestSequenceNr: 2 }
    assert.deepEqual(await appendText(journal, writer, 'again'), conflict)
    assert.deepEqual(await appendText(journal, { ...writer, after: 3 }, 'gap'), conflict)
    assert.equal(await journal.highestSequenceNr('a'), 2)
  })

  check('takes appends of one stream in the order of the calls, without waiting', async (on) => {
    const { journal } = on
    const writer = await claimed(journal, 'a')
    const results = await Promise.all(
      Array.from({ length: 300 }, (_, i) => appendText(journal, { ...writer, after: i }, `${i}`)),
    )
    assert.ok(results.every((result) => result.type === 'Appended'))
    const expected = results.map((_, i) => `${i}`)
    assert.deepEqual(await readTexts(journal, 'a'), expected)
  })

  check('refuses an append in the middle, and takes what still fits behind it', async (on) => {
    const { journal } = on
    const writer = await claimed(journal, 'a')
    const results = await Promise.all([
      appendText(journal, writer, 'x'),
      appendText(journal, { ...writer, after: 7 }, 'wrong'),
      appendText(journal, { ...writer, after: 8 }, 'behind'),
      appendText(journal, { ...writer, after: 1 }, 'y'),
    ])
    assert.deepEqual(
      results.map(({ type }) => type),
      ['Appended', 'SequenceConflict', 'SequenceConflict', 'Appended'],
    )
  })

  check('refuses an epoch that was never given out', async ({ journal }) => {
    const writer = await claimed(journal, 'a')
    const bad = appendText(journal, { ...writer, epoch: writer.epoch + 8 }, 'x')
    const good = appendText(journal, writer, 'y')
    await assert.rejects(bad, { code })
    assert.equal((await good).type, 'Appended')
    const unclaimed = appendText(journal, { id: 'b', epoch: 1, after: 0 }, 'x')
    await assert.rejects(unclaimed, { code })
  })

  check('serves 256 writers at once, each with its own order', async ({ journal }) => {
    const ids = Array.from({ length: 256 }, (_, i) => `Account|${i}`)
    await Promise.all(
      ids.map(async (id) => {
        const writer = await claimed(journal, id)
        for (let i = 0; i < 10; i++) await appendText(journal, { ...writer, after: i }, `${i}`)
      }),
    )
    const expected = Array.from({ length: 10 }, (_, i) => `${i}`)
    for (const id of ids) assert.deepEqual(await readTexts(journal, id), expected)
  })
}

export function storing(check: AddTest): void {
  check('has the same id for its store whenever it is opened, if it can tell', async (on) => {
    const { storeId } = on.journal
    assert.ok(storeId === undefined || (typeof storeId === 'string' && storeId !== ''))
    await on.reopen()
    assert.equal(on.journal.storeId, storeId)
  })

  check('stores all events of a batch or none', async ({ journal }) => {
    const writer = await claimed(journal, 'a')
    const texts = Array.from({ length: 100 }, (_, i) => `event ${i}`)
    await appendText(journal, writer, ...texts)
    await appendText(journal, writer, ...texts)
    assert.deepEqual(await readTexts(journal, 'a'), texts)
  })

  check('keeps what it stored when it is opened anew, byte by byte', async (on) => {
    const { epoch } = await claimed(on.journal, 'a')
    const every = Uint8Array.from({ length: 256 }, (_, i) => i)
    const events = [every, new Uint8Array(), every.subarray(7, 9), new Uint8Array(100_000).fill(9)]
    await on.journal.append({ persistenceId: 'a', epoch, expectedSequenceNr: 0, events })
    await on.reopen()
    const found = await readEvents(on.journal, 'a')
    assert.deepEqual(
      found.map(({ bytes }) => hexOf(bytes)),
      events.map(hexOf),
    )
    const expected = events.map((_, index) => ({ id: 'a', epoch, sequenceNr: index + 1 }))
    assert.deepEqual(
      found.map((event) => ({ id: event.persistenceId, ...numbersOf(event) })),
      expected,
    )
  })

  check('hands out bytes that nobody else has, and keeps none of the writer', async (on) => {
    const { journal } = on
    const { epoch } = await claimed(journal, 'a')
    const mine = bytesOf('text')
    await journal.append({ persistenceId: 'a', epoch, expectedSequenceNr: 0, events: [mine] })
    mine.fill(0)
    const [first] = await readEvents(journal, 'a')
    assert.equal(first && textOf(first.bytes), 'text')
    first?.bytes.fill(0)
    assert.deepEqual(await readTexts(journal, 'a'), ['text'])
  })
}

function numbersOf({ epoch, sequenceNr }: { epoch: number; sequenceNr: number }): object {
  return { epoch, sequenceNr }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
