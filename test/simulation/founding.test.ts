import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import {
  ClusterChecks,
  simulate,
  simulateSeeds,
  type Simulation,
  startSimulatedNode,
} from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'
import { founding } from '../scenarios/founding.ts'
import type { SimulatedJournal } from '../../src/simulation/storage/simulated-journal.ts'

const seedNames = ['a', 'b']
const seeds = seedNames.map((name) => `${name}:2552`)

/** Whole nodes that share a store, each step of theirs checked. */
class Stage {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly nodes = new Map<string, SherdNode>()
  readonly ended = new Map<string, string>()
  readonly #plain
  readonly #journals = new Map<string, SimulatedJournal>()
  /** Of nodes that start from now on. */
  foundingStillMs = 10_000

  constructor(simulation: Simulation) {
    this.simulation = simulation
    this.checks = new ClusterChecks(simulation)
    this.#plain = defineEntity('Plain', {
      state: () => ({ count: 0 }),
      commands: {
        add: (self): number => {
          this.checks.acted(simulation.here, 'Plain', self.id)
          self.state.count += 1
          return self.state.count
        },
      },
    })
  }

  /** Does not wait; what it comes to is in `nodes` or `ended`. */
  start(name: string, through: readonly string[] = seeds): Promise<SherdNode | undefined> {
    this.nodes.delete(name)
    this.ended.delete(name)
    const starting = startSimulatedNode(this.simulation, name, {
      entities: [this.#plain],
      seeds: through,
      settings: { cluster: { foundingStillMs: this.foundingStillMs } },
      beforeJoin: (node, life) => {
        this.checks.attach(node, life)
        this.#journals.set(name, life.journal as SimulatedJournal)
        void node.whenStopped.then(({ type }) => this.ended.set(name, type))
      },
    })
    return starting.then(
      (node) => {
        this.nodes.set(name, node)
        return node
      },
      (error: Error & { readonly code?: string }) => {
        this.ended.set(name, error.code ?? error.message)
        return undefined
      },
    )
  }

  async form(...names: string[]): Promise<void> {
    for (const name of names) void this.start(name)
    await this.areOne(...names)
  }

  /** Exactly these are in one cluster, and work. */
  async areOne(...names: string[]): Promise<void> {
    await this.simulation.runUntil(() => this.isOne(names), { what: `${names.join()} are one` })
    for (const name of names) await this.#add(name)
  }

  isOne(names: readonly string[]): boolean {
    return names.every((name) => {
      const { cluster } = this.nodes.get(name) ?? {}
      const isUp = cluster?.state.members.every(({ status }) => status === 'Up') === true
      return isUp && cluster.state.members.length === names.length && !cluster.isFrozen
    })
  }

  /** Stops in good order; resolves when its process has ended. */
  async stop(...names: string[]): Promise<void> {
    for (const name of names) this.simulation.signal(name, 'SIGTERM')
    const isOver = () => names.every((name) => !this.simulation.isAlive(name))
    await this.simulation.runUntil(isOver, { what: `${names.join()} have ended` })
  }

  founderOf(name: string): string | undefined {
    return this.nodes.get(name)?.cluster.snapshot().founding?.founder
  }

  isFrozen(name: string): boolean {
    return this.nodes.get(name)?.cluster.isFrozen === true
  }

  storeOf(name: string): SimulatedJournal {
    return this.#journals.get(name) as SimulatedJournal
  }

  /** Does not wait for the answer. */
  call(name: string): Promise<number> {
    const node = this.nodes.get(name) as SherdNode
    return node.entity(this.#plain, 'one').add()
  }

  async #add(name: string): Promise<void> {
    await this.simulation.settle(this.call(name))
  }
}

