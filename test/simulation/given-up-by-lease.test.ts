/** Whole nodes whose splits a lease decides: whoever was given up under it goes on with nobody, whatever became of the winner. */
import { expect, test } from 'vitest'
import { type Lease, type LeaseImplementation, registerLeases } from '../../src/lease/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { simulate, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'

type Leases = (lease: Lease) => Pick<Lease, 'note'>

/** Nodes that keep nothing but the lease: no record of a founding helps. */
function starting(simulation: Simulation, noteOf: Leases = ({ note }) => ({ note: note! })) {
  const make = registerLeases(new MemoryJournal({ store: simulation.store.memory }))
  const lease: LeaseImplementation = (request) => {
    const own = make(request)
    return {
      ...{ name: own.name, owner: own.owner, settings: own.settings },
      acquire: (onLost) => own.acquire(onLost),
      release: () => own.release(),
      checkLease: () => own.checkLease(),
      get fenceToken() {
        return own.fenceToken
      },
      ...noteOf(own),
    }
  }
  const acquireLeaseDelayForMinorityMs = 20_000
  const downing = { strategy: 'lease-majority', lease, acquireLeaseDelayForMinorityMs } as const
  return (name: string, seeds: readonly string[], machine?: string) =>
    startSimulatedNode(simulation, name, {
      seeds: seeds.map((seed) => `${seed}:2552`),
      settings: { cluster: { downing } },
      ...(machine !== undefined && { machine }),
    })
}

async function together(
  simulation: Simulation,
  start: ReturnType<typeof starting>,
  names: readonly string[],
): Promise<SherdNode[]> {
  const nodes = await simulation.settle(Promise.all(names.map((name) => start(name, names))))
  await simulation.run({ for: '5s' })
  return nodes
}

const membersOf = ({ cluster }: SherdNode): string =>
  cluster.state.members.map(({ node, status }) => `${node[0]} ${status}`).join()

/** Of a and b, cut off from each other, a goes on and lets c in. Nobody has told b, which would ask much later. */
async function untold(simulation: Simulation, start: ReturnType<typeof starting>) {
  const [, b] = await together(simulation, start, ['a', 'b'])
  simulation.network.partition(['a', 'c'], ['b'])
  const c = await simulation.settle(start('c', ['a']))
  expect(membersOf(c)).toBe('a Up,c Up')
  expect(b!.cluster.isFrozen).toBe(true)
  return { b: b!, c }
}

function goesOn({ cluster }: SherdNode, members: string): boolean {
  return !cluster.isFrozen && cluster.state.members.map(({ node }) => node[0]).join('') === members
}

test.each(['dies', 'leaves'])(
  'the loser of a split ends that was never told of it, when the winner has let another in and %s',
  async (how) => {
    await simulate('untold', {
      seeds: 5,
      scenario: async (simulation) => {
        const { c } = await untold(simulation, starting(simulation))
        if (how === 'dies') simulation.crash('a')
        else simulation.signal('a', 'SIGTERM')
        await simulation.run({ for: '10s' })
        expect(simulation.isAlive('a')).toBe(false)
        expect(goesOn(c, 'c')).toBe(true)
        expect(simulation.isAlive('b')).toBe(false)
      },
    })
  },
)

test('also when nothing proves that the winner has ended but its next life, which the loser does not let in', async () => {
  await simulate('next life', {
    seeds: 5,
    scenario: async (simulation) => {
      const start = starting(simulation)
      const { b, c } = await untold(simulation, (name, seeds) =>
        start(name, seeds, name === 'b' ? 'another' : 'one'),
      )
      simulation.crash('a')
      simulation.network.heal()
      simulation.network.partition(['c'], ['a', 'b'])
      let isIn = false
      start('a', ['b'], 'one').then(
        () => (isIn = true),
        () => undefined,
      )
      await simulation.run({ for: '10s' })
      expect(goesOn(c, 'c')).toBe(true)
      expect(simulation.isAlive('b')).toBe(false)
      expect(isIn || goesOn(b, 'ab')).toBe(false)
    },
  })
})

test('while the note cannot be read nobody is removed, and who has lost stays frozen', async () => {
  await simulate('unreadable', {
    seeds: 5,
    scenario: async (simulation) => {
      let isAway = false
      const start = starting(simulation, ({ owner, note }) => ({
        note: {
          read: async () => {
            if (isAway && owner.startsWith('b:')) throw new Error('a test has made it fail')
            return note!.read()
          },
          write: (bytes, over) => note!.write(bytes, over),
        },
      }))
      const { b, c } = await untold(simulation, start)
      isAway = true
      simulation.crash('a')
      await simulation.run({ for: '15s' })
      expect(goesOn(c, 'c')).toBe(true)
      expect([simulation.isAlive('b'), b.cluster.isFrozen]).toEqual([true, true])
      expect(membersOf(b)).toBe('a Up,b Up')
      isAway = false
      await simulation.run({ for: '10s' })
      expect(simulation.isAlive('b')).toBe(false)
    },
  })
})

test('a lease without a note remembers nobody, and the loser goes on', async () => {
  await simulate('forgotten', {
    seeds: 5,
    scenario: async (simulation) => {
      const { b, c } = await untold(
        simulation,
        starting(simulation, () => ({})),
      )
      simulation.crash('a')
      await simulation.run({ for: '10s' })
      expect([goesOn(b, 'b'), goesOn(c, 'c')]).toEqual([true, true])
    },
  })
})

test('two that slept while the third gave them up do not go on by the word of each other', async () => {
  await simulate('sleepers', {
    seeds: 5,
    scenario: async (simulation) => {
      const [a, b, c] = await together(simulation, starting(simulation), ['a', 'b', 'c'])
      const thawed: string[] = []
      for (const node of [a!, b!]) {
        node.cluster.subscribe(({ type }) => void (type === 'Thawed' && thawed.push(node.id)))
      }
      for (const name of ['a', 'b']) simulation.pause(name, '40s')
      await simulation.runUntil(() => goesOn(c!, 'c'), { within: '39s' })
      simulation.network.partition(['a', 'b'], ['c'])
      await simulation.run({ for: '50s' })
      expect(thawed).toEqual([])
      expect(['a', 'b'].map((name) => simulation.isAlive(name))).toEqual([false, false])
      expect(goesOn(c!, 'c')).toBe(true)
    },
  })
})
