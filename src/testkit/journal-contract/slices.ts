/** The part of the contract about reading over all streams, for journals that can. */
import assert from 'node:assert/strict'
import { type Journal, type OrderedEvent, sliceOf } from '../../persistence/index.ts'
import type { AddTest } from './journal-contract.ts'
import {
  allSlices,
  appendText,
  claimed,
  readAll,
  readerFollows,
  readEvents,
  textOf,
} from './journal-texts.ts'
import { readerOf } from './ports.ts'

const ids = Array.from({ length: 100 }, (_, i) => `Account|${i}`)
const perStream = 10

/** Several streams that are written at once, so that their events mix. */
async function fill(journal: Journal): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      const writer = await claimed(journal, id)
      for (let after = 0; after < perStream; after++) {
        await appendText(journal, { ...writer, after }, `${after}`)
      }
    }),
  )
}

const inWords = ({ persistenceId, sequenceNr, bytes }: OrderedEvent): string =>
  `${persistenceId} ${sequenceNr} ${textOf(bytes)}`

/** Each slice in its order, and each stream from its first event on. */
function assertInOrder(events: readonly OrderedEvent[]): void {
  const orders = new Map<number, number>()
  const numbers = new Map<string, number>()
  for (const { persistenceId, sequenceNr, slice, order } of events) {
    assert.equal(slice, sliceOf(persistenceId))
    assert.ok(order > (orders.get(slice) ?? -Infinity), `order ${order} of slice ${slice} grows`)
    assert.equal(sequenceNr, (numbers.get(persistenceId) ?? 0) + 1)
    orders.set(slice, order)
    numbers.set(persistenceId, sequenceNr)
  }
}

export function slices(check: AddTest): void {
  wholeStore(check)
  following(check)
  parts(check)

  check(
    'refuses slices that are not there, a limit of nothing, and a strange place',
    async (on) => {
      const reader = readerOf(on.journal)
      const bad = [
        ...[{ fromSlice: -1 }, { fromSlice: 0.5 }, { toSlice: 1024 }, { fromSlice: 8, toSlice: 7 }],
        ...[
          { eventsMax: 0 },
          { eventsMax: NaN },
          { after: 'nowhere' },
          { after: 7 as unknown as string },
        ],
      ]
      for (const part of bad) {
        const refused = reader.readSlices({ ...allSlices, ...part })
        await assert.rejects(refused, { code: 'INVALID_JOURNAL_CALL' }, JSON.stringify(part))
      }
    },
  )
}

function wholeStore(check: AddTest): void {
  check(
    'hands out every event of every stream once, those of a slice in their order',
    async (on) => {
      await fill(on.journal)
      const events = await readAll(readerOf(on.journal))
      assert.equal(events.length, ids.length * perStream)
      assertInOrder(events)
      await on.reopen()
      assert.deepEqual(await readAll(readerOf(on.journal)), events)
      const first = events.find(({ persistenceId }) => persistenceId === ids[7])
      const [stored] = await readEvents(on.journal, ids[7]!)
      assert.deepEqual({ ...first, ...stored }, first)
    },
  )

  check('hands out bytes that nobody else has, also over all streams', async ({ journal }) => {
    await appendText(journal, await claimed(journal, 'a'), 'text')
    for (const event of await readAll(readerOf(journal))) event.bytes.fill(0)
    assert.deepEqual((await readAll(readerOf(journal))).map(inWords), ['a 1 text'])
  })

  check(
    'shows nothing of an empty store, and what is stored later behind any place',
    async (on) => {
      const empty = await readerOf(on.journal).readSlices(allSlices)
      assert.deepEqual([empty.events, empty.isLast], [[], true])
      const writer = await claimed(on.journal, 'a')
      await appendText(on.journal, writer, 'x')
      const first = await readerOf(on.journal).readSlices({ ...allSlices, after: empty.next })
      assert.deepEqual(first.events.map(inWords), ['a 1 x'])
      await on.reopen()
      await appendText(on.journal, { ...writer, after: 1 }, 'y')
      const rest = await readAll(readerOf(on.journal), { ...allSlices, after: first.next })
      assert.deepEqual(rest.map(inWords), ['a 2 y'])
    },
  )
}

function following(check: AddTest): void {
  check('passes over nothing that is stored while it is read', async ({ journal }) => {
    const reader = readerOf(journal)
    const writers = await Promise.all(ids.map((id) => claimed(journal, id)))
    const { seen, readOn } = readerFollows(reader, allSlices)
    for (let number = 0; number < perStream; number++) {
      const appending = writers.map((w) => appendText(journal, { ...w, after: number }, 'x'))
      // While all of them are under way, and while some are.
      const read = readOn()
        .then(() => Promise.race(appending))
        .then(readOn)
      await Promise.all([read, ...appending])
    }
    await readOn()
    assert.equal(seen.length, ids.length * perStream)
    assertInOrder(seen)
  })
}

function parts(check: AddTest): void {
  check('hands out no more than was asked for, and goes on where a page ended', async (on) => {
    await fill(on.journal)
    const reader = readerOf(on.journal)
    const pages: OrderedEvent[] = []
    for (let query = { ...allSlices, eventsMax: 7 }; ;) {
      const { events, next, isLast } = await reader.readSlices(query)
      assert.ok(events.length <= 7)
      pages.push(...events)
      if (isLast) break
      query = { ...query, after: next }
    }
    assertInOrder(pages)
    assert.equal(pages.length, ids.length * perStream)
  })

  check('divides the events by their slices: each is in one part', async ({ journal }) => {
    await fill(journal)
    const found: string[] = []
    for (const [fromSlice, toSlice] of [
      [0, 0],
      [1, 511],
      [512, 1022],
      [1023, 1023],
    ] as const) {
      const events = await readAll(readerOf(journal), { fromSlice, toSlice, eventsMax: 50 })
      assert.ok(events.every(({ slice }) => slice >= fromSlice && slice <= toSlice))
      assertInOrder(events)
      found.push(...events.map(inWords))
    }
    const all = (await readAll(readerOf(journal))).map(inWords)
    assert.deepEqual(found.sort(), all.sort())
  })
}
