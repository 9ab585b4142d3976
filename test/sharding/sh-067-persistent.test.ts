import { describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { effectsFor, EventSourcedBehavior } from '../../src/persistence/index.ts'
import { EntityTypeKey } from '../../src/sharding/index.ts'
import { play, type ShardingNode } from './scene.ts'

type ToList =
  | { readonly type: 'Add'; readonly item: string; readonly replyTo?: ActorRef<string> }
  | { readonly type: 'AddAndRest'; readonly item: string; readonly replyTo: ActorRef<string> }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<string> }

const lists = new EntityTypeKey<ToList>('List')
const effect = effectsFor<string, readonly string[]>()

function init({ sharding, journal }: ShardingNode): void {
  sharding.init<ToList>({
    key: lists,
    behavior: (entity) =>
      EventSourcedBehavior<ToList, string, readonly string[]>({
        ...{ persistenceId: `List|${entity.entityId}`, emptyState: [], journal },
        eventHandler: (items, item) => [...items, item],
        commandHandler: (items, command) => {
          if (command.type === 'Get') return effect.reply(command.replyTo, items.join('|'))
          if (command.type === 'AddAndRest') entity.passivate()
          const added = effect.persist([command.item])
          const { replyTo } = command
          return replyTo === undefined ? added : added.thenReply(replyTo, (all) => all.join('|'))
        },
      }),
  })
}

describe('SH-067 an entity that persists', () => {
  test('answers when it has stored, also when it rests at the same time, ten times', async () => {
    await play(
      async (scene) => {
        const node = await scene.start('a', { init })
        const abc = node.sharding.entityRefFor(lists, 'abc')
        for (const item of ['a', 'b', 'c']) abc.tell({ type: 'Add', item })
        const get = abc.ask<string>((replyTo) => ({ type: 'Get', replyTo }))
        expect(await scene.settle(get)).toBe('a|b|c')
        const asked = abc.ask<string>((replyTo) => ({ type: 'Add', item: 'd', replyTo }))
        expect(await scene.settle(asked)).toBe('a|b|c|d')

        const numbers = node.sharding.entityRefFor(lists, 'numbers')
        const all: string[] = []
        for (let round = 1; round <= 10; round++) {
          const item = `${round}`
          all.push(item)
          const rested = numbers.ask<string>((replyTo) => ({ type: 'AddAndRest', item, replyTo }))
          expect(await scene.settle(rested)).toBe(all.join('|'))
        }
        const last = numbers.ask<string>((replyTo) => ({ type: 'Get', replyTo }))
        expect(await scene.settle(last)).toBe('1|2|3|4|5|6|7|8|9|10')
        expect(node.lost).toEqual([])
      },
      { seeds: 10 },
    )
  })
})