/** Nothing to worry about: a cluster forms, nodes are replaced, and the store answers. */
async function nobodyFreezes(stage: Stage): Promise<void> {
  await stage.form('a', 'b', 'd')
  for (const name of ['b', 'd', 'a']) {
    await stage.stop(name)
    void stage.start(name)
    await stage.areOne('a', 'b', 'd')
  }
  await stage.simulation.run({ for: '30s' })
  expect(Object.keys(stage.simulation.places).filter((place) => /freezes/.test(place))).toEqual([])
}

/** On one host, where the end of a process can be proven, and on several, where it cannot. */
function story(name: string, play: (stage: Stage) => Promise<void>): void {
  const hosts = [
    ['on one host', true],
    ['on hosts of their own', false],
  ] as const
  test.each(hosts)(`${name}, %s`, async (_, areProved) => {
    await simulate(name, {
      seeds: 2,
      scenario: async (simulation) => {
        simulation.setEndsProved(areProved)
        await play(new Stage(simulation))
      },
    })
  })
}

story(
  'a first seed that is restarted while the other seeds are down joins the members that are no seeds',
  async (stage) => {
    await stage.form('a', 'b', 'd', 'e')
    const founder = stage.founderOf('d')
    await stage.stop('a', 'b')
    void stage.start('a')
    await stage.areOne('a', 'd', 'e')
    expect(stage.founderOf('a')).toBe(founder)
  },
)

story(
  'a seed that is not the first finds members that are no seeds, all seeds being down',
  async (stage) => {
    await stage.form('a', 'b', 'd')
    await stage.stop('a', 'b')
    void stage.start('b')
    await stage.areOne('b', 'd')
  },
)

story(
  'a first seed that is restarted while the others sleep waits for them, and they are one again',
  async (stage) => {
    await stage.form('a', 'd', 'e')
    await stage.stop('a')
    for (const name of ['d', 'e']) stage.simulation.pause(name, '9s')
    void stage.start('a')
    await stage.areOne('a', 'd', 'e')
    expect(stage.checks.foundings.count).toBe(1)
  },
)

story('sleepers that were succeeded end when they wake, and act no more', async (stage) => {
  await stage.form('a', 'd', 'e')
  await stage.stop('a')
  for (const name of ['d', 'e']) stage.simulation.pause(name, '40s')
  void stage.start('a')
  await stage.areOne('a')
  const { simulation, ended } = stage
  await simulation.runUntil(() => ended.get('d') === 'succeeded' && ended.has('e'))
  void stage.start('d')
  await stage.areOne('a', 'd')
})

story(
  'a first seed that is cut off from all members but not from the store founds nothing',
  async (stage) => {
    const { simulation } = stage
    await stage.form('a', 'd', 'e')
    await stage.stop('a')
    simulation.network.partition(['a'], ['d', 'e'])
    void stage.start('a')
    await simulation.run({ for: '25s' })
    expect(stage.nodes.has('a')).toBe(false)
    simulation.network.heal()
    await stage.areOne('a', 'd', 'e')
    expect(stage.checks.foundings.count).toBe(1)
  },
)

story('a member that was succeeded waits for no call that nobody can answer', async (stage) => {
  const { simulation, ended } = stage
  await stage.form('a', 'd', 'e')
  await stage.stop('a')
  simulation.network.partition(['a'], ['d', 'e'])
  for (const name of ['d', 'e']) stage.storeOf(name).setFaults({ failsBefore: 1 })
  void stage.start('a')
  await stage.areOne('a')
  for (const name of ['d', 'e']) stage.call(name).catch(() => undefined)
  for (const name of ['d', 'e']) stage.storeOf(name).setFaults({})
  const seenAt = simulation.now
  await simulation.runUntil(() => ended.get('d') === 'succeeded' || ended.get('e') === 'succeeded')
  expect(simulation.now - seenAt).toBeLessThan(4_000)
})

