/** Whole nodes that find each other by answers that differ, on a store that all share: its record of the founding decides. */
import { describe, expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import {
  ClusterChecks,
  simulate,
  type Simulation,
  startSimulatedNode,
} from '../../src/simulation/index.ts'

const names = ['a', 'b', 'c']
const all = names.map((name) => `${name}:2552`)

/** Nodes that ask where others are, and what each of them is told. */
class Finders {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly nodes = new Map<string, SherdNode>()
  readonly failures = new Map<string, string>()
  readonly answers = new Map<string, readonly string[] | Error>()
  readonly #counter

  constructor(simulation: Simulation) {
    this.simulation = simulation
    this.checks = new ClusterChecks(simulation)
    this.#counter = defineEntity('Counter', {
      state: () => ({ count: 0 }),
      events: { Incremented: (state) => ({ count: state.count + 1 }) },
      commands: {
        increment: (self): number => {
          this.checks.acted(simulation.here, 'Counter', self.id)
          return self.persist('Incremented').count
        },
      },
    })
  }

  start(name: string, requiredNodes = 2): void {
    this.nodes.delete(name)
    this.failures.delete(name)
    const lookUp = async (): Promise<readonly string[]> => {
      const answer = this.answers.get(name) ?? all
      if (answer instanceof Error) throw answer
      return answer
    }
    void startSimulatedNode(this.simulation, name, {
      entities: [this.#counter],
      discovery: { lookUp, requiredNodes },
      beforeJoin: (node, life) => this.checks.attach(node, life),
    }).then(
      (node) => this.nodes.set(name, node),
      (error: Error & { readonly code?: string }) =>
        this.failures.set(name, error.code ?? error.message),
    )
  }

  /** Exactly these are in one cluster, of one founding, and work. */
  async areOne(...living: string[]): Promise<void> {
    const isOne = (name: string): boolean => {
      const cluster = this.nodes.get(name)?.cluster
      const members = cluster?.state.members ?? []
      return (
        members.length === living.length &&
        members.every(({ status }) => status === 'Up') &&
        cluster?.isFrozen === false
      )
    }
    await this.simulation.runUntil(() => living.every(isOne), { what: `${living.join()} are one` })
    expect(new Set(living.map((name) => this.founderOf(name))).size).toBe(1)
    for (const name of living) {
      await this.simulation.settle(this.nodes.get(name)!.entity(this.#counter, 'one').increment())
    }
  }

  founderOf(name: string): string | undefined {
    return this.nodes.get(name)?.cluster.snapshot().founding?.founder
  }
}

function finding(name: string, scenario: (finders: Finders) => Promise<void>): Promise<unknown> {
  return simulate(name, {
    seeds: 5,
    scenario: (simulation) => scenario(new Finders(simulation)),
  })
}

describe('nodes that find each other, and share a store', () => {
  test('are one cluster, and again after all of them have died', async () => {
    await finding('find each other', async (finders) => {
      for (const name of names) finders.start(name)
      await finders.areOne(...names)
      for (const name of names) finders.simulation.crash(name)
      for (const name of names) finders.start(name)
      await finders.areOne(...names)
    })
  })

  test('each is told of itself alone, and one node is enough: all would found, and the record lets one', async () => {
    await finding('each alone', async (finders) => {
      for (const name of names) finders.answers.set(name, [`${name}:2552`])
      for (const name of names) finders.start(name, 1)
      await finders.areOne(...names)
    })
  })

  test('one that is told of nobody joins the members that the record names', async () => {
    await finding('told of nobody', async (finders) => {
      finders.answers.set('c', [])
      for (const name of ['a', 'b', 'c']) finders.start(name)
      await finders.areOne(...names)
    })
  })

  test('one whose look-ups fail joins by the record, too', async () => {
    await finding('look-ups fail', async (finders) => {
      finders.answers.set('c', new Error('SERVFAIL'))
      for (const name of names) finders.start(name)
      await finders.areOne(...names)
    })
  })

  test('two that are told of each other alone, while the third lives cut off, found nothing beside it', async () => {
    await finding('cut off', async (finders) => {
      const { simulation } = finders
      for (const name of names) finders.start(name)
      await finders.areOne(...names)
      const founder = finders.founderOf('c')
      for (const name of ['a', 'b']) simulation.crash(name)
      simulation.network.partition(['c'], ['a', 'b'])
      for (const name of ['a', 'b']) finders.answers.set(name, ['a:2552', 'b:2552'])
      for (const name of ['a', 'b']) finders.start(name)
      // The third sees that their processes have ended, and carries the record on.
      await simulation.run({ for: '60s' })
      expect([...finders.nodes.keys()]).toEqual(['c'])
      expect(finders.failures.size).toBe(0)
      simulation.network.heal()
      await finders.areOne(...names)
      expect(finders.founderOf('a')).toBe(founder)
    })
  })

  test('too few give up with the reason', async () => {
    await finding('too few', async (finders) => {
      finders.start('b')
      await finders.simulation.runUntil(() => finders.failures.has('b'), { within: '200s' })
      expect(finders.failures.get('b')).toBe('JOIN_FAILED')
    })
  })
})
