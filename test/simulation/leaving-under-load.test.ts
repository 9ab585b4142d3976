import { describe, expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import {
  ClusterChecks,
  simulate,
  type Simulation,
  startSimulatedNode,
} from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Incremented: (state, by: number) => ({ count: state.count + by }) },
  commands: {
    increment: (self, by: number) => self.persist('Incremented', by).count,
    incrementLater: async (self, by: number) => {
      await Promise.resolve()
      return self.persist('Incremented', by).count
    },
    get: (self) => self.state.count,
  },
})

const seeds = ['a:2552', 'b:2552', 'c:2552']
const stores = [
  { latencyMeanMs: 1 },
  { latencyMeanMs: 5, stallChance: 0.05, stallMaxMs: 300 },
  { latencyMeanMs: 50, stallChance: 0.02, stallMaxMs: 1_000 },
]

type Draw = ReturnType<Simulation['random']['fork']>

/** Three nodes on a store as slow as stores may be. What `story` does must succeed, whoever leaves meanwhile. */
async function play(
  count: number,
  story: (simulation: Simulation, nodes: readonly SherdNode[], draw: Draw) => Promise<void>,
): Promise<void> {
  await simulate('leaving under load', {
    seeds: count,
    scenario: async (simulation) => {
      const checks = new ClusterChecks(simulation)
      const draw = simulation.random.fork('leaving')
      const nodes: SherdNode[] = []
      for (const name of ['a', 'b', 'c']) {
        const started = startSimulatedNode(simulation, name, {
          ...{ entities: [Counter], seeds },
          settings: {
            entity: { unstoredCommandsMax: draw.pick([16, 1_024]) },
            sharding: { passivateIdleAfterMs: 2_000 },
          },
          beforeJoin: (node, life) => checks.attach(node, life),
        })
        nodes.push(await simulation.settle(started))
      }
      simulation.store.setFaults(draw.pick(stores))
      await story(simulation, nodes, draw)
    },
  })
}

/** The node gets its SIGTERM so much later. */
function leaveAfter(simulation: Simulation, node: SherdNode, delayMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    simulation.after(delayMs, () => void node.stop().then(resolve, reject))
  })
}

const options = { timeout: '60s' } as const
const idsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`)

describe('a node leaves in good order, and no call fails', () => {
  test('into calls to entities that rest', async () => {
    await play(cases({ short: 4, full: 200 }), async (simulation, nodes, draw) => {
      const [leaving, ...staying] = draw.chance(0.5) ? nodes : nodes.toReversed()
      const ids = idsOf(60)
      const isStored = draw.chance(0.7)
      const before = isStored ? 3 : 0
      if (isStored) {
        const [first] = staying
        const stored = ids.map((id) => first!.entity(Counter, id, options).increment(3))
        await simulation.settle(Promise.all(stored))
        // They rest, and shards may have moved.
        await simulation.run({ for: '5s' })
      }
      const left = leaveAfter(simulation, leaving!, draw.below(draw.pick([3, 30, 300])))
      const calls = ids.flatMap((id) =>
        [1, 2].map(() => draw.pick(staying).entity(Counter, id, options).increment(1)),
      )
      const counts = await simulation.settle(Promise.all(calls))
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ids.length * (2 * before + 3))
      await simulation.settle(left)
    })
  })

  test('into more calls to one entity than it handles at once', async () => {
    await play(cases({ short: 4, full: 100 }), async (simulation, nodes, draw) => {
      const [caller] = nodes
      const entity = caller!.entity(Counter, 'busy', options)
      expect(await simulation.settle(entity.increment(0))).toBe(0)
      const host = nodes.find(({ sharding }) =>
        sharding.regionState('Counter').shards.some(({ entityIds }) => entityIds.includes('busy')),
      )
      const stayer = nodes.find((node) => node !== host)!
      const busy = stayer.entity(Counter, 'busy', options)
      // As many as the slowest of the stores takes within the time that a node has to leave.
      const calls = Array.from({ length: 200 }, () =>
        draw.chance(0.1) ? busy.incrementLater(1) : busy.increment(1),
      )
      const left = leaveAfter(simulation, host!, draw.below(draw.pick([3, 30, 300])))
      const counts = await simulation.settle(Promise.all(calls))
      expect(counts).toEqual(calls.map((_, index) => index + 1))
      await simulation.settle(left)
    })
  })

  test('into calls to entities whose shards never had a home', async () => {
    await play(cases({ short: 4, full: 200 }), async (simulation, nodes, draw) => {
      const [leaving, ...staying] = draw.chance(0.5) ? nodes : nodes.toReversed()
      const left = leaveAfter(simulation, leaving!, draw.below(draw.pick([3, 30, 300])))
      const calls: Promise<number>[] = []
      for (const id of idsOf(80)) {
        await simulation.run({ for: draw.below(6) })
        calls.push(draw.pick(staying).entity(Counter, id, options).increment(1))
      }
      const counts = await simulation.settle(Promise.all(calls))
      expect(counts).toEqual(calls.map(() => 1))
      await simulation.settle(left)
    })
  })
})

describe('an entity whose recovery outlasts its rest', () => {
  test('is recovered, and answers', async () => {
    await simulate('a long recovery', {
      seeds: cases({ short: 3, full: 30 }),
      scenario: async (simulation) => {
        const start = () =>
          startSimulatedNode(simulation, 'a', {
            entities: [Counter],
            settings: {
              entity: { replayEventsMax: 1 },
              sharding: { passivateIdleAfterMs: 1_000 },
            },
          })
        const node = await simulation.settle(start())
        const counter = node.entity(Counter, 'long', options)
        for (let count = 1; count <= 30; count++) {
          expect(await simulation.settle(counter.increment(1))).toBe(count)
        }
        const isResting = (): boolean =>
          node.sharding.regionState('Counter').shards.every(({ entityIds }) => entityIds.length < 1)
        await simulation.runUntil(isResting, { what: 'the counter rests' })
        simulation.store.setFaults({ latencyMeanMs: 200 })
        const begunMs = simulation.now
        expect(await simulation.settle(counter.get())).toBe(30)
        expect(simulation.now - begunMs).toBeGreaterThan(3_000)
      },
    })
  })
})
