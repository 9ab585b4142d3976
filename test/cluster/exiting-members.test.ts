/** Members that take their time to hand over, while links around them break and nodes around them sleep. */
import { describe, expect, test } from 'vitest'
import type { ClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { memberOf } from '../../src/cluster/gossip/gossip.ts'
import { Network, type Node } from './network.ts'

function whole(size: number, exitingTasksMs: number, settings: Partial<ClusterSettings> = {}) {
  const network = new Network({ exitingTasksMs, settings })
  const addresses = Array.from({ length: size }, (_, at) => `${String.fromCharCode(97 + at)}:1`)
  for (const address of addresses) network.start(address, addresses)
  network.runUntil('whole', () => network.isWhole && network.alive.length === size, 60_000)
  network.run(5_000)
  return network
}

function makeExiting(network: Network, leaving: readonly Node[]): void {
  for (const node of leaving) network.give(node, { type: 'Leave', node: node.id })
  const isExiting = ({ machine }: Node) =>
    leaving.every(({ id }) => memberOf(machine.gossip, id)?.status === 'Exiting')
  network.runUntil('exiting', () => network.nodes.every(isExiting), 30_000)
}

describe('members that hand over', () => {
  // In time or not, and with the link whole again before anybody decides.
  test.each([
    [60_000, Infinity],
    [8_000, Infinity],
    [9_000, 9_500],
  ])('cost nobody else when one link of theirs breaks: %d %d', (exitingTasksMs, healAfter) => {
    const network = whole(4, exitingTasksMs)
    const [a, b, c, d] = network.nodes as [Node, Node, Node, Node]
    makeExiting(network, [d])
    network.cut([b], [d])
    network.run(Math.min(healAfter, 40_000))
    network.heal()
    network.run(30_000)
    expect([a, b, c].map(({ ended }) => ended)).toEqual([undefined, undefined, undefined])
  })

  test.each([1, 2, 3])('do not flood the network: %d of them', (count) => {
    const network = whole(4, 8_000)
    makeExiting(network, network.nodes.slice(-count))
    for (let second = 0; second < 6; second++) {
      const before = network.messages
      network.run(1_000)
      expect(network.messages - before).toBeLessThan(200)
    }
  })

  test.each([false, true])('keep nobody frozen who slept; another dies: %s', (dies) => {
    const network = whole(7, 60_000, { monitoredByMembers: 2 })
    network.checks.isClean = false
    const { nodes } = network
    const monitors = (from: Node, to: Node) =>
      from.machine.snapshot().heartbeat.receivers.includes(to.id)
    const leader = nodes[0]!
    const leaving = nodes.find((node) => monitors(node, leader) && !monitors(leader, node))!
    makeExiting(network, [leaving])
    network.cut([leaving], [leader])
    network.run(10_000)
    expect([leader, leaving].map(({ machine }) => machine.isFrozen)).toEqual([false, false])
    network.sleep(leader, 3_000)
    network.run(4_000)
    const another = nodes.find((node) => node !== leader && node !== leaving)!
    if (dies) network.crash(another, { silent: true })
    network.run(31_000)
    expect([leader.machine.isFrozen, leader.ended]).toEqual([false, undefined])
  })

  test('freeze before they are removed when they are cut off together', () => {
    const network = whole(14, 90_000, { monitoredByMembers: 2 })
    network.checks.isClean = false
    const [rest, leaving] = [network.nodes.slice(0, -3), network.nodes.slice(-3)]
    makeExiting(network, leaving)
    network.cut(leaving, rest)
    const isKnown = ({ id }: Node) => rest.every(({ machine }) => memberOf(machine.gossip, id))
    network.runUntil('frozen', () => leaving.every(({ machine }) => machine.isFrozen), 30_000, 250)
    expect(leaving.map(isKnown)).toEqual([true, true, true])
    network.runUntil('removed', () => !leaving.some(isKnown), 30_000, 250)
  })
})
