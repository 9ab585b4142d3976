import { describe, expect, test } from 'vitest'
import type { SherdNode } from '../../src/node/index.ts'
import { type Simulation, simulate, startSimulatedNode } from '../../src/simulation/index.ts'
import { Network, type Node } from './network.ts'

const pruneTombstonesAfterMs = 60_000
const dayMs = 86_400_000

const hasTombstones = (node: SherdNode): boolean =>
  node.cluster.snapshot().membership.gossip.tombstones.length > 0

/** Three of four, after the fourth has crashed and was removed, with wall clocks days apart. */
async function skewedSurvivors(simulation: Simulation, skewMs: number): Promise<SherdNode[]> {
  const names = ['a', 'b', 'c', 'd']
  const seeds = names.map((name) => `${name}:2552`)
  const settings = { cluster: { pruneTombstonesAfterMs } }
  const starting = names.map((name) => startSimulatedNode(simulation, name, { seeds, settings }))
  const nodes = await simulation.settle(Promise.all(starting))
  // Whoever leads removes and forgets: its clock is not that of the others, before and after.
  simulation.stepWallClock('a', skewMs)
  simulation.stepWallClock('c', -skewMs)
  simulation.crash('d')
  const survivors = nodes.slice(0, 3)
  await simulation.runUntil(() => survivors.every(hasTombstones), { what: 'the removal of d' })
  simulation.stepWallClock('a', skewMs)
  return survivors
}

describe('a removed member is remembered for as long as was set, whatever the wall clocks say', () => {
  test.each([
    ['goes before', 3 * dayMs],
    ['lags behind', -3 * dayMs],
  ])('the clock of the leader %s', async (_, skewMs) => {
    await simulate('skewed wall clocks', {
      seeds: 2,
      scenario: async (simulation) => {
        const survivors = await skewedSurvivors(simulation, skewMs)
        await simulation.run({ for: '50s' })
        expect(survivors.map(hasTombstones)).toEqual([true, true, true])
        await simulation.run({ for: '15s' })
        expect(survivors.map(hasTombstones)).toEqual([false, false, false])
      },
    })
  })

  test('a newcomer that leads at once has been told how old they are', () => {
    const network = new Network({ settings: { pruneTombstonesAfterMs } })
    const seeds = ['b:1', 'c:1', 'd:1']
    const [b, c, d] = seeds.map((seed) => network.start(seed, seeds)) as [Node, Node, Node]
    network.runUntil('three members', () => network.isWhole, 30_000)
    network.crash(d)
    const tombstones = (node: Node) => node.machine.gossip.tombstones
    network.runUntil('its removal', () => tombstones(b).length > 0, 30_000)
    network.run(pruneTombstonesAfterMs - 20_000)
    const a = network.start('a:1', seeds)
    network.runUntil('the newcomer', () => network.isWhole, 10_000)
    const members = a.machine.gossip.members.map(({ node }) => node)
    expect(members[0]).toBe(a.id)
    for (const node of [a, b, c]) expect(tombstones(node)).toEqual([d.id])

    network.runUntil('the end of the tombstone', () => tombstones(a).length === 0, 21_000)
    network.runUntil('its end everywhere', () => tombstones(c).length === 0, 5_000)
    network.run(2 * pruneTombstonesAfterMs)
    for (const node of [a, b, c]) expect(tombstones(node)).toEqual([])
  })
})
