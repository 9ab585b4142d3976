import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OrderedEvent, PostgresJournal, sliceOf } from '../../src/persistence/index.ts'
import {
  allSlices,
  appendText,
  claimed,
  readAll,
  textOf,
} from '../../src/testkit/journal-contract/journal-texts.ts'
import { HeldCommits, heldText, waiting } from './held-commits.ts'
import { postgresForTests, type TestDatabases } from './postgres-server.ts'

let servers: TestDatabases
beforeAll(async () => {
  servers = await postgresForTests()
})
afterAll(() => servers.stop())

async function twoJournals(
  settings: { readonly writeConnections?: number } = {},
): Promise<{ readonly url: string; readonly journals: [PostgresJournal, PostgresJournal] }> {
  const url = await servers.newDatabase()
  const open = (): Promise<PostgresJournal> => PostgresJournal.open({ url, settings })
  return { url, journals: [await open(), await open()] }
}

const words = (events: readonly OrderedEvent[]): string[] =>
  events.map(({ persistenceId, bytes }) => `${persistenceId} ${textOf(bytes)}`)

/** An id that shares nothing with this one but its slice, or its quarter of the slices, or not even that. */
function idWith(matches: (slice: number) => boolean): string {
  for (let count = 0; ; count++) if (matches(sliceOf(`other-${count}`))) return `other-${count}`
}

describe('the order of a slice', () => {
  test('is that of commits: nothing appears before a place that was handed out', async () => {
    const { url, journals } = await twoJournals()
    const [slow, quick] = journals
    const neighbour = idWith((slice) => slice === sliceOf('slow'))
    const slowWriter = await claimed(slow, 'slow')
    const quickWriter = await claimed(quick, neighbour)
    await appendText(quick, quickWriter, 'before')
    const held = await HeldCommits.start(url)
    const storing = appendText(slow, slowWriter, heldText)
    await waiting(url, 1)
    const following = appendText(quick, { ...quickWriter, after: 1 }, 'after')
    await waiting(url, 2)
    const seen = await quick.readSlices(allSlices)
    expect(words(seen.events)).toEqual([`${neighbour} before`])
    await held.release()
    expect((await Promise.all([storing, following])).map(({ type }) => type)).toEqual([
      'Appended',
      'Appended',
    ])
    const later = await readAll(quick, { ...allSlices, after: seen.next })
    expect(words(later)).toEqual([`slow ${heldText}`, `${neighbour} after`])
    await Promise.all(journals.map((journal) => journal.close()))
  })

  test('does not make other slices wait for a slow transaction', async () => {
    const { url, journals } = await twoJournals()
    const [slow, quick] = journals
    const quarter = (slice: number): number => Math.floor(slice / 256)
    const far = idWith((slice) => quarter(slice) !== quarter(sliceOf('slow')))
    const slowWriter = await claimed(slow, 'slow')
    const farWriter = await claimed(quick, far)
    const held = await HeldCommits.start(url)
    const storing = appendText(slow, slowWriter, heldText)
    await waiting(url, 1)
    expect((await appendText(quick, farWriter, 'done')).type).toBe('Appended')
    expect(words(await readAll(quick))).toEqual([`${far} done`])
    await held.release()
    await storing
    await Promise.all(journals.map((journal) => journal.close()))
  })

  test('is seen whole by a reader that follows several writers of several connections', async () => {
    const { journals } = await twoJournals({ writeConnections: 4 })
    const each = 12
    const ids = Array.from({ length: 60 }, (_, i) => `Account|${i}`)
    const seen: OrderedEvent[] = []
    let after: string | undefined
    let isOver = false
    const follow = async (): Promise<void> => {
      for (;;) {
        const isEnd = isOver
        const page = await journals[0].readSlices({ ...allSlices, after, eventsMax: 50 })
        seen.push(...page.events)
        after = page.next
        if (page.isLast && isEnd) return
      }
    }
    const write = async (id: string, index: number): Promise<void> => {
      const journal = journals[index % 2]!
      const writer = await claimed(journal, id)
      for (let count = 0; count < each; count++) {
        const text = index % 7 === 0 && count === 5 ? 'refused' : `${count}`
        if (text === 'refused') await appendText(journal, { ...writer, after: 99 }, text)
        await appendText(journal, { ...writer, after: count }, `${count}`)
      }
    }
    const following = follow()
    await Promise.all(ids.map(write))
    isOver = true
    await following
    const orders = new Map<number, number>()
    const numbers = new Map<string, number>()
    for (const { slice, order, persistenceId, sequenceNr } of seen) {
      expect(order).toBeGreaterThan(orders.get(slice) ?? 0)
      expect(sequenceNr).toBe((numbers.get(persistenceId) ?? 0) + 1)
      orders.set(slice, order)
      numbers.set(persistenceId, sequenceNr)
    }
    expect(seen.length).toBe(ids.length * each)
    await Promise.all(journals.map((journal) => journal.close()))
  })

  test('holds for tags as well, also where events were deleted', async () => {
    const { journals } = await twoJournals()
    const [journal] = journals
    const writers = await Promise.all(['a', 'b', 'c'].map((id) => claimed(journal, id)))
    for (let count = 0; count < 5; count++) {
      for (const { id, epoch } of writers) {
        const event = { bytes: Buffer.from(`${count}`), tags: count % 2 === 0 ? ['even', id] : [] }
        const batch = { persistenceId: id, epoch, expectedSequenceNr: count, events: [event] }
        await journal.append(batch)
      }
    }
    const even = await readAll(journal, { ...allSlices, tag: 'even', eventsMax: 2 })
    expect(words(even).sort()).toEqual(
      ['a', 'b', 'c'].flatMap((id) => [`${id} 0`, `${id} 2`, `${id} 4`]),
    )
    await journal.deleteEventsTo({ persistenceId: 'a', epoch: writers[0]!.epoch, toSequenceNr: 3 })
    expect(words(await readAll(journal, { ...allSlices, tag: 'a' }))).toEqual(['a 4'])
    expect(words(await readAll(journal, { ...allSlices, tag: 'nothing' }))).toEqual([])
    await Promise.all(journals.map((each) => each.close()))
  })
})
