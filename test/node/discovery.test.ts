import { expect, test } from 'vitest'
import { defineEntity } from '../../src/entity/index.ts'
import { InvalidSettings } from '../../src/foundation/invalid-settings.ts'
import { type NodeOptions, startNode } from '../../src/node/index.ts'
import { MemoryJournal, MemoryStore } from '../../src/persistence/index.ts'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Incremented: (state) => ({ count: state.count + 1 }) },
  commands: { increment: (self) => self.persist('Incremented').count },
})

async function problemsOf(options: NodeOptions): Promise<readonly string[]> {
  const error: unknown = await startNode(options).then(
    (node) => node.stop(),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(InvalidSettings)
  return (error as InvalidSettings).problems
}

test('nodes on ports of the system find each other, and calls go to either', async () => {
  const store = new MemoryStore({ storeId: 'shared' })
  const addresses: string[] = []
  const quick = { discoveryIntervalMs: 50, discoveryStillMs: 300, seedRetryIntervalMs: 50 }
  const start = () =>
    startNode({
      entities: [Counter],
      store: new MemoryJournal({ store }),
      discovery: { lookUp: async () => addresses, requiredNodes: 2 },
      settings: { cluster: { ...quick, tickIntervalMs: 50 } },
      beforeJoin: ({ address }) => void addresses.push(address),
    })
  const nodes = await Promise.all([start(), start()])
  try {
    const ids = ['x', 'y', 'z', 'u', 'v']
    for (const node of nodes) {
      for (const id of ids) expect(await node.entity(Counter, id).increment()).toBeGreaterThan(0)
    }
    expect(nodes.map(({ cluster }) => cluster.state.members.length)).toEqual([2, 2])
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
})

test('a discovery that cannot be used is refused with all that is wrong', async () => {
  const discovery = { dns: 'no name', requiredNodes: 0.5 }
  expect(await problemsOf({ store: 'memory', seeds: ['a:1'], discovery })).toEqual([
    expect.stringContaining('discovery.dns must be the full name'),
    expect.stringContaining('discovery.requiredNodes must be a whole number'),
    'discovery.port is needed: all nodes found by A or AAAA records listen on the same one',
    'seeds and discovery are two ways to find the same nodes: give only one',
  ])
  expect(
    await problemsOf({ store: 'memory', settings: { cluster: { discoveryStillMs: 1_500 } } }),
  ).toEqual([expect.stringContaining('discoveryStillMs (1500) must be at least twice')])
})
