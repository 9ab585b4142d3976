/** Entities with events of a user's own, with a stop message of their own, that are stopped while they recover. */
import { describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { effectsFor, EventSourcedBehavior } from '../../src/persistence/index.ts'
import { EntityTypeKey, type ShardingSettings } from '../../src/sharding/index.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

type ToList =
  | { readonly type: 'Add'; readonly item: number; readonly replyTo: ActorRef<number> }
  | { readonly type: 'Close' }

const lists = new EntityTypeKey<ToList>('List')
const effect = effectsFor<number, readonly number[]>()
const ids = Array.from({ length: 12 }, (_, index) => `l${index}`)

/** `lives` gets what each life of an entity has handled. */
function host(
  { sharding, journal }: ShardingNode,
  lives: (readonly string[])[],
  settings: Partial<ShardingSettings>,
): void {
  sharding.init<ToList>({
    key: lists,
    stopMessage: { type: 'Close' },
    settings: { numberOfShards: 6, ...settings },
    behavior: ({ entityId }) => {
      const life: string[] = []
      lives.push(life)
      return EventSourcedBehavior<ToList, number, readonly number[]>({
        ...{ persistenceId: `List|${entityId}`, emptyState: [], journal },
        eventHandler: (items, item) => [...items, item],
        commandHandler: (_, command) => {
          life.push(command.type)
          if (command.type === 'Close') return effect.stop()
          return effect
            .persist([command.item])
            .thenReply(command.replyTo, (items: readonly number[]) => items.length)
        },
      })
    },
  })
}

const add = ({ sharding }: ShardingNode, id: string, item: number): Promise<number> =>
  sharding
    .entityRefFor(lists, id)
    .ask<number>((replyTo) => ({ type: 'Add', item, replyTo }), { timeout: '60s' })

async function two(scene: Scene, settings: Partial<ShardingSettings> = {}) {
  const lives: (readonly string[])[] = []
  const init = (node: ShardingNode): void => host(node, lives, settings)
  const [a, b] = [await scene.start('a', { init }), await scene.start('b', { init })]
  // Homes for all shards, half of them on b; then everybody rests.
  await scene.settle(Promise.all(ids.map((id) => add(a, id, 0))))
  await scene.simulation.run({ for: '3s' })
  return { a, b, lives }
}

describe('a stop message of the user’s', () => {
  test('comes behind all that was accepted before it, and nothing comes behind it', async () => {
    await play(
      async (scene) => {
        const { a, b, lives } = await two(scene, { passivateIdleAfterMs: 500 })
        scene.simulation.store.setFaults({ latencyMeanMs: 60 })
        const calls = ids.flatMap((id) => [1, 2, 3].map((item) => add(a, id, item)))
        await scene.simulation.run({ for: '30ms' })
        const left = b.sharding.gracefulShutdown('List')
        const counts = await scene.settle(Promise.all(calls))
        expect(counts).toEqual(ids.flatMap(() => [2, 3, 4]))
        await scene.settle(left)
        for (const life of lives) {
          expect(life.slice(0, -1)).not.toContain('Close')
        }
        expect(lives.filter((life) => life.at(-1) === 'Close').length).toBeGreaterThan(ids.length)
        expect([...a.lost, ...b.lost].map(String)).toEqual([])
      },
      { seeds: 10 },
    )
  })
})

describe('when time is up', () => {
  test('whoever asked hears so at once, on this node and on others', async () => {
    await play(
      async (scene) => {
        const { a, b } = await two(scene, {
          ...{ passivateIdleAfterMs: 500, stopGraceMs: 300, stopTimeoutMs: 600 },
          gracefulShutdownTimeoutMs: 1_000,
        })
        scene.simulation.store.setFaults({ latencyMeanMs: 1, stallChance: 1, stallMaxMs: 600_000 })
        const outcomes = [a, b].flatMap((node) =>
          ids.map((id) => add(node, id, 1).catch((error: unknown) => error)),
        )
        await scene.simulation.run({ for: '50ms' })
        const begunMs = scene.simulation.now
        const theirs = new Set(
          b.sharding.regionState('List').shards.flatMap(({ entityIds }) => entityIds),
        )
        const left = b.sharding.gracefulShutdown('List')
        const cut = outcomes.filter((_, index) => theirs.has(ids[index % ids.length]!))
        const errors = await scene.settle(Promise.all(cut))
        expect(scene.simulation.now - begunMs).toBeLessThan(10_000)
        expect(errors.length).toBeGreaterThan(0)
        for (const error of errors) {
          expect(error).toMatchObject({ code: 'ENTITY_MESSAGE_DROPPED' })
        }
        scene.simulation.store.setFaults({ stallChance: 0 })
        await scene.settle(left)
      },
      { seeds: 5 },
    )
  })
})
