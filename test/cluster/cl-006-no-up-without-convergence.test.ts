import { expect, test } from 'vitest'
import { memberOf } from '../../src/cluster/gossip/gossip.ts'
import { Network, type Node } from './network.ts'
import { nobodyIsGivenUp } from './waits.ts'

/** What one says of another. */
const statusIn = (witness: Node, subject: Node) =>
  memberOf(witness.machine.gossip, subject.id)?.status

test('CL-006 who joins while a member is out of reach stays Joining as long as that is not settled', () => {
  const network = new Network({ settings: nobodyIsGivenUp })
  for (const address of ['a:1', 'b:1', 'c:1']) network.start(address, ['a:1'])
  network.runUntil('three Up', () => network.isWhole, 20_000)
  const [a, b, c] = network.nodes as [Node, Node, Node]
  network.crash(c)
  network.runUntil('c unreachable', () => a.machine.gossip.reachability.length > 0, 20_000)
  const late = network.start('d:1', ['a:1'])
  network.runUntil('d known', () => statusIn(b, late) !== undefined, 10_000)
  for (let second = 0; second < 20; second++) {
    network.run(1_000)
    for (const witness of [a, b, late]) expect(statusIn(witness, late)).toBe('Joining')
  }
  network.give(a, { type: 'Down', nodes: [c.id] })
  network.runUntil('d Up', () => network.isWhole, 10_000)
})

test('CL-006 each side of a split shows who joins it as Joining, and all are Up when it heals', () => {
  for (let seed = 1; seed <= 5; seed++) {
    const network = new Network({ seed, settings: nobodyIsGivenUp })
    for (const address of ['a:1', 'c:1', 'd:1']) network.start(address, ['a:1'])
    network.runUntil('three Up', () => network.isWhole, 20_000)
    const [a, c, d] = network.nodes as [Node, Node, Node]
    network.machines.cut(['a:1', 'b:1'], ['c:1', 'd:1', 'e:1'])
    const isCut = (): boolean => [a, c, d].every((n) => n.machine.gossip.reachability.length > 0)
    network.runUntil('the split', isCut, 20_000)
    const b = network.start('b:1', ['a:1'])
    const e = network.start('e:1', ['d:1'])
    network.runUntil('b known', () => statusIn(b, b) !== undefined, 10_000)
    network.runUntil('e known', () => statusIn(c, e) !== undefined, 10_000)
    network.run(10_000)
    const sides: readonly (readonly [Node[], Node])[] = [
      [[a, b], b],
      [[c, d, e], e],
    ]
    for (const [side, newcomer] of sides) {
      for (const witness of side) {
        expect(witness.machine.gossip.members).toHaveLength(4)
        expect(statusIn(witness, newcomer)).toBe('Joining')
      }
    }
    network.heal()
    network.runUntil('five Up', () => network.isWhole, 30_000)
    expect(network.alive).toHaveLength(5)
  }
})
