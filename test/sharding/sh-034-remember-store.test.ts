import { describe, expect, test } from 'vitest'
import {
  type OpenRememberStore,
  type RememberedChange,
  type RememberedIds,
  RememberStoreFailed,
  type RememberStore,
} from '../../src/sharding/index.ts'
import { RememberJournal } from '../../src/sharding/internals.ts'
import { add, answerOf, countOf, counterOn } from './counter.ts'
import { remember, runningIds, same, until } from './remembering.ts'
import { play, type Scene, type ShardingNode, type StartOptions } from './scene.ts'

/** The real store of a node, whose calls can be seen and spoilt. */
class Spoilt {
  readonly updates: RememberedChange[] = []
  opened = 0
  fault: 'none' | 'silent' | 'reject' | 'throw' = 'none'
  delayMs = 0
  readonly #scene: Scene
  readonly #node: () => ShardingNode

  constructor(scene: Scene, node: () => ShardingNode) {
    this.#scene = scene
    this.#node = node
  }

  readonly open: OpenRememberStore = (options) => {
    this.opened++
    const { journal, system } = this.#node()
    const real = new RememberJournal({
      journal,
      timers: system.environment.timers,
      ...options,
    })
    return {
      load: async (onChange) => {
        await this.#spoil()
        await real.load(onChange)
      },
      update: (change, remembered) => this.#update(real, change, remembered),
      close: () => real.close(),
    }
  }

  async #update(
    real: RememberStore,
    change: RememberedChange,
    remembered: RememberedIds,
  ): Promise<void> {
    await this.#spoil()
    this.updates.push(change)
    await real.update(change, remembered)
  }

  #spoil(): Promise<void> {
    if (this.fault === 'throw') throw new Error('the store broke')
    if (this.fault === 'reject') return Promise.reject(new RememberStoreFailed('No disk.'))
    if (this.fault === 'silent') return new Promise(() => undefined)
    return new Promise((resolve) => this.#scene.simulation.after(this.delayMs, () => resolve()))
  }
}

const settings = {
  ...{ shardFailureBackoffMs: 1_000, rememberLoadTimeoutMs: 1_000, rememberUpdateTimeoutMs: 1_000 },
}

async function stage(scene: Scene, options: StartOptions = {}) {
  let node: ShardingNode | undefined
  const store = new Spoilt(scene, () => node as ShardingNode)
  const started = await scene.start('a', {
    rememberStore: (given) => store.open(given),
    init: (starting) => {
      node = starting
      remember(starting, settings)
    },
    ...options,
  })
  return { store, node: started }
}

