import { describe, expect, test } from 'vitest'
import { RegionRefused } from '../../src/sharding/index.ts'
import { add, answerOf, counterOn, countOf, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

const withShards =
  (numberOfShards: number) =>
  (node: ShardingNode): void =>
    hostCounters(node, { settings: { numberOfShards } })

const refusalOf = (node: ShardingNode, id: string): Promise<unknown> =>
  countOf(node, id).catch((error: unknown) => error)

/** Nobody needs to look for it: it is said aloud. */
const isLogged = ({ simulation }: Scene, text: string): boolean =>
  simulation
    .lastEvents(5_000)
    .some(
      (event) =>
        event.kind === 'log' && event.text.startsWith('error') && event.text.includes(text),
    )

describe('a node with another number of shards', () => {
  test('is refused, says so, and fails calls at once; the others go on', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init: withShards(12) })
      expect((await scene.settle(countOf(a, 'x'))).node).toBe(a.id)
      const b = await scene.start('b', {
        init: (node) => {
          withShards(20)(node)
          add(node, 'early', 1)
        },
      })
      const begunMs = scene.simulation.now
      const error = await scene.settle(refusalOf(b, 'x'))
      expect(error).toBeInstanceOf(RegionRefused)
      for (const part of ['Counter', '20', '12', 'numberOfShards', 'restart']) {
        expect((error as RegionRefused).message).toContain(part)
      }
      expect(scene.simulation.now - begunMs).toBeLessThan(100)
      expect(b.lost).toMatchObject([
        { type: 'DeadLetter', reason: 'region-refused', message: { type: 'Add' } },
        { type: 'DeadLetter', reason: 'region-refused', message: { type: 'Get' } },
      ])
      expect(isLogged(scene, 'numberOfShards is 20')).toBe(true)
      const { text } = await scene.settle(b.sharding.explain('Counter', 'x'))
      expect(text).toContain('was refused')
      expect(await scene.settle(a.sharding.currentRegions('Counter'))).toEqual(new Set([a.id]))
      expect((await scene.settle(countOf(a, 'y'))).node).toBe(a.id)
      await scene.settle(b.system.terminate())
    })
  })

  test('does not coordinate while others live by the number that is in use', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init: withShards(12) })
      const odd = await scene.start('b', { init: withShards(20) })
      const c = await scene.start('c', { init: withShards(12) })
      const ids = Array.from({ length: 12 }, (_, index) => `id-${index}`)
      await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
      await scene.settle(a.system.terminate())
      await scene.simulation.run({ for: '5s' })
      counterOn(odd, 'x').tell({ type: 'Add', by: 1 })
      await scene.simulation.run({ for: '5s' })
      expect(odd.sharding.regionState('Counter').shards).toEqual([])
      await scene.settle(odd.system.terminate())
      // Now the oldest is one of those that agree.
      expect((await scene.settle(answerOf(c, 'id-0'))).node).toBe(c.id)
    })
  })
})
