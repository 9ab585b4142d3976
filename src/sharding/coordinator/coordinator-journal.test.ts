import { expect, test } from 'vitest'
import { type Journal, MemoryJournal, MemoryStore } from '../../persistence/index.ts'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { CoordinatorJournal } from './coordinator-journal.ts'
import type { CoordinatorEvent } from './coordinator-state.ts'

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
