import { expect, test } from 'vitest'
import { IncompatibleSettings } from '../../src/cluster/index.ts'
import { defineEntity } from '../../src/index.ts'
import { RegionRefused } from '../../src/sharding/index.ts'
import { differencesOf } from '../../src/sharding/type-identity.ts'
import { Simulation, startSimulatedNode } from '../../src/simulation/index.ts'
import { answerOf, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const cartWith = (numberOfShards: number) =>
  defineEntity('Cart', {
    state: () => ({ items: 0 }),
    events: { Added: (state) => ({ items: state.items + 1 }) },
    commands: { add: (self) => self.persist('Added').items },
    numberOfShards,
  })

test('SH-050 a node with other settings does not start, and the cluster stays as it was', async () => {
  await using simulation = new Simulation({ seed: 1 })
  const seeds = ['a:2552']
  const [ours, theirs] = [cartWith(12), cartWith(20)]
  const a = await simulation.settle(
    startSimulatedNode(simulation, 'a', { entities: [ours], seeds }),
  )
  const begunMs = simulation.now
  const joining = startSimulatedNode(simulation, 'b', { entities: [theirs], seeds })
  const error: unknown = await simulation.settle(joining.catch((reason: unknown) => reason))
  expect(error).toBeInstanceOf(IncompatibleSettings)
  expect(String(error)).toContain('its numberOfShards is 20, that of the cluster 12')
  expect(simulation.now - begunMs).toBeLessThan(5_000)
  expect(await simulation.settle(a.entity(ours, 'x').add())).toBe(1)
  await simulation.run({ for: '20s' })
  expect(a.cluster.state.members.map(({ node }) => node)).toEqual([a.id])
  expect(simulation.violations).toEqual([])
})

class Named extends ByNumber {
  readonly extractorId: string

  constructor(extractorId: string) {
    super(12)
    this.extractorId = extractorId
  }
}

test('SH-050 all differences are told at once', async () => {
  await play(
    async (scene) => {
      const init =
        (extractorId: string, numberOfShards: number) =>
        (node: ShardingNode): void =>
          hostCounters(node, { extractor: new Named(extractorId), settings: { numberOfShards } })
      const a = await scene.start('a', { init: init('by-number@1', 12) })
      const b = await scene.start('b', { init: init('by-number@2', 24) })
      const refused: unknown = await scene.settle(countOf(b, '1').catch((error: unknown) => error))
      expect(refused).toBeInstanceOf(RegionRefused)
      const { problem } = refused as RegionRefused
      expect(problem).toContain('its numberOfShards is 24, that of the cluster 12')
      expect(problem).toContain(
        "its extractorId is 'by-number@2', that of the cluster 'by-number@1'",
      )
      expect(problem).toContain('give all nodes the same and restart this one')
      expect(b.sharding.isReady().isReady).toBe(false)
      expect((await scene.settle(countOf(a, '1'))).node).toBe(a.id)
    },
    { seeds: 2 },
  )
})

test('SH-050 a host with other settings than the next coordinator is refused by it, and its shards move', async () => {
  await play(
    async (scene) => {
      const hosting = (extractor: ByNumber) => (node: ShardingNode) =>
        hostCounters(node, { extractor, settings: { numberOfShards: 12 } })
      // A rule without a name may be any of them, so the first coordinator lets both in.
      const a = await scene.start('a', { init: hosting(new ByNumber(12)) })
      const b = await scene.start('b', { init: hosting(new Named('by-number@1')) })
      const c = await scene.start('c', { init: hosting(new Named('by-number@2')) })
      const ids = Array.from({ length: 12 }, (_, index) => `${index}`)
      const before = await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
      expect(before.filter(({ node }) => node === c.id).length).toBeGreaterThan(0)
      await scene.settle(a.system.terminate())
      const refusal = () => c.sharding.regionState('Counter').refusal
      const what = { what: 'c is refused', within: '60s' } as const
      await scene.simulation.runUntil(() => refusal() !== undefined, what)
      expect(refusal()).toContain("its extractorId is 'by-number@2', that of the cluster")
      const after = await scene.settle(Promise.all(ids.map((id) => answerOf(b, id))))
      expect(after.every(({ node }) => node === b.id)).toBe(true)
      expect(c.sharding.regionState('Counter').shards).toEqual([])
      const failed: unknown = await scene.settle(countOf(c, '1').catch((error: unknown) => error))
      expect(failed).toBeInstanceOf(RegionRefused)
    },
    { seeds: 5 },
  )
})

test('SH-050 remembering, role and lease are compared where both say them, and not with proxies', () => {
  const ours = {
    ...{ numberOfShards: 12, extractorId: 'x', rememberEntities: false, role: '', useLease: false },
  }
  const theirs = { numberOfShards: 12, rememberEntities: true, role: 'cart', useLease: true }
  const words = differencesOf({ ...theirs, isProxy: false }, ours)
  expect(words.map((text) => text.split(' ')[1])).toEqual(['rememberEntities', 'role', 'useLease'])
  expect(differencesOf({ ...theirs, isProxy: true }, ours)).toEqual([])
  // A node of an older release says nothing.
  expect(differencesOf({ numberOfShards: 12, isProxy: false }, ours)).toEqual([])
})

test('SH-050 an extractor without a name is none of ours, and may be any other', () => {
  const say = (extractorId: string) => ({ extractorId, numberOfShards: 12, isProxy: true })
  const unnamed = say('unnamed')
  // Who gives a name to the rule that all have does so node by node.
  expect(differencesOf(say('by-country@1'), unnamed)).toEqual([])
  expect(differencesOf(unnamed, say('by-country@1'))).toEqual([])
  // Most likely it was forgotten: then one entity would be in two shards.
  expect(differencesOf(say('stable-hash@1/12'), unnamed)).toEqual([
    "its extractorId is 'stable-hash@1/12', that of the cluster not given, and they must be the same, or one entity would be in two shards",
  ])
  expect(differencesOf(unnamed, say('murmur2@1/12'))).toHaveLength(1)
})