story(
  'members without store and first seed are frozen before it founds anew, and end',
  async (stage) => {
    const { simulation, ended } = stage
    await stage.form('a', 'd', 'e')
    await stage.stop('a')
    simulation.network.partition(['a'], ['d', 'e'])
    for (const name of ['d', 'e']) stage.storeOf(name).setFaults({ failsBefore: 1 })
    void stage.start('a')
    await stage.areOne('a')
    expect(['d', 'e'].map((name) => stage.isFrozen(name))).toEqual([true, true])
    for (const name of ['d', 'e']) stage.storeOf(name).setFaults({})
    await simulation.runUntil(() => ended.get('d') === 'succeeded')
    await simulation.runUntil(() => ended.get('e') === 'succeeded')
  },
)

story('a cluster goes on without its store while the first seed is with it', async (stage) => {
  const { simulation } = stage
  await stage.form('a', 'b', 'd')
  simulation.store.setFaults({ failsBefore: 1 })
  await simulation.run({ for: '60s' })
  expect(['a', 'b', 'd'].map((name) => stage.isFrozen(name))).toEqual([false, false, false])
  simulation.store.setFaults({})
  await stage.areOne('a', 'b', 'd')
})

story(
  'a cluster that has lost store and first seed is frozen, and goes on when the store is back',
  async (stage) => {
    const { simulation } = stage
    await stage.form('a', 'd', 'e')
    await stage.stop('a')
    simulation.store.setFaults({ failsBefore: 1 })
    await simulation.runUntil(() => stage.isFrozen('d') && stage.isFrozen('e'))
    simulation.store.setFaults({})
    await stage.areOne('d', 'e')
    expect(stage.checks.foundings.count).toBe(1)
  },
)

story('a process without seeds says where the cluster is, and does not start', async (stage) => {
  await stage.form('a', 'd')
  void stage.start('x', [])
  await stage.simulation.runUntil(() => stage.ended.has('x'))
  expect(stage.ended.get('x')).toBe('CLUSTER_ELSEWHERE')
  await stage.areOne('a', 'd')
})

story('of two processes without seeds that start at once, one founds', async (stage) => {
  void stage.start('x', [])
  void stage.start('y', [])
  const { ended, nodes, simulation } = stage
  await simulation.runUntil(() => ended.size === 1 && nodes.size === 1)
  expect([...ended.values()]).toEqual(['CLUSTER_ELSEWHERE'])
})

story('nobody freezes when nodes are replaced in good order', nobodyFreezes)

story('a process without seeds that was killed starts again', async (stage) => {
  void stage.start('x', [])
  await stage.areOne('x')
  stage.simulation.crash('x')
  void stage.start('x', [])
  await stage.areOne('x')
})

story(
  'a first seed waits as long as the last founding asked for, and then founds',
  async (stage) => {
    stage.foundingStillMs = 60_000
    await stage.form('a', 'b')
    for (const name of ['a', 'b']) stage.simulation.crash(name)
    stage.foundingStillMs = 10_000
    void stage.start('a')
    await stage.simulation.run({ for: '70s' })
    await stage.areOne('a')
  },
)

test('nobody waits where the end of the others is known', async () => {
  await simulate('restarts', {
    seeds: 2,
    scenario: async (simulation) => {
      const stage = new Stage(simulation)
      await stage.form('a', 'b', 'd')
      await stage.stop('a', 'b', 'd')
      simulation.setEndsProved(false)
      const stoppedMs = simulation.now
      await stage.form('a', 'b', 'd')
      expect(simulation.now - stoppedMs).toBeLessThan(9_000)
      simulation.setEndsProved(true)
      for (const name of ['a', 'b', 'd']) simulation.crash(name)
      const crashedMs = simulation.now
      await stage.form('a', 'b', 'd')
      expect(simulation.now - crashedMs).toBeLessThan(9_000)
    },
  })
})

test('one founding lives whatever befalls seeds, others and the store, and all are one in the end', async () => {
  const runs = { scenario: founding, seeds: cases({ short: 3, full: 200 }) }
  for await (const { seed, violations } of simulateSeeds(runs)) {
    expect({ seed, violations }).toEqual({ seed, violations: [] })
  }
}, 900_000)
