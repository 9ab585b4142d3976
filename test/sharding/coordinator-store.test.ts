/** A store of another kind than the journal plugs in, and coordinators in it have the terms of their singletons. */
import { expect, test } from 'vitest'
import { CoordinatorStarted } from '../../src/sharding/index.ts'
import {
  type CoordinatorEvent,
  CoordinatorFenced,
  CoordinatorState,
  type CoordinatorStore,
  type CoordinatorStoreOptions,
  type StoredDecisions,
} from '../../src/sharding/internals.ts'
import { persistenceIdOf } from '../../src/persistence/index.ts'
import { add, answerOf, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

/** What all nodes of a test share. It counts nobody: the last who has loaded it may store. */
interface Memory {
  readonly events: CoordinatorEvent[]
  readonly loads: { readonly term: number; readonly writer: string }[]
}

class MemoryStore implements CoordinatorStore {
  readonly #memory: Memory
  readonly #options: CoordinatorStoreOptions
  #term = 0

  constructor(memory: Memory, options: CoordinatorStoreOptions) {
    this.#memory = memory
    this.#options = options
  }

  async load(term: number): Promise<StoredDecisions> {
    this.#term = term
    this.#memory.loads.push({ term, writer: this.#options.writer })
    return { term, state: CoordinatorState.replay(this.#memory.events) }
  }

  async store(events: readonly CoordinatorEvent[]): Promise<void> {
    const last = this.#memory.loads.at(-1)
    if (last !== undefined && last.term > this.#term) {
      throw new CoordinatorFenced(this.#options.entityType, last.writer, undefined)
    }
    this.#memory.events.push(...events)
  }
}

const ids = Array.from({ length: 12 }, (_, index) => `${index}`)

function startIn(scene: Scene, memory: Memory, started: number[]) {
  return (name: string): Promise<ShardingNode> =>
    scene.start(name, {
      coordinatorStore: (options) => new MemoryStore(memory, options),
      init: (node) => {
        node.system.eventStream.subscribe(CoordinatorStarted, ({ term }) => void started.push(term))
        hostCounters(node, { extractor: new ByNumber(12), settings: { numberOfShards: 12 } })
      },
    })
}

test('the next coordinator goes on from what is stored, in a higher term', async () => {
  await play(async (scene) => {
    const memory: Memory = { events: [], loads: [] }
    const started: number[] = []
    const start = startIn(scene, memory, started)
    const a = await start('a')
    const b = await start('b')
    const c = await start('c')
    for (const id of ids) add(c, id, 1)
    const before = await scene.settle(Promise.all(ids.map((id) => countOf(c, id))))
    expect(a.sharding.regionState('Counter').coordinator).toBe(a.id)
    scene.simulation.crash('a')
    const after = await scene.settle(Promise.all(ids.map((id) => answerOf(c, id))))
    expect(after.map(({ count }) => count)).toEqual(ids.map(() => 1))
    expect(c.sharding.regionState('Counter').coordinator).toBe(b.id)
    const stayed = before.filter(({ node }) => node !== a.id).length
    expect(stayed).toBeGreaterThan(0)
    expect(before.filter(({ node }, index) => after[index]?.node === node)).toHaveLength(stayed)
    // The term that the store was given is the term by which regions know their coordinator.
    expect(memory.loads.map(({ writer }) => writer)).toEqual([a.id, b.id])
    expect(started).toEqual(memory.loads.map(({ term }) => term))
    expect(started[1]).toBeGreaterThan(started[0] ?? Infinity)
    const inJournal = b.journal.highestSequenceNr(persistenceIdOf('$coordinator', 'Counter'))
    expect(await scene.settle(inJournal)).toBe(0)
  })
})
