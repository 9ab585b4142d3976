/** The part of the contract about reading by tag over all streams, for journals that can. */
import assert from 'node:assert/strict'
import {
  deletesEvents,
  type Journal,
  type NewEvent,
  type OrderedEvent,
  type SliceQuery,
  sliceOf,
} from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import { allSlices, bytesOf, claimed, readAll, readerFollows, textOf } from './journal-texts.ts'
import { deleterOf, readerOf } from './ports.ts'

const tagged = (text: string, ...tags: string[]): NewEvent => ({ bytes: bytesOf(text), tags })

const inWords = ({ persistenceId, sequenceNr, bytes, tags }: OrderedEvent): string =>
  `${persistenceId} ${sequenceNr} ${textOf(bytes)} [${tags.join()}]`

const ids = Array.from({ length: 40 }, (_, i) => `Thing|${i}`)

/** Of ten events of each stream the third, the sixth and the ninth are red. */
async function fill(journal: Journal): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      const { epoch } = await claimed(journal, id)
      for (let number = 1; number <= 10; number++) {
        const event = number % 3 === 0 ? tagged(id, 'red', `${number}`) : tagged(id, 'reddish')
        const batch = { persistenceId: id, epoch, expectedSequenceNr: number - 1 }
        await journal.append({ ...batch, events: [event] })
      }
    }),
  )
}

const byTag = (
  journal: Journal,
  tag: string,
  query: Partial<SliceQuery> = {},
): Promise<OrderedEvent[]> => readAll(readerOf(journal), { ...allSlices, ...query, tag })

export function tagQueries(check: AddTest): void {
  found(check)
  paged(check)
  apart(check)
  following(check)
  refused(check)
}

function found(check: AddTest): void {
  check('finds the events with a tag among all, those of a slice in their order', async (on) => {
    await fill(on.journal)
    const expected = (await readAll(readerOf(on.journal))).filter(({ tags }) =>
      tags.includes('red'),
    )
    assert.equal(expected.length, 120)
    for (let round = 0; round < 2; round++) {
      const red = await byTag(on.journal, 'red')
      assert.deepEqual(bySlice(red), bySlice(expected))
      assert.equal((await byTag(on.journal, '9')).length, 40)
      assert.deepEqual(await byTag(on.journal, 'green'), [])
      await on.reopen()
    }
    const range = { fromSlice: sliceOf(ids[0]!), toSlice: sliceOf(ids[0]!) }
    const ofSlice = expected.filter(({ slice }) => slice === range.fromSlice)
    assert.deepEqual((await byTag(on.journal, 'red', range)).map(inWords), ofSlice.map(inWords))
  })

  check('finds no event by tag that was deleted', async (on) => {
    if (!deletesEvents(on.journal)) return
    await fill(on.journal)
    const id = ids[3]!
    const { epoch } = await on.journal.claim(id, 'w')
    await deleterOf(on.journal).deleteEventsTo({ persistenceId: id, epoch, toSequenceNr: 6 })
    const numbers = async (): Promise<number[]> =>
      (await byTag(on.journal, 'red')).flatMap(({ persistenceId, sequenceNr }) =>
        persistenceId === id ? [sequenceNr] : [],
      )
    assert.deepEqual(await numbers(), [9])
    const events = [tagged('new', 'red')]
    const batch = { persistenceId: id, epoch, expectedSequenceNr: 10, events }
    await deleterOf(on.journal).deleteEvents(batch)
    assert.deepEqual(await numbers(), [11])
    await on.reopen()
    assert.deepEqual(await numbers(), [11])
  })
}

/** What can be compared: there is no order across slices. */
function bySlice(events: readonly OrderedEvent[]): Map<number, string[]> {
  const slices = new Map<number, string[]>()
  for (const event of events.toSorted((a, b) => a.slice - b.slice)) {
    slices.set(event.slice, [...(slices.get(event.slice) ?? []), inWords(event)])
  }
  return slices
}

function paged(check: AddTest): void {
  check('finds tagged events page by page, and goes on where a page ended', async (on) => {
    await fill(on.journal)
    const all = await byTag(on.journal, 'red')
    const seen: OrderedEvent[] = []
    let after: string | undefined
    for (let isLast = false; !isLast;) {
      const query = { ...allSlices, tag: 'red', eventsMax: 7, after }
      const page = await readerOf(on.journal).readSlices(query)
      assert.ok(page.events.length <= 7)
      seen.push(...page.events)
      ;({ next: after, isLast } = page)
      if (seen.length % 2 === 0) await on.reopen()
    }
    // Of different slices in any order, so by another number of events to a page perhaps in another.
    assert.deepEqual(seen.map(inWords).sort(), all.map(inWords).sort())
    assert.deepEqual(await byTag(on.journal, 'red', { after }), [])
    const id = 'later'
    const { epoch } = await on.journal.claim(id, 'w')
    const events = [bytesOf('x'), tagged('y', 'red')]
    await on.journal.append({ persistenceId: id, epoch, expectedSequenceNr: 0, events })
    const words = (await byTag(on.journal, 'red', { after })).map(inWords)
    assert.deepEqual(words, ['later 2 y [red]'])
  })
}

function apart(check: AddTest): void {
  check('takes no tag for another that looks like it, or is a part of it', async (on) => {
    const names = ['a', 'A', 'a ', 'ab', 'a,b', '%', '_', '"', "'", '{a}', '\\', 'é', 'e\u0301']
    const { epoch } = await on.journal.claim('a', 'w')
    const events = names.map((name) => tagged(name, name, `${name}${name}`))
    await on.journal.append({ persistenceId: 'a', epoch, expectedSequenceNr: 0, events })
    for (const name of names) {
      const texts = (await byTag(on.journal, name)).map(({ bytes }) => textOf(bytes))
      assert.deepEqual(texts, [name])
    }
  })
}

function following(check: AddTest): void {
  check('passes over no tagged event that is stored while it is read', async ({ journal }) => {
    const writers = await Promise.all(ids.map((id) => claimed(journal, id)))
    const follow = readerFollows(readerOf(journal), { ...allSlices, tag: 'even' })
    for (let number = 0; number < 10; number++) {
      const appending = writers.map(({ id, epoch }) => {
        const events = [number % 2 === 0 ? tagged('x', 'even') : bytesOf('x')]
        return journal.append({ persistenceId: id, epoch, expectedSequenceNr: number, events })
      })
      await Promise.all([follow.readOn().then(() => follow.readOn()), ...appending])
    }
    await follow.readOn()
    const seen = follow.seen.map(inWords)
    assert.equal(new Set(seen).size, ids.length * 5)
    assert.equal(seen.length, ids.length * 5)
  })
}

function refused(check: AddTest): void {
  check('refuses to look for what cannot be a tag', async ({ journal }) => {
    for (const tag of ['', 'a\0b', '\ud800', 'é'.repeat(128), 7 as unknown as string]) {
      const refusal = { code: 'INVALID_JOURNAL_CALL' }
      await assert.rejects(readerOf(journal).readSlices({ ...allSlices, tag }), refusal)
    }
  })
}
