import { expect, test } from 'vitest'
import { unreachableMembers } from '../../src/cluster/gossip/convergence.ts'
import { memberOf } from '../../src/cluster/gossip/gossip.ts'
import type { Address } from '../../src/foundation/node-id.ts'
import { Network, type Node } from './network.ts'
import { nobodyIsGivenUp } from './waits.ts'

const addresses: readonly Address[] = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1']

function five(seed: number): Network {
  const network = new Network({ seed, settings: nobodyIsGivenUp })
  for (const address of addresses) network.start(address, ['a:1'])
  network.runUntil('five Up', () => network.isWhole, 20_000)
  return network
}

/** Everybody misses exactly those whom the cut has taken from it; those in `late` need not be known to all. */
function missesTheRest(
  network: Network,
  island: readonly Node[],
  late: readonly Node[] = [],
): boolean {
  return network.alive.every((node) => {
    const isInside = island.includes(node)
    const expected = network.alive
      .filter((other) => island.includes(other) !== isInside)
      .filter((other) => !late.includes(other))
      .map(({ id }) => id)
    const missed = unreachableMembers(node.machine.gossip, node.id)
    return missed.size === expected.length && expected.every((id) => missed.has(id))
  })
}

test.each([1, 2, 3, 4, 5])(
  'CL-011 one that is isolated, and two islands, heal (seed %i)',
  (seed) => {
    const network = five(seed)
    const [a, b, c, d, e] = network.nodes as [Node, Node, Node, Node, Node]
    for (const [here, there] of [
      [[a], [b, c, d, e]],
      [
        [a, b],
        [c, d, e],
      ],
    ] as const) {
      network.cut(here, there)
      network.runUntil('all miss the others', () => missesTheRest(network, here), 30_000)
      network.heal()
      network.runUntil('all is well', () => network.isWhole, 30_000)
      expect(network.alive).toHaveLength(5)
    }
  },
)

test.each([1, 2, 3])('CL-011 who joins an island is Up when it heals (seed %i)', (seed) => {
  const network = five(seed)
  const [a] = network.nodes as [Node]
  network.machines.cut(['a:1', 'f:1', 'g:1'], addresses.slice(1))
  const late = ['f:1', 'g:1'].map((address) => network.start(address, ['a:1']))
  const areIn = (): boolean =>
    late.every(({ id, machine }) => memberOf(machine.gossip, id)?.status === 'Joining')
  network.runUntil('both are let in', areIn, 30_000)
  network.runUntil('all miss the others', () => missesTheRest(network, [a, ...late], late), 30_000)
  network.heal()
  network.runUntil('seven Up', () => network.isWhole, 60_000)
  expect(network.alive).toHaveLength(7)
})
