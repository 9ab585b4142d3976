import { describe, expect, test } from 'vitest'
import {
  type Journal,
  MemoryJournal,
  MemoryStore,
  type ReadRange,
  type StoredEvent,
} from '../../persistence/index.ts'
import { snapshotsOf } from '../../persistence/internals.ts'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { ValueCodec } from '../../serialization/internals.ts'
import { shardingSettings } from '../sharding-settings.ts'
import { CoordinatorJournal } from './coordinator-journal.ts'
import { CoordinatorLifeMachine } from './coordinator-life-machine.ts'
import type { CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

const region = nodeIdOf('a:1', 1n)

/** A shard that comes and goes. */
function lives(first: number, count: number): CoordinatorEvent[] {
  return Array.from({ length: count }, (_, index) => first + index).flatMap((epoch) => [
    { type: 'ShardAllocated', shard: 1, home: region, epoch },
    { type: 'ShardDeallocated', shard: 1, epoch },
  ])
}

function journalOver(store: MemoryStore, read: number[]): CoordinatorJournal {
  const memory = new MemoryJournal({ store })
  const counting: Journal = {
    claim: (id, writer) => memory.claim(id, writer),
    append: (batch) => memory.append(batch),
    read: (range, onEvent) =>
      memory.read(range, (event) => {
        read.push(event.sequenceNr)
        onEvent(event)
      }),
    highestSequenceNr: (id) => memory.highestSequenceNr(id),
    close: () => memory.close(),
  }
  const options = { entityType: 'Cart', numberOfShards: 8, writer: region }
  return new CoordinatorJournal({ journal: counting, ...options })
}

test('a coordinator that read many events spares the next one from reading them', async () => {
  const store = new MemoryStore()
  const first = journalOver(store, [])
  expect((await first.load()).state.lastEpoch).toBe(0)
  await first.store([{ type: 'RegionRegistered', region, isProxy: false, numberOfShards: 8 }])
  await first.store(lives(1, 1_750))
  const secondRead: number[] = []
  const second = journalOver(store, secondRead)
  const summed = (await second.load()).state
  expect(secondRead.length).toBe(3_501)
  expect([summed.lastEpoch, [...summed.homeless], summed.hosts]).toEqual([1_750, [1], [region]])
  await second.store(lives(1_751, 10))
  const thirdRead: number[] = []
  const third = journalOver(store, thirdRead)
  const { state, term } = await third.load()
  expect(thirdRead.length).toBe(1_000)
  expect([term, state.lastEpoch, state.numberOfShards]).toEqual([3, 1_760, 8])
  await expect(second.store(lives(1_761, 1))).rejects.toThrow(`'${region}' coordinates now`)
})

test('a sum that the journal does not take is left out, and the next coordinator reads on', async () => {
  const journal = new MemoryJournal({ settings: { eventBytesMax: 150 } })
  const options = { journal, entityType: 'Cart', numberOfShards: 128, writer: region }
  const first = new CoordinatorJournal(options)
  await first.load()
  await first.store([{ type: 'RegionRegistered', region, isProxy: false, numberOfShards: 128 }])
  await first.store(lives(1, 500))
  const homes = Array.from({ length: 128 }, (_, shard) => ({ shard, epoch: 501 + shard }))
  await first.store(homes.map((home) => ({ type: 'ShardAllocated', home: region, ...home })))
  const { state, term } = await new CoordinatorJournal(options).load()
  expect([term, state.lastEpoch]).toEqual([2, 628])
})

const cart = { entityType: 'Cart', writer: region }
const registered = { type: 'RegionRegistered', region, isProxy: false } as const

/** As a coordinator does: told, then part of the state. */
async function storeAll(
  store: CoordinatorJournal,
  state: CoordinatorState,
  all: CoordinatorEvent[],
) {
  for (let first = 0; first < all.length; first += 100) {
    const part = all.slice(first, first + 100)
    await store.store(part)
    for (const event of part) state.apply(event)
  }
}

describe('snapshots', () => {
  const snapshotAfterEvents = 200
  const options = { ...cart, numberOfShards: 8, snapshotAfterEvents }
  const persistenceId = '$coordinator|Cart'

  /** A stream with several snapshots in it. */
  async function written() {
    const journal = new MemoryJournal({})
    const store = new CoordinatorJournal({ ...options, journal })
    const { state } = await store.load()
    await storeAll(store, state, [{ ...registered, numberOfShards: 8 }, ...lives(1, 500)])
    await journal.highestSequenceNr(persistenceId)
    return { journal, state }
  }

  const numbersOf = async (journal: MemoryJournal): Promise<number[]> => {
    const numbers: number[] = []
    const range = { fromSequenceNr: 1, toSequenceNr: 10_000 }
    for await (const { sequenceNr } of snapshotsOf(journal, { persistenceId, ...range })) {
      numbers.push(sequenceNr)
    }
    return numbers
  }

  test('are stored while a coordinator lives, two of them are kept, and the events before those go', async () => {
    const { journal, state } = await written()
    const [newest = 0, former = 0, ...more] = await numbersOf(journal)
    expect(newest).toBeGreaterThan(former)
    expect([former > 200, more]).toEqual([true, []])
    const read: number[] = []
    const range = { persistenceId, fromSequenceNr: 1, toSequenceNr: 10_000 }
    await journal.read(range, ({ sequenceNr }) => void read.push(sequenceNr))
    expect(read[0]).toBe(former + 1)
    const next = await new CoordinatorJournal({ ...options, journal }).load()
    expect(next.state.sum()).toEqual(state.sum())
  })

  test('one that cannot be read is passed over for the one before it and its events', async () => {
    const { journal, state } = await written()
    const [newest = 0] = await numbersOf(journal)
    const { epoch } = await journal.claim(persistenceId, 'a vandal')
    await journal.saveSnapshot({
      ...{ persistenceId, epoch, sequenceNr: newest, savedAtMs: 0 },
      bytes: new Uint8Array([0xc1, 1, 2]),
    })
    const problems: string[] = []
    const passedOver = (problem: string) => void problems.push(problem)
    const next = await new CoordinatorJournal({ ...options, journal, passedOver }).load()
    expect(next.state.sum()).toEqual(state.sum())
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`The snapshot of number ${newest} cannot be used`)
  })

  test('when none can be read and events are gone, nothing is begun as if there had been none', async () => {
    const { journal } = await written()
    const { epoch } = await journal.claim(persistenceId, 'a vandal')
    const all = { fromSequenceNr: 1, toSequenceNr: 10_000 }
    await journal.deleteSnapshots({ persistenceId, epoch, ...all })
    const load = new CoordinatorJournal({ ...options, journal }).load()
    await expect(load).rejects.toThrow('no such snapshot can be read')
  })

  test('B35 what counts after a snapshot is the setting of the node and the number that was stored', async () => {
    const { journal } = await written()
    const { state, term } = await new CoordinatorJournal({ ...options, journal }).load()
    const life = new CoordinatorLifeMachine(shardingSettings({ numberOfShards: 16 }))
    const cluster = { members: new Map(), unreachable: new Set<never>() }
    life.step({ type: 'Begun' })
    const effects = life.step({ type: 'Loaded', term, state, cluster })
    expect(effects.at(-1)).toMatchObject({
      type: 'GiveUp',
      reason: { type: 'OtherNumberOfShards', numberOfShards: 8, isLeast: false },
    })
  })

  test(
    'a hundred thousand shards fit into one, and are there again',
    { timeout: 60_000 },
    async () => {
      const memory = new MemoryStore()
      const journal = new MemoryJournal({ store: memory })
      const many = { ...cart, numberOfShards: 100_000, journal }
      const store = new CoordinatorJournal(many)
      const { state } = await store.load()
      const homes = Array.from({ length: 100_000 }, (_, shard): CoordinatorEvent => {
        return { type: 'ShardAllocated', shard, home: region, epoch: shard + 1 }
      })
      await storeAll(store, state, [{ ...registered, numberOfShards: 100_000 }, ...homes])
      const read: number[] = []
      class Counting extends MemoryJournal {
        override read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
          return super.read(range, (event) => {
            read.push(event.sequenceNr)
            onEvent(event)
          })
        }
      }
      const counting = new Counting({ store: memory })
      // The first one reads them, and spares the next.
      await new CoordinatorJournal(many).load()
      const { state: again } = await new CoordinatorJournal({ ...many, journal: counting }).load()
      expect(again.sum()).toEqual(state.sum())
      expect(read.length).toBeLessThan(1_000)
    },
  )
})

test('a sum of another version among the events is passed over, since they are all there', async () => {
  const store = new MemoryStore()
  const first = journalOver(store, [])
  await first.load()
  await first.store([{ ...registered, numberOfShards: 8 }])
  const memory = new MemoryJournal({ store })
  const persistenceId = '$coordinator|Cart'
  const { epoch, highestSequenceNr: expectedSequenceNr } = await memory.claim(persistenceId, 'new')
  const packed = ['sharding.StateSummed@9', { type: 'StateSummed', all: 'different' }]
  const bytes = new ValueCodec({ use: 'stored' }).encode(packed)
  await memory.append({ persistenceId, epoch, expectedSequenceNr, events: [bytes] })
  const { state } = await journalOver(store, []).load()
  expect(state.hosts).toEqual([region])
  // A change of another version may be anything.
  const change = new ValueCodec({ use: 'stored' }).encode(['sharding.ShardRenamed@1', { shard: 1 }])
  const next = await memory.claim(persistenceId, 'new')
  await memory.append({
    ...{ persistenceId, epoch: next.epoch, expectedSequenceNr: next.highestSequenceNr },
    events: [change],
  })
  await expect(journalOver(store, []).load()).rejects.toThrow('cannot be read')
})
