import { afterEach, expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import {
  type Journal,
  JournalUnavailable,
  MemoryJournal,
  persistenceIdOf,
} from '../../src/persistence/index.ts'
import {
  ProjectionMissedEvents,
  type RunningProjection,
  startProjection,
} from '../../src/projection/index.ts'
import { ManualTime } from '../../src/testkit/index.ts'
import { Shop } from './shop.ts'

const Cart = defineEntity('Cart', {
  state: () => ({ items: 0 }),
  events: { Added: (state, _item: string, count: number) => ({ items: state.items + count }) },
  commands: {},
  snapshots: { every: 1, keep: 1, deleteEvents: true },
  snapshotVersion: 1,
})

const running: { readonly projection: RunningProjection; readonly time: ManualTime }[] = []

afterEach(async () => {
  for (const { projection, time } of running.splice(0)) await ended(projection, time)
})

async function ended(projection: RunningProjection, time: ManualTime): Promise<void> {
  const stopped = projection.stop()
  await time.advance('20s')
  await stopped
}

interface Asked {
  readonly onDeleted?: 'tell' | 'stop'
  readonly tag?: string
  readonly journal?: Journal
}

function scene() {
  const shop = new Shop()
  const time = new ManualTime()
  const seen: string[] = []
  const { environment } = time
  const told = (): ProjectionMissedEvents[] =>
    time.logs.lines
      .filter(({ level }) => level === 'error')
      .map(({ fields }) => fields['err'])
      .filter((error) => error instanceof ProjectionMissedEvents)
  const start = async ({ onDeleted, tag, ...place }: Asked = {}): Promise<RunningProjection> => {
    const projection = await startProjection({
      ...{ journal: new MemoryJournal({ store: shop.store }), environment, name: 'carts' },
      ...{ from: { entities: Cart, tag }, ranges: 1, onDeleted, ...place },
      handle: ({ id, sequenceNr }) => void seen.push(`${id} ${sequenceNr}`),
    })
    running.push({ projection, time })
    await time.advance(1)
    return projection
  }
  const added = (id: string, count: number, tags: readonly string[] = []): Promise<void> =>
    shop.did(
      'Cart',
      id,
      Array.from({ length: count }, () => ['Added', 'tea', 1] as const),
      tags,
    )
  /** As retention does. */
  const deletedTo = async (id: string, toSequenceNr: number): Promise<void> => {
    const persistenceId = persistenceIdOf('Cart', id)
    const { epoch } = await shop.journal.claim(persistenceId, 'test')
    await shop.journal.deleteEventsTo({ persistenceId, epoch, toSequenceNr })
  }
  const gaps = () => told().map(({ id, from, to, isAll }) => ({ id, from, to, isAll }))
  return { shop, time, seen, start, added, deletedTo, told, gaps }
}

const rangesOf = async (projection: RunningProjection) => (await projection.status()).ranges

test('what was deleted before a projection began is told once, and it goes on behind', async () => {
  const { seen, start, added, deletedTo, told, gaps, time } = scene()
  await added('ann', 5)
  await added('bob', 2)
  await deletedTo('ann', 3)
  const projection = await start()
  await added('ann', 1)
  await time.advance('1s')
  expect(seen).toEqual(['ann 4', 'ann 5', 'bob 1', 'bob 2', 'ann 6'])
  expect(gaps()).toEqual([{ id: 'ann', from: 1, to: 3, isAll: true }])
  expect(told()[0]).toMatchObject({ code: 'PROJECTION_MISSED_EVENTS', projection: 'carts' })
  expect(told()[0]?.message).toMatch(
    /^Events 1 to 3 of Cart 'ann' were deleted before the projection 'carts' has read them/,
  )
  expect(await rangesOf(projection)).toMatchObject([{ missed: 3, handled: 5, isStopped: false }])
})

test('what is deleted while a projection is behind is told, and what it has read before is not', async () => {
  const { seen, start, added, deletedTo, gaps, time } = scene()
  await added('ann', 2)
  await start()
  // Read, and deleted then: nothing is missed.
  await deletedTo('ann', 2)
  await added('ann', 1)
  await time.advance('1s')
  expect(gaps()).toEqual([])
  // Two that it has not read yet, when it looks again.
  await added('ann', 4)
  await deletedTo('ann', 5)
  await time.advance('1s')
  expect(gaps()).toEqual([{ id: 'ann', from: 4, to: 5, isAll: true }])
  expect(seen).toEqual(['ann 1', 'ann 2', 'ann 3', 'ann 6', 'ann 7'])
})

test('one that has met very many entities since says that it does not know how much was read', async () => {
  const { start, added, deletedTo, gaps, time } = scene()
  await added('ann', 2)
  await start()
  for (let other = 0; other < 1_000; other++) await added(`other-${other}`, 1)
  await time.advance('5s')
  await added('ann', 3)
  await deletedTo('ann', 4)
  await time.advance('1s')
  expect(gaps()).toEqual([{ id: 'ann', from: 1, to: 4, isAll: false }])
})

test('one that goes on later asks the store, and says that it does not know how much was read', async () => {
  const { start, added, deletedTo, gaps, time } = scene()
  await added('ann', 2)
  await added('bob', 2)
  await ended(await start(), time)
  await added('ann', 4)
  await added('bob', 4)
  await deletedTo('ann', 5)
  await deletedTo('bob', 1)
  await start()
  // The predecessor of bob's third event is there, so all before it were read.
  expect(gaps()).toEqual([{ id: 'ann', from: 1, to: 5, isAll: false }])
})

test('a range stops at a gap where it is told to, handles nothing behind it, and goes on when it may', async () => {
  const { seen, start, added, deletedTo, time, gaps } = scene()
  await added('ann', 3)
  await deletedTo('ann', 2)
  const projection = await start({ onDeleted: 'stop' })
  const [range] = await rangesOf(projection)
  expect(range).toMatchObject({ isStopped: true, handled: 0 })
  expect(range?.failing).toContain("Events 1 to 2 of Cart 'ann' were deleted before")
  expect(seen).toEqual([])
  await ended(projection, time)
  await start({ onDeleted: 'tell' })
  expect(seen).toEqual(['ann 3'])
  expect(gaps().at(-1)).toEqual({ id: 'ann', from: 1, to: 2, isAll: true })
})

test('an entity that deleted itself and lives again leaves no gap', async () => {
  const { shop, start, added, gaps, seen } = scene()
  await added('ann', 3)
  const persistenceId = persistenceIdOf('Cart', 'ann')
  const { epoch } = await shop.journal.claim(persistenceId, 'test')
  await shop.journal.deleteEvents({ persistenceId, epoch, expectedSequenceNr: 3, events: [] })
  await added('ann', 1)
  await start()
  expect([seen, gaps()]).toEqual([['ann 4'], []])
})

test('with a tag, one that begins with the first event is told, and numbers without it are no gap', async () => {
  const { start, added, deletedTo, gaps, seen } = scene()
  for (const tags of [['red'], [], ['red']]) await added('ann', 1, tags)
  for (const tags of [[], ['red'], []]) await added('bob', 1, tags)
  await deletedTo('ann', 1)
  await start({ tag: 'red' })
  expect(seen).toEqual(['ann 3', 'bob 2'])
  expect(gaps()).toEqual([{ id: 'ann', from: 1, to: 1, isAll: true }])
})

test('a journal that cannot say where a stream stands is asked for the event before', async () => {
  const { shop, start, added, deletedTo, gaps } = scene()
  await added('ann', 3)
  await added('bob', 2)
  await deletedTo('ann', 2)
  const journal = new MemoryJournal({ store: shop.store })
  Object.assign(journal, { readStream: undefined })
  await start({ journal })
  expect(gaps()).toEqual([{ id: 'ann', from: 1, to: 2, isAll: true }])
})

test('a store that fails while it is asked is asked again, and nothing is passed over', async () => {
  const { shop, start, added, deletedTo, gaps, seen, time } = scene()
  await added('ann', 3)
  await deletedTo('ann', 2)
  let failures = 2
  const journal = new MemoryJournal({ store: shop.store })
  const readStream = async (id: string) => {
    if (failures-- > 0) throw new JournalUnavailable('away')
    return shop.journal.readStream(id)
  }
  Object.assign(journal, { readStream })
  await start({ journal })
  expect(seen).toEqual([])
  await time.advance('5s')
  expect([seen, gaps()]).toEqual([['ann 3'], [{ id: 'ann', from: 1, to: 2, isAll: true }]])
})
