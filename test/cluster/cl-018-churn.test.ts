import { expect, test } from 'vitest'
import { defaultClusterSettings } from '../../src/cluster/cluster-settings.ts'
import { clusterProtocol } from '../../src/cluster/cluster-wire.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { Network, type Node } from './network.ts'

const codec = new ValueCodec({ use: 'stored' })
/** As a peer that is lost would be told it. */
function bytesOfGossip({ id, machine: { gossip } }: Node): number {
  const message = { type: 'GossipEnvelope', from: id, to: id, gossip } as const
  return codec.encode(clusterProtocol.pack(message)).length
}

test('CL-018 gossip does not grow with those who come and go', () => {
  const network = new Network({ settings: { pruneTombstonesAfterMs: 1_000 } })
  const stable = ['a:1', 'b:1', 'c:1'].map((address) => network.start(address, ['a:1']))
  const become = (what: string, size: number): void => {
    network.runUntil(what, () => network.isWhole && network.alive.length === size, 60_000)
  }
  become('three Up', 3)
  for (let round = 1; round <= 5; round++) {
    const transient = ['d:1', 'e:1'].map((address) => network.start(address, ['a:1']))
    become(`round ${round}: five Up`, 5)
    for (const { id } of transient) {
      if (round % 2 === 1) network.give(stable[0]!, { type: 'Leave', node: id })
      else network.give(stable[0]!, { type: 'Down', nodes: [id] })
    }
    become(`round ${round}: three left`, 3)
    const isForgotten = (): boolean =>
      stable.every(({ machine: { gossip } }) => gossip.tombstones.length === 0) && network.isWhole
    network.runUntil('nothing left of them', isForgotten, 60_000)
    for (const node of stable) {
      expect(bytesOfGossip(node)).toBeLessThan(1_200)
      const text = JSON.stringify(node.machine.gossip)
      for (const { id } of transient) expect(text).not.toContain(id)
    }
  }
})

test('CL-018 ten join and go one by one, together, by a cut, by leaving and by kill, and agree each time', () => {
  for (let seed = 1; seed <= 3; seed++) {
    const network = new Network({ seed, settings: { ...defaultClusterSettings } })
    const start = (numbers: readonly number[]): Node[] =>
      numbers.map((number) => network.start(`n:${number}`, ['n:1']))
    const agree = (what: string, size: number): void => {
      const isSo = (): boolean => network.isWhole && network.alive.length === size
      network.runUntil(`${what}, seed ${seed}`, isSo, 120_000)
    }
    for (const number of [1, 2, 3, 4]) {
      start([number])
      agree(`${number} joined one by one`, number)
    }
    const many = start([5, 6, 7, 8, 9, 10])
    agree('six joined at once', 10)
    const cutOff = many.slice(0, 2)
    network.cut(
      cutOff,
      network.alive.filter((node) => !cutOff.includes(node)),
    )
    agree('two were cut off and given up', 8)
    network.heal()
    for (const { id } of many.slice(2, 4))
      network.give(network.latest('n:2'), { type: 'Leave', node: id })
    agree('two left', 6)
    for (const node of many.slice(4)) network.crash(node)
    agree('two were killed', 4)
  }
})
