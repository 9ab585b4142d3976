import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MemoryJournal } from '../journals/memory-journal.ts'
import { InvalidPlace } from './reading-errors.ts'
import { SliceCursor } from './slice-cursor.ts'
import { placeOfText, textOfPlace } from './slice-place.ts'

async function storeOf(counts: readonly number[]): Promise<MemoryJournal> {
  const journal = new MemoryJournal()
  for (const [round, count] of counts.entries()) {
    const persistenceId = `Cart|${round % 7}`
    const { epoch, highestSequenceNr } = await journal.claim(persistenceId, 'test')
    const events = Array.from({ length: count }, () => new Uint8Array(1))
    await journal.append({ persistenceId, epoch, expectedSequenceNr: highestSequenceNr, events })
  }
  return journal
}

const slices = { fromSlice: 0, toSlice: 1023 }

async function rest(journal: MemoryJournal, eventsMax: number, text = '[null]') {
  const cursor = new SliceCursor({ journal, ...slices, eventsMax, place: placeOfText(text) })
  const read: { readonly name: string; readonly place: string }[] = []
  for (;;) {
    const { events, isLast } = await cursor.next()
    for (const { event, place } of events) {
      const name = `${event.persistenceId} ${event.sequenceNr}`
      read.push({ name, place: textOfPlace(place()) })
    }
    if (isLast) return read
  }
}

test('whoever goes on from the place of any event, with pages of any size, gets the rest once', async () => {
  const counts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 })
  const size = fc.integer({ min: 1, max: 9 })
  await fc.assert(
    fc.asyncProperty(counts, size, size, fc.nat(), async (given, first, second, chosen) => {
      const journal = await storeOf(given)
      const all = await rest(journal, first)
      const index = chosen % all.length
      const left = await rest(journal, second, all[index]?.place)
      expect(left.map(({ name }) => name)).toEqual(all.slice(index + 1).map(({ name }) => name))
    }),
  )
})

test('events that are not wanted are passed, and at the end the place stands still', async () => {
  const journal = await storeOf([1, 1, 1])
  const wants = ({ persistenceId }: { readonly persistenceId: string }) =>
    persistenceId === 'Cart|1'
  const cursor = new SliceCursor({ journal, ...slices, eventsMax: 10, wants })
  const { events } = await cursor.next()
  expect(events.map(({ event }) => event.persistenceId)).toEqual(['Cart|1'])
  const { place } = cursor
  expect(events[0]?.place()).toBe(place)
  await cursor.next()
  expect(cursor.place).toBe(place)
})

test.each(['', '7', '[]', '[1]', '["a",[1]]', '["a",["b",1]]', '[null,[],1]', '{"after":1}'])(
  '%s is no place',
  (text) => {
    expect(() => placeOfText(text)).toThrow(InvalidPlace)
  },
)
