import { describe, expect, test } from 'vitest'
import { JoinFailed } from '../../src/cluster/index.ts'
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { simulate, type Simulation, startSimulatedNode } from '../../src/simulation/index.ts'
import { Network } from './network.ts'

const Counter = defineEntity('Counter', {
  state: () => ({ count: 0 }),
  events: { Incremented: (state) => ({ count: state.count + 1 }) },
  commands: { increment: (self) => self.persist('Incremented').count },
})

const seeds = ['a:2552', 'b:2552', 'c:2552']
const ids = Array.from({ length: 9 }, (_, index) => `counter-${index}`)

async function three(simulation: Simulation): Promise<SherdNode[]> {
  const start = (name: string) =>
    startSimulatedNode(simulation, name, { entities: [Counter], seeds })
  const nodes = await simulation.settle(Promise.all(['a', 'b', 'c'].map(start)))
  await simulation.settle(Promise.all(ids.map((id) => nodes[0]!.entity(Counter, id).increment())))
  return nodes
}

describe('CL-015 a whole cluster is prepared for its stop', () => {
  test('by one: all become ready, an outsider is not let in, and the leaves are quick and move nothing', async () => {
    await simulate('full shutdown', {
      seeds: 5,
      scenario: async (simulation) => {
        const nodes = await three(simulation)
        const told = nodes.map((node) => {
          const types: string[] = []
          node.cluster.subscribe(({ type }) => {
            if (type.endsWith('ForShutdown')) types.push(type)
          })
          return types
        })
        expect(nodes.map(({ cluster }) => cluster.shutdownPhase)).toEqual(['none', 'none', 'none'])
        expect(await simulation.settle(nodes[0]!.prepareForShutdown())).toEqual([])
        await simulation.runUntil(() =>
          nodes.every(({ cluster }) => cluster.shutdownPhase === 'ready'),
        )
        // Again, and by another: it is no news.
        await simulation.settle(nodes[1]!.prepareForShutdown())
        expect(told).toEqual(nodes.map(() => ['PreparingForShutdown', 'ReadyForShutdown']))
        for (const { sharding } of nodes) {
          expect(sharding.regionState('Counter').isPreparingForShutdown).toBe(true)
        }

        const outsider = startSimulatedNode(simulation, 'd', { entities: [Counter], seeds })
        const refusal = await simulation.settle(outsider.catch((error: unknown) => error))
        expect(refusal).toBeInstanceOf(JoinFailed)
        expect(String(refusal)).toContain('is about to be stopped and lets nobody in')
        expect(nodes[0]!.cluster.state.members).toHaveLength(3)

        const calls = ids.map((id) => nodes[0]!.entity(Counter, id).increment())
        expect(await simulation.settle(Promise.all(calls))).toEqual(ids.map(() => 2))
        for (const node of nodes) {
          const begun = simulation.now
          await simulation.settle(node.stop())
          expect(simulation.now - begun).toBeLessThan(10_000)
        }
      },
    })
  })

  test('a first seed that comes in the midst of it founds no second cluster, and one that comes after it does', async () => {
    await simulate('first seed during the stop', {
      seeds: 3,
      scenario: async (simulation) => {
        const nodes = await three(simulation)
        await simulation.settle(nodes[2]!.prepareForShutdown())
        await simulation.settle(nodes[0]!.stop())
        const early = startSimulatedNode(simulation, 'a', { entities: [Counter], seeds })
        expect(await simulation.settle(early.catch((error: unknown) => error))).toBeInstanceOf(
          JoinFailed,
        )
        for (const node of nodes.slice(1)) await simulation.settle(node.stop())
        await simulation.runUntil(() => !['a', 'b', 'c'].some((name) => simulation.isAlive(name)))
        const again = await simulation.settle(
          startSimulatedNode(simulation, 'a', { entities: [Counter], seeds }),
        )
        expect(again.cluster.shutdownPhase).toBe('none')
        expect(await simulation.settle(again.entity(Counter, ids[0]!).increment())).toBe(2)
      },
    })
  })

  test('one that was only joining leaves by itself', () => {
    const network = new Network()
    const addresses = ['a:1', 'b:1', 'c:1']
    for (const address of addresses) network.start(address, addresses)
    network.runUntil('all are up', () => network.isWhole, 20_000)
    // One that cannot be reached keeps the newcomer from being let in.
    network.crash(network.latest('c:1'), { silent: true })
    const cutOff = (): boolean =>
      network.latest('a:1').machine.gossip.reachability.some(({ rows }) => rows.length > 0)
    network.runUntil('c is unreachable', cutOff, 20_000)
    const newcomer = network.start('d:1', addresses)
    const isIn = (): boolean => newcomer.machine.gossip.members.length === 4
    network.runUntil('it is joining', isIn, 10_000)
    network.give(network.latest('b:1'), { type: 'PrepareForShutdown' })
    network.runUntil('it has left', () => newcomer.ended === 'leaving', 20_000)
    const isGone = (): boolean => network.latest('a:1').machine.gossip.members.length === 2
    network.runUntil('it is removed', isGone, 20_000)
    for (const { machine } of network.alive) {
      expect(machine.snapshot().membership.isReady).toBe(true)
    }
  })

  test('who cannot be reached keeps the others from being ready, until it is given up', () => {
    const network = new Network()
    const addresses = ['a:1', 'b:1', 'c:1', 'd:1']
    for (const address of addresses) network.start(address, addresses)
    network.runUntil('all are up', () => network.isWhole, 20_000)
    const [a, b, c, d] = addresses.map((address) => network.latest(address))
    network.cut([a!, b!, c!], [d!])
    network.run(500)
    network.give(a!, { type: 'PrepareForShutdown' })
    network.run(1_000)
    expect(a!.machine.snapshot().membership).toMatchObject({ isReady: false })
    const isReady = (): boolean =>
      [a, b, c].every((node) => node!.machine.snapshot().membership.isReady)
    network.runUntil('the others are ready', isReady, 30_000)
    expect(a!.machine.gossip.members).toHaveLength(3)
  })
})