/** All in shard 1. */
const idsFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${(first + index) * 12 + 1}`)

describe('SH-034 starts and stops are stored in batches', () => {
  test('each once, all of them, in fewer writes than entities', async () => {
    await play(async (scene) => {
      const { store, node } = await stage(scene)
      const [first, second] = [idsFrom(0, 20), idsFrom(20, 20)]
      await scene.settle(Promise.all(first.map((id) => countOf(node, id))))
      const startedFirst = store.updates.flatMap(({ started }) => started)
      expect(startedFirst.sort()).toEqual([...first].sort())
      for (const id of first) counterOn(node, id).tell({ type: 'Rest' })
      await scene.settle(Promise.all(second.map((id) => countOf(node, id))))
      await until(scene, 'the first rest', () => same(runningIds(node), second))
      for (const id of second) counterOn(node, id).tell({ type: 'Rest' })
      await until(scene, 'all are forgotten', () => {
        const stopped = store.updates.flatMap((update) => update.stopped)
        return same(stopped.sort(), [...first, ...second])
      })
      const started = store.updates.flatMap((update) => update.started)
      expect(started.sort()).toEqual([...first, ...second].sort())
      expect(store.updates.length).toBeLessThan(40)
    })
  })
})

describe('SH-040 a store that fails is survived', () => {
  test.each(['silent', 'reject', 'throw'] as const)(
    'a shard that cannot load (%s) begins anew until it can; what waits is delivered then',
    async (fault) => {
      await play(async (scene) => {
        const { store, node } = await stage(scene)
        store.fault = fault
        const answer = countOf(node, '1', '60s')
        await scene.simulation.run({ for: '5s' })
        expect(runningIds(node)).toEqual([])
        expect(store.opened).toBeGreaterThan(1)
        store.fault = 'none'
        expect(await scene.settle(answer)).toMatchObject({ count: 0 })
      })
    },
  )

  test.each(['silent', 'reject', 'throw'] as const)(
    'a shard that cannot store a start (%s) begins anew, with what it remembers',
    async (fault) => {
      await play(async (scene) => {
        const { store, node } = await stage(scene)
        await scene.settle(countOf(node, '1'))
        store.fault = fault
        counterOn(node, '13').tell({ type: 'Add', by: 1 })
        await until(scene, 'the message is dropped', () =>
          node.lost.some((lost) => 'reason' in lost && lost.reason === 'shard-failed'),
        )
        store.fault = 'none'
        await until(scene, 'entity 1 is back', () => same(runningIds(node), ['1']))
        expect(await scene.settle(answerOf(node, '13'))).toMatchObject({ count: 0 })
        expect(runningIds(node)).toEqual(['1', '13'])
      })
    },
  )

  test.each([500, 900])('a store that takes %i ms is waited for', async (delayMs) => {
    await play(async (scene) => {
      const { store, node } = await stage(scene)
      store.delayMs = delayMs
      add(node, '1', 1)
      expect(await scene.settle(countOf(node, '1'))).toMatchObject({ count: 1 })
      expect(store.opened).toBe(1)
      expect(node.lost).toEqual([])
    })
  })

  test('a message to an entity that runs does not wait for the store', async () => {
    await play(async (scene) => {
      const { store, node } = await stage(scene)
      await scene.settle(countOf(node, '1'))
      store.delayMs = 800
      counterOn(node, '13').tell({ type: 'Add', by: 1 })
      const began = scene.simulation.now
      await scene.settle(countOf(node, '1'))
      expect(scene.simulation.now - began).toBeLessThan(100)
    })
  })
})

describe('a hand-off of a shard whose store does not answer', () => {
  test('B12 ends while the shard loads, and what waits is served by the next home, in order', async () => {
    await play(
      async (scene) => {
        const { store, node } = await stage(scene)
        store.fault = 'silent'
        add(node, '1', 1, 2, 4)
        await scene.simulation.run({ for: '200ms' })
        const b = await scene.start('b', { init: (starting) => remember(starting, settings) })
        await scene.settle(node.sharding.gracefulShutdown('Counter'))
        expect(await scene.settle(answerOf(b, '1'))).toMatchObject({ count: 7, node: b.id })
        expect(node.lost).toEqual([])
      },
      { seeds: 10 },
    )
  })
})

describe('SH-036 remembered entities are started', () => {
  /** When each began, in virtual time. */
  async function recovery(scene: Scene, ids: readonly string[], chosen: object) {
    const init = (node: ShardingNode): void => remember(node, chosen)
    const a = await scene.start('a', { init })
    await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
    scene.simulation.crash('a')
    scene.nodes.length = 0
    const again = await scene.start('a', { init })
    const times = new Map<string, number>()
    await until(scene, 'all run', () => {
      for (const id of runningIds(again)) if (!times.has(id)) times.set(id, scene.simulation.now)
      return times.size === ids.length
    })
    return times
  }

  test('all at once', async () => {
    await play(async (scene) => {
      const times = await recovery(scene, idsFrom(0, 5), {})
      const moments = [...times.values()]
      expect(Math.max(...moments) - Math.min(...moments)).toBeLessThan(50)
    })
  })

  test('at a constant rate, one shard after the other', async () => {
    await play(async (scene) => {
      const [one, two] = [idsFrom(0, 5), ['2', '14', '26']]
      const chosen = { entityRecoveryEntitiesMax: 2, entityRecoveryIntervalMs: 2_000 }
      const times = await recovery(scene, [...one, ...two], chosen)
      const inOrder = [...times.values()].sort((x, y) => x - y)
      for (let index = 2; index < inOrder.length; index++) {
        expect((inOrder[index] ?? 0) - (inOrder[index - 2] ?? 0)).toBeGreaterThan(1_900)
      }
      const last = (ids: readonly string[]) => Math.max(...ids.map((id) => times.get(id) ?? 0))
      const first = (ids: readonly string[]) => Math.min(...ids.map((id) => times.get(id) ?? 0))
      expect(first(two) > last(one) || first(one) > last(two)).toBe(true)
    })
  })
})

describe('SH-042 while the journal is away', () => {
  test('entities that run answer, what is new waits, and nothing is lost afterwards', async () => {
    await play(async (scene) => {
      const { store, node } = await stage(scene)
      add(node, '1', 1)
      add(node, '2', 2)
      await scene.settle(Promise.all(['1', '2'].map((id) => countOf(node, id))))
      store.fault = 'silent'
      const answer = countOf(node, '40', '30s')
      add(node, '40', 4)
      await scene.simulation.run({ for: '1s' })
      expect(await scene.settle(countOf(node, '1'))).toMatchObject({ count: 1 })
      expect(runningIds(node)).not.toContain('40')
      store.fault = 'none'
      await scene.settle(answer)
      expect(await scene.settle(countOf(node, '40'))).toMatchObject({ count: 4 })
      expect(await scene.settle(countOf(node, '2'))).toMatchObject({ count: 2 })
      expect(node.lost).toEqual([])
    })
  })
})
