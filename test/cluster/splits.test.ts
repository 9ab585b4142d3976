import { describe, expect, test } from 'vitest'
import { memberOf } from '../../src/cluster/gossip/gossip.ts'
import type { Address } from '../../src/foundation/node-id.ts'
import { Network, type Node } from './network.ts'

const addresses: readonly Address[] = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1']

function cluster(size: number, seed = 1): Network {
  const network = new Network({ seed })
  for (const address of addresses.slice(0, size)) network.start(address, addresses)
  network.runUntil('a whole cluster', () => network.isWhole && network.alive.length === size, 30e3)
  network.run(5_000)
  return network
}

const names = (nodes: readonly Node[]) => nodes.map(({ address }) => address[0]).join('')

describe('clean splits', () => {
  test('of three to five members leave exactly the majority alive, frozen losers, whole in the end', () => {
    for (const size of [3, 4, 5]) {
      for (let mask = 1; mask < 2 ** (size - 1); mask++) {
        const network = cluster(size, mask)
        const isHere = (_: Node, index: number) => ((mask >> index) & 1) === 1
        const here = network.nodes.filter(isHere)
        const there = network.nodes.filter((node) => !here.includes(node))
        network.cut(here, there)
        network.run(40_000)
        // The lowest address decides between equals.
        const isHereLarger =
          here.length === there.length
            ? here.includes(network.nodes[0]!)
            : here.length > there.length
        expect(names(network.alive)).toBe(names(isHereLarger ? here : there))
        expect(network.isWhole).toBe(true)
      }
    }
  })

  test('that heal in time cost nobody', () => {
    const network = cluster(5)
    network.cut(network.nodes.slice(0, 2), network.nodes.slice(2))
    network.run(9_000)
    expect(names(network.alive.filter(({ machine }) => machine.isFrozen))).toBe('ab')
    network.heal()
    network.runUntil('healing', () => network.isWhole, 10_000)
    expect(network.alive).toHaveLength(5)
  })

  test('into three parts without a majority end all of them', () => {
    const network = cluster(5)
    const [ab, cd, e] = [
      network.nodes.slice(0, 2),
      network.nodes.slice(2, 4),
      network.nodes.slice(4),
    ]
    network.cut(ab, [...cd, ...e])
    network.cut(cd, e)
    network.run(40_000)
    expect(network.alive).toEqual([])
  })

  test('with a newcomer in flight never leave two survivors', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const network = cluster(3, seed)
      network.start('d:1', addresses)
      network.run(network.random.below(400))
      const { nodes } = network
      const side = nodes.filter(() => network.random.chance(0.5))
      network.cut(
        side,
        nodes.filter((node) => !side.includes(node)),
      )
      network.run(60_000)
      const up = network.alive.filter(
        ({ id, machine }) => memberOf(machine.gossip, id)?.status === 'Up',
      )
      const worlds = new Set(
        up.map(({ machine }) => machine.gossip.members.map(({ node }) => node).join()),
      )
      expect(worlds.size).toBeLessThanOrEqual(1)
    }
  })
})

describe('links that are only half broken', () => {
  test('a one-way cut between two of five ends with one cluster without both', () => {
    const network = cluster(5)
    network.checks.isClean = false
    network.cut([network.nodes[1]!], [network.nodes[3]!], { oneWay: true })
    network.run(60_000)
    expect(names(network.alive)).toBe('ace')
    expect(network.isWhole).toBe(true)
  })

  test('a one-way cut around one node ends without that node', () => {
    const network = cluster(3)
    network.checks.isClean = false
    network.cut([network.nodes[2]!], network.nodes.slice(0, 2), { oneWay: true })
    network.run(60_000)
    expect(names(network.alive)).toBe('ab')
    expect(network.isWhole).toBe(true)
  })

  test('lost messages and late ones delay, but break nothing', () => {
    const network = cluster(5)
    network.checks.isClean = false
    network.dropProbability = 0.2
    network.run(120_000)
    network.dropProbability = 0
    network.runUntil('calm', () => network.isWhole, 30_000)
    expect(network.alive).toHaveLength(5)
  })

  test('a link that flaps for long ends with at most one cluster', () => {
    let survivors = 0
    for (let seed = 1; seed <= 20; seed++) {
      const network = cluster(5, seed)
      network.checks.isClean = false
      for (let round = 0; round < 8; round++) {
        const side = network.alive.filter(() => network.random.chance(0.4))
        network.cut(
          side,
          network.alive.filter((node) => !side.includes(node)),
        )
        network.run(network.random.below(9_000))
        network.heal()
        network.run(network.random.below(3_000))
      }
      network.run(60_000)
      const worlds = new Set(
        network.alive.map(({ machine }) => machine.gossip.members.map(({ node }) => node).join()),
      )
      expect(worlds.size).toBeLessThanOrEqual(1)
      survivors += network.alive.length
    }
    expect(survivors).toBeGreaterThan(0)
  })
})
