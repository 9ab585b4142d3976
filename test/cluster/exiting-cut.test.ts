import { expect, test } from 'vitest'
import { memberOf } from '../../src/cluster/gossip/gossip.ts'
import { Network, type Node } from './network.ts'

// Hand-over in time or not, and with the link whole again before anybody decides. Nobody listens to one on its way out.
test.each([
  [60_000, Infinity],
  [8_000, Infinity],
  [9_000, 9_500],
])('one broken link of an exiting member costs nobody else: %d %d', (exitingTasksMs, healAfter) => {
  const network = new Network({ exitingTasksMs })
  const addresses = ['a:1', 'b:1', 'c:1', 'd:1']
  for (const address of addresses) network.start(address, addresses)
  network.runUntil('whole', () => network.isWhole && network.alive.length === 4, 30_000)
  network.run(5_000)
  const [a, b, c, d] = network.nodes as [Node, Node, Node, Node]
  network.give(d, { type: 'Leave', node: d.id })
  const isExiting = (node: Node) => memberOf(node.machine.gossip, d.id)?.status === 'Exiting'
  network.runUntil('exiting', () => network.nodes.every(isExiting), 10_000)
  network.cut([b], [d])
  network.run(Math.min(healAfter, 40_000))
  network.heal()
  network.run(30_000)
  expect([a, b, c].map(({ ended }) => ended)).toEqual([undefined, undefined, undefined])
})
