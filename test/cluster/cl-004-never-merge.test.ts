import { expect, test } from 'vitest'
import type { SherdNode } from '../../src/node/index.ts'
import { simulate, startSimulatedNode } from '../../src/simulation/index.ts'

const membersOf = ({ cluster }: SherdNode): string[] =>
  cluster.state.members.map(({ node, status }) => `${node.slice(0, 2)} ${status}`)

test('CL-004 two running clusters never merge, whoever is told to join whom', async () => {
  await simulate('never merge', {
    seeds: 5,
    scenario: async (simulation) => {
      const start = (name: string, seed: string) =>
        startSimulatedNode(simulation, name, { seeds: [`${seed}:2552`] })
      const [a1, a2, b1, b2, c1] = await simulation.settle(
        Promise.all([
          start('a1', 'a1'),
          start('a2', 'a1'),
          start('b1', 'b1'),
          start('b2', 'b1'),
          start('c1', 'c1'),
        ]),
      )
      const nodes = [a1, a2, b1, b2, c1]
      const before = [
        ...[a1, a2].map(() => ['a1 Up', 'a2 Up']),
        ...[b1, b2].map(() => ['b1 Up', 'b2 Up']),
        ['c1 Up'],
      ]
      const isSettled = () => JSON.stringify(nodes.map(membersOf)) === JSON.stringify(before)
      await simulation.runUntil(isSettled, { what: 'three clusters' })
      simulation.always('the clusters stay as they are', isSettled)
      b1.cluster.join(a1.address)
      b2.cluster.join(c1.address)
      c1.cluster.joinSeeds([a2.address, a1.address])
      await simulation.run({ for: '5s' })
      expect(nodes.map(membersOf)).toEqual(before)
      const warned = simulation.lastEvents(1_000).filter(({ text }) => /joins no other/.test(text))
      expect(new Set(warned.map(({ place }) => place))).toEqual(new Set(['b1#1', 'b2#1', 'c1#1']))
    },
  })
})
