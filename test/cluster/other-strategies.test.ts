import { describe, expect, test } from 'vitest'
import type { CutDecision } from '../../src/cluster/downing/clean-cut.ts'
import type { DowningStrategy } from '../../src/cluster/downing/downing-strategy.ts'
import type { Member } from '../../src/cluster/gossip/member.ts'
import type { Address } from '../../src/foundation/node-id.ts'
import { Network, type Node } from './network.ts'

// The port of downing strategies, by two that count nothing: nodes and machines know no majority besides the strategy.

const addresses: readonly Address[] = ['a:1', 'b:1', 'c:1']
const names = (nodes: readonly Node[]) => nodes.map(({ address }) => address[0]).join('')
const nameOf = ({ node }: Member) => node[0]!

/** The side with this member goes on, however small. */
function keep(name: string): DowningStrategy {
  return {
    decide: ({ members, unreachable }) =>
      members.some((member) => nameOf(member) === name && !unreachable.has(member.node))
        ? 'DownUnreachable'
        : 'DownReachable',
    weigh: ({ electorate, answered, left }) => {
      const kept = electorate.find((member) => nameOf(member) === name)
      if (kept === undefined || answered.has(kept.node)) return 'vouched'
      return left.has(kept.node) ? 'open' : 'hopeless'
    },
  }
}

/** Whoever asks first goes on, as with a lease: the side of the lowest address asks first. All hold still meanwhile. */
const firstCome: DowningStrategy = {
  decide: ({ members, unreachable }) => {
    const isLowestHere = !unreachable.has(members[0]!.node)
    const here = members.filter(({ node }) => !unreachable.has(node)).map(nameOf)
    return { question: here.join(''), askAfterMs: isLowestHere ? 0 : 3_000, freezeAfterMs: 0 }
  },
  weigh: ({ self, electorate, answered }) =>
    electorate.every(({ node }) => node === self || answered.has(node)) ? 'vouched' : 'open',
}

function lease() {
  let holder: string | undefined
  const questions: string[] = []
  const arbiter = (side: string): CutDecision => {
    questions.push(side)
    holder ??= side
    return holder === side ? 'DownUnreachable' : 'DownReachable'
  }
  return { questions, arbiter }
}

type Arbiter = (question: string) => CutDecision | undefined

function cluster(size: number, strategy: DowningStrategy, arbiter?: Arbiter): Network {
  const network = new Network({ strategy, ...(arbiter && { arbiter }) })
  for (const address of addresses.slice(0, size)) network.start(address, addresses)
  network.runUntil('a whole cluster', () => network.isWhole && network.alive.length === size, 30e3)
  network.run(5_000)
  return network
}

describe('a strategy that keeps one node', () => {
  test.each([
    ['c', 'c'],
    ['c', 'ab'],
    ['b', 'ac'],
  ])('leaves the side with %s of a cut around %s', (kept, here) => {
    const network = cluster(3, keep(kept))
    const side = network.nodes.filter(({ address }) => here.includes(address[0]!))
    const others = network.nodes.filter((node) => !side.includes(node))
    network.cut(side, others)
    network.run(40_000)
    const survivors = here.includes(kept) ? side : others
    expect(names(network.alive)).toBe(names(survivors))
    expect(network.isWhole).toBe(true)
  })

  test('is asked whether a sleeper may go on: its word is enough, and that of most others is not', () => {
    const network = cluster(3, keep('a'))
    const [a, , c] = network.nodes as [Node, Node, Node]
    network.sleep(c, 3_000)
    network.run(2_999)
    network.cut([a], [c])
    network.run(3_000)
    expect(c.machine.snapshot().frozen).toContain('paused')
    network.heal()
    network.runUntil('a word of a', () => !c.machine.isFrozen, 10_000)
  })
})

describe('a strategy with an arbiter', () => {
  test('lets whoever is left of two live on, be it the lower or not', () => {
    for (const victim of [0, 1]) {
      const { questions, arbiter } = lease()
      const network = cluster(2, firstCome, arbiter)
      network.crash(network.nodes[victim]!, { silent: true })
      network.run(40_000)
      expect(names(network.alive)).toBe(victim === 0 ? 'b' : 'a')
      expect(network.isWhole).toBe(true)
      expect(questions).toEqual([names(network.alive)])
    }
  })

  test('ends the side that comes second, frozen before', () => {
    for (const here of ['a', 'b', 'c']) {
      const { arbiter } = lease()
      const network = cluster(3, firstCome, arbiter)
      const side = network.nodes.filter(({ address }) => address[0] === here)
      const others = network.nodes.filter((node) => !side.includes(node))
      network.cut(side, others)
      network.run(40_000)
      expect(names(network.alive)).toBe(here === 'a' ? 'a' : names(others))
      expect(network.isWhole).toBe(true)
    }
  })

  test('gives up nobody while the arbiter cannot say, and is whole again when the split heals', () => {
    const network = cluster(3, firstCome, () => undefined)
    network.cut(network.nodes.slice(0, 1), network.nodes.slice(1))
    network.run(60_000)
    const statuses = network.alive.flatMap(({ machine }) => machine.gossip.members)
    expect(statuses.map(({ status }) => status)).toEqual(Array(9).fill('Up'))
    expect(network.alive.map(({ machine }) => machine.isFrozen)).toEqual([true, true, true])
    network.heal()
    network.runUntil('healing', () => network.isWhole, 20_000)
  })
})
