/** Entities of the classic shape: a parent that supervises stands between the shard and what does the work. */
import { describe, expect, test } from 'vitest'
import { Behaviors, SupervisorStrategy } from '../../src/actor/index.ts'
import type { EntityRef } from '../../src/sharding/index.ts'
import {
  type Counted,
  counter,
  counterOn,
  countOf,
  hostCounters,
  type ToCounter,
} from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

type ToSupervised = ToCounter | { readonly type: 'Fail'; readonly error: Error }

class Harmless extends Error {}
class Broken extends Error {}

/** Counters that resume, start anew or stop by the kind of error; `starts` gets a line for each life of the worker. */
function hostSupervised(node: ShardingNode, starts: string[]): void {
  hostCounters(node, {
    stopMessage: { type: 'Stop' },
    behavior: (entity) => {
      const worker = Behaviors.setup<ToCounter>(() => {
        starts.push(entity.entityId)
        return counter(node, entity, starts.length)
      })
      const failing = Behaviors.intercept<ToCounter, ToCounter>(
        () => ({
          aroundReceive: (_context, message, next) => {
            const { type, error } = message as { readonly type: string; readonly error?: Error }
            if (type === 'Fail') throw error
            return next(message)
          },
        }),
        worker,
      )
      const supervised = Behaviors.supervise(
        Behaviors.supervise(failing).onFailure(Harmless, SupervisorStrategy.resume()),
      ).onFailure(Broken, SupervisorStrategy.restart({ restartsMax: 10 }))
      return Behaviors.restartOnStop<ToCounter>({
        ...{ child: supervised, min: '1s', max: '10s' },
        isFinalStop: ({ type }) => type === 'Stop',
      })
    },
  })
}

const fail = (node: ShardingNode, id: string, error: Error): void =>
  (counterOn(node, id) as EntityRef<ToSupervised>).tell({ type: 'Fail', error })

async function one(scene: Scene) {
  const starts: string[] = []
  const node = await scene.start('a', { init: (starting) => hostSupervised(starting, starts) })
  counterOn(node, 'x').tell({ type: 'Add', by: 1 })
  const count = (): Promise<Counted> => scene.settle(countOf(node, 'x'))
  expect(await count()).toMatchObject({ count: 1, life: 1 })
  return { node, starts, count }
}

describe('Entities below a parent that supervises', () => {
  test('resume, start anew, or stop and come back after a pause, by the kind of error', async () => {
    await play(async (scene) => {
      const { node, starts, count } = await one(scene)
      fail(node, 'x', new Harmless('nothing happened'))
      expect(await count()).toMatchObject({ count: 1, life: 1 })
      fail(node, 'x', new Broken('state is lost'))
      expect(await count()).toMatchObject({ count: 1, life: 2 })
      const failedMs = scene.simulation.now
      fail(node, 'x', new Error('nobody answers for this'))
      // What lies in its mailbox when it ends is lost; what comes later waits for its next life.
      await scene.simulation.run({ for: '100ms' })
      expect(await count()).toMatchObject({ count: 1, life: 3 })
      expect(scene.simulation.now - failedMs).toBeGreaterThanOrEqual(1_000)
      expect(starts).toHaveLength(3)
    })
  })

  test('rest when they ask to, with their parent, and lose nothing that comes meanwhile', async () => {
    await play(
      async (scene) => {
        const { node, starts, count } = await one(scene)
        counterOn(node, 'x').tell({ type: 'Rest' })
        for (let by = 0; by < 5; by++) counterOn(node, 'x').tell({ type: 'Add', by: 1 })
        const isAsleep = (): boolean =>
          node.sharding
            .regionState('Counter')
            .shards.every(({ entityIds }) => entityIds.length === 0)
        await scene.simulation.runUntil(isAsleep, { what: 'it rests' })
        expect(starts).toHaveLength(1)
        expect(await count()).toMatchObject({ count: 6, life: 2 })
        expect(node.lost).toEqual([])
      },
      { seeds: 20 },
    )
  })

  test('end with their parent when their node leaves, behind all that was accepted', async () => {
    await play(async (scene) => {
      const { node, starts } = await one(scene)
      const other = await scene.start('b', { init: (starting) => hostSupervised(starting, starts) })
      for (let by = 0; by < 5; by++) counterOn(node, 'x').tell({ type: 'Add', by: 1 })
      await scene.settle(node.system.terminate())
      expect((await scene.settle(countOf(other, 'x'))).count).toBe(6)
      expect(node.lost.filter(({ recipient }) => `${recipient}`.includes('/entities/'))).toEqual([])
    })
  })
})
