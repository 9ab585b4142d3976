import { expect, test } from 'vitest'
import { statusOfPair } from '../../src/cluster/gossip/reachability.ts'
import { Network, type Node } from './network.ts'
import { nobodyIsGivenUp } from './waits.ts'

const settings = { ...nobodyIsGivenUp, phiThreshold: 4 }

function three(seed: number): [Network, Node, Node, Node] {
  const network = new Network({ seed, settings })
  for (const address of ['a:1', 'b:1', 'c:1']) network.start(address, ['a:1'])
  return [network, ...(network.nodes as [Node, Node, Node])]
}

/** By the word of the first. */
const isAvailable = (observer: Node, subject: Node): boolean =>
  statusOfPair(observer.machine.gossip.reachability, observer.id, subject.id) === 'Reachable'

test('CL-010 silence is found also where no sign of life ever came', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const [network, a, b] = three(seed)
    const know = (): boolean => [a, b].every(({ machine }) => machine.gossip.members.length >= 2)
    network.runUntil('they know each other', know, 20_000, 1)
    network.cut([a], [b])
    const tookMs = network.runUntil('b misses a', () => !isAvailable(b, a), 15_000)
    expect(tookMs).toBeLessThanOrEqual(15_000)
  }
})

test('CL-010 only the two ends of a broken link miss each other, until it heals, and one that dies is missed by all', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const [network, a, b, c] = three(seed)
    network.runUntil('three Up', () => network.isWhole, 20_000)
    network.run(5_000)
    network.cut([a], [b])
    network.runUntil('they miss each other', () => !isAvailable(a, b) && !isAvailable(b, a), 15_000)
    network.run(5_000)
    for (const other of [a, b]) {
      expect(isAvailable(other, c)).toBe(true)
      expect(isAvailable(c, other)).toBe(true)
    }
    network.heal()
    network.runUntil('all is well', () => network.isWhole, 20_000)
    network.crash(c, { silent: true })
    network.runUntil('c is missed', () => !isAvailable(a, c) && !isAvailable(b, c), 15_000)
    network.run(5_000)
    expect([isAvailable(a, b), isAvailable(b, a)]).toEqual([true, true])
  }
})
