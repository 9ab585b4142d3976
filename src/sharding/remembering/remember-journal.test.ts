import { expect, test } from 'vitest'
import { systemEnvironment } from '../../foundation/system-environment.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { MemoryJournal, MemoryStore } from '../../persistence/index.ts'
import { RememberJournal, rememberedStreamOf } from './remember-journal.ts'

const { timers } = systemEnvironment({})
const writer = 'a:2552#0000000000000001' as NodeId

function open(journal: MemoryJournal) {
  const ids = new Set<string>()
  const store = new RememberJournal({ journal, timers, entityType: 'Cart', shard: 1, writer })
  const apply = ({ started, stopped }: Parameters<RememberJournal['update']>[0]): void => {
    for (const id of started) ids.add(id)
    for (const id of stopped) ids.delete(id)
  }
  return {
    ids,
    store,
    load: () => store.load(apply),
    update: async (started: string[], stopped: string[] = []) => {
      await store.update({ started, stopped }, ids)
      apply({ started, stopped })
    },
  }
}

const many = (first: number, length: number): string[] =>
  Array.from({ length }, (_, index) => `e${first + index}`)

async function storedIn(journal: MemoryJournal): Promise<{ events: number; bytes: number }> {
  const persistenceId = rememberedStreamOf('Cart', 1)
  const stored = { events: 0, bytes: 0 }
  await journal.read({ persistenceId, fromSequenceNr: 1, toSequenceNr: 1e9 }, ({ bytes }) => {
    stored.events++
    stored.bytes += bytes.byteLength
  })
  return stored
}

test('its stream does not grow for ever when entities come and go', async () => {
  const journal = new MemoryJournal({ store: new MemoryStore() })
  const life = open(journal)
  await life.load()
  const longest = { bytes: 0 }
  for (let round = 0; round < 300; round++) {
    const stopped = round === 0 ? [] : many((round - 1) * 500, 500)
    await life.update(many(round * 500, 500), stopped)
    const { bytes } = await storedIn(journal)
    longest.bytes = Math.max(longest.bytes, bytes)
  }
  const written = 300 * 1_000 * 'e100000'.length
  expect(longest.bytes).toBeLessThan(written / 10)
  const next = open(journal)
  await next.load()
  expect([...next.ids].sort()).toEqual([...life.ids].sort())
})

test('a life that ends while its stream is written anew leaves the set as it was', async () => {
  const journal = new MemoryJournal({ store: new MemoryStore() })
  let life = open(journal)
  await life.load()
  await life.update(many(0, 20_000))
  const expected = new Set(many(0, 20_000))
  for (let round = 0; round < 60; round++) {
    const stopped = many(round * 300, 300)
    const started = many(100_000 + round, 1)
    await life.update(started, stopped)
    for (const id of started) expected.add(id)
    for (const id of stopped) expected.delete(id)
    // Every few updates another life takes over, wherever the former one was.
    if (round % 3 !== 0) continue
    life = open(journal)
    await life.load()
    expect([...life.ids].sort()).toEqual([...expected].sort())
  }
  // Lives of two or three updates end no rewriting that takes more: then it is done at once.
  expect((await storedIn(journal)).events).toBeLessThan(100)
})

/** A journal that writes down how many events each read asks for. */
function countedReads(store: MemoryStore) {
  const journal = new MemoryJournal({ store })
  const reads: number[] = []
  const read = journal.read.bind(journal)
  journal.read = (range, onEvent) => {
    reads.push(range.toSequenceNr - range.fromSequenceNr + 1)
    return read(range, onEvent)
  }
  return { journal, reads }
}

test('reads more events at a time where each has few ids', async () => {
  const store = new MemoryStore()
  const life = open(new MemoryJournal({ store }))
  await life.load()
  for (const id of many(0, 1_000)) await life.update([id])
  await life.update(many(1_000, 20_000))
  const { journal, reads } = countedReads(store)
  const next = open(journal)
  await next.load()
  expect(next.ids.size).toBe(21_000)
  expect(reads.slice(0, 5)).toEqual([8, 16, 32, 64, 64])
  expect(reads.length).toBeLessThan(25)
})

test('reads nothing any more when it was closed', async () => {
  const store = new MemoryStore()
  const life = open(new MemoryJournal({ store }))
  await life.load()
  for (const id of many(0, 100)) await life.update([id])
  const { journal, reads } = countedReads(store)
  const next = open(journal)
  const loaded = next.load()
  next.store.close()
  await loaded
  expect(reads.length).toBeLessThan(2)
})

test('divides many ids into events that every journal takes', async () => {
  const journal = new MemoryJournal({
    store: new MemoryStore(),
    settings: { eventBytesMax: 100_000, appendEventsMax: 8 },
  })
  const life = open(journal)
  await life.load()
  const long = Array.from({ length: 2_000 }, (_, index) => `${index}`.padEnd(512, 'x'))
  await life.update([...many(0, 10_000), ...long])
  const next = open(journal)
  await next.load()
  expect(next.ids.size).toBe(12_000)
})
