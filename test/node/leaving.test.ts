/** Nodes that leave in good order while calls come in, on a real store. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { EntityStarted, EntityStopped, type ShardingSettings } from '../../src/sharding/index.ts'
import { Counter, nodeFor, temporaryFolder, whenAll } from './nodes.ts'

const quick = {
  cluster: { gossipIntervalMs: 100, tickIntervalMs: 50, seedRetryIntervalMs: 100 },
}
const options = { timeout: '60s' } as const

async function three(
  store: LmdbJournal,
  sharding: Partial<ShardingSettings> = {},
): Promise<readonly SherdNode[]> {
  const common = { entities: [Counter], store, settings: { ...quick, sharding } }
  const a = await nodeFor(common)
  const more = { ...common, seeds: [a.address] }
  const nodes = [a, await nodeFor(more), await nodeFor(more)]
  await whenAll(nodes, ({ cluster }) => {
    const up = cluster.state.members.filter(({ status }) => status === 'Up')
    return up.length === 3
  })
  return nodes
}

const stopAll = (nodes: readonly SherdNode[]) => Promise.all(nodes.map((node) => node.stop()))

test('no call to an entity that rests fails when a node leaves in that moment', async () => {
  const ids = Array.from({ length: 200 }, (_, number) => `c${number}`)
  for (let round = 1; round <= 3; round++) {
    const store = await LmdbJournal.open({ folder: temporaryFolder() })
    const nodes = await three(store, { passivateIdleAfterMs: 500 })
    const [a, b, leaving] = nodes as [SherdNode, SherdNode, SherdNode]
    const resting = whenResting(nodes, ids.length)
    const stored = ids.map((id) => a.entity(Counter, id, options).increment(1))
    await Promise.all(stored)
    await resting
    const woken = new Promise<void>((resolve) => {
      leaving.system.eventStream.subscribe(EntityStarted, () => resolve())
    })
    const calls = ids.map((id, index) =>
      (index % 2 === 0 ? a : b).entity(Counter, id, options).increment(1),
    )
    await woken
    const left = leaving.stop()
    expect(await Promise.all(calls)).toEqual(ids.map(() => 2))
    await left
    await stopAll(nodes)
    await store.close()
  }
}, 120_000)

const Book = defineEntity('Book', {
  state: () => ({ loans: 7 }),
  commands: { loans: ({ state }) => state.loans },
})
const Reader = defineEntity('Reader', {
  state: () => ({}),
  commands: {
    arrive: () => 'here',
    /** Goes on only when its node has told it to stop. */
    read: async (self, begun: string) => {
      begins.get(begun)?.()
      await once(self.signal, 'abort')
      return self.entity(Book, 'b').loans()
    },
  },
})
const begins = new Map<string, () => void>()

test('a command on a node that leaves can call others until it has ended', async () => {
  const store = await LmdbJournal.open({ folder: temporaryFolder() })
  const settings = { ...quick, sharding: { stopGraceMs: 300 } }
  const common = { entities: [Book, Reader], store, settings }
  const a = await nodeFor(common)
  const leaving = await nodeFor({ ...common, seeds: [a.address] })
  const ids = Array.from({ length: 20 }, (_, number) => `r${number}`)
  await Promise.all(ids.map((id) => a.entity(Reader, id, options).arrive()))
  const homes = await Promise.all(ids.map((id) => a.explain(Reader, id)))
  const id = ids[homes.findIndex(({ home }) => home === leaving.id)]!
  const begun = new Promise<void>((resolve) => begins.set('once', resolve))
  const loans = a.entity(Reader, id, options).read('once')
  await begun
  const left = leaving.stop()
  expect(await loans).toBe(7)
  await left
  await a.stop()
  await store.close()
})

/** Resolves when so many entities have gone to rest. */
function whenResting(nodes: readonly SherdNode[], count: number): Promise<void> {
  let left = count
  return new Promise((resolve) => {
    for (const { system } of nodes) {
      system.eventStream.subscribe(EntityStopped, () => {
        if (--left === 0) resolve()
      })
    }
  })
}

test('no call fails of those that wait for one counter whose host leaves', async () => {
  const store = await LmdbJournal.open({ folder: temporaryFolder() })
  const nodes = await three(store)
  const [first] = nodes as [SherdNode]
  expect(await first.entity(Counter, 'busy', options).increment(1)).toBe(1)
  const isHost = ({ sharding }: SherdNode): boolean =>
    sharding.regionState('Counter').shards.some(({ entityIds }) => entityIds.includes('busy'))
  const host = nodes.find(isHost)!
  const caller = nodes.find((node) => node !== host)!
  const counter = caller.entity(Counter, 'busy', options)
  const calls = Array.from({ length: 3_000 }, () => counter.increment(1))
  await calls[0]
  const left = host.stop()
  expect(await Promise.all(calls)).toEqual(calls.map((_, index) => index + 2))
  await left
  await stopAll(nodes)
  await store.close()
}, 120_000)
