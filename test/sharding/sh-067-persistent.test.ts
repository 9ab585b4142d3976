import { describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { effectsFor, EventSourcedBehavior, type Journal } from '../../src/persistence/index.ts'
import { EntityTypeKey } from '../../src/sharding/index.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

type ToList =
  | { readonly type: 'Add'; readonly item: string; readonly replyTo?: ActorRef<'Done'> }
  | { readonly type: 'AddAndRest'; readonly item: string; readonly replyTo: ActorRef<'Done'> }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<string> }

const lists = new EntityTypeKey<ToList>('List')
const effect = effectsFor<string, readonly string[]>()

/** What happened to each list, in order: its lives, what the store confirmed, and its answers. */
class Stories {
  readonly #lines = new Map<string, string[]>()

  of(persistenceId: string): string[] {
    let lines = this.#lines.get(persistenceId)
    if (lines === undefined) this.#lines.set(persistenceId, (lines = []))
    return lines
  }
}

/** Tells when an append is stored, before whoever waits for it hears of it. */
function toldBy(journal: Journal, stories: Stories): Journal {
  return {
    claim: (id, writer) => journal.claim(id, writer),
    append: async (batch) => {
      const result = await journal.append(batch)
      const nr = result.type === 'Appended' ? result.highestSequenceNr : result.type
      stories.of(batch.persistenceId).push(`stored ${nr}`)
      return result
    },
    read: (range, onEvent) => journal.read(range, onEvent),
    highestSequenceNr: (id) => journal.highestSequenceNr(id),
    close: () => journal.close(),
  }
}

function host({ sharding, journal }: ShardingNode, stories: Stories): void {
  sharding.init<ToList>({
    key: lists,
    behavior: (entity) => {
      const persistenceId = `List|${entity.entityId}`
      const story = stories.of(persistenceId)
      return EventSourcedBehavior<ToList, string, readonly string[]>({
        ...{ persistenceId, emptyState: [], journal },
        signals: {
          RecoveryCompleted: (items) => void story.push(`recovered ${items.join('|')}`),
          PostStop: () => void story.push('stopped'),
        },
        eventHandler: (items, item) => [...items, item],
        commandHandler: (items, command) => {
          if (command.type === 'Get') return effect.reply(command.replyTo, items.join('|'))
          if (command.type === 'AddAndRest') entity.passivate()
          const added = effect.persist([command.item])
          const { item, replyTo } = command
          if (replyTo === undefined) return added
          return added.thenReply(replyTo, (): 'Done' => {
            story.push(`answered ${item}`)
            return 'Done'
          })
        },
      })
    },
  })
}

async function stage(scene: Scene) {
  const stories = new Stories()
  const node = await scene.start('a', {
    init: (starting) => host(starting, stories),
    journal: (real) => toldBy(real, stories),
  })
  const list = (id: string) => {
    const ref = node.sharding.entityRefFor(lists, id)
    return {
      ref,
      story: stories.of(`List|${id}`),
      ask: (type: 'Add' | 'AddAndRest', item: string) =>
        scene.settle(ref.ask<'Done'>((replyTo) => ({ type, item, replyTo }))),
      get: () => scene.settle(ref.ask<string>((replyTo) => ({ type: 'Get', replyTo }))),
    }
  }
  return { node, list }
}

describe('SH-067 an entity that persists', () => {
  test('answers Done when it has stored', async () => {
    await play(
      async (scene) => {
        const { node, list } = await stage(scene)
        const abc = list('abc')
        for (const item of ['a', 'b', 'c']) abc.ref.tell({ type: 'Add', item })
        expect(await abc.get()).toBe('a|b|c')
        const before = abc.story.length
        for (const item of ['a', 'b']) expect(await abc.ask('Add', item)).toBe('Done')
        expect(abc.story.slice(before)).toEqual([
          ...['stored 4', 'answered a'],
          ...['stored 5', 'answered b'],
        ])
        expect(await abc.get()).toBe('a|b|c|a|b')
        expect(node.lost).toEqual([])
      },
      { seeds: 10 },
    )
  })

  test('that rests while it stores: stored, answered and only then stopped, ten lives long', async () => {
    await play(
      async (scene) => {
        const { node, list } = await stage(scene)
        const numbers = list('numbers')
        const lives: string[] = []
        const all: string[] = []
        for (let round = 1; round <= 10; round++) {
          const item = `${round}`
          lives.push(`recovered ${all.join('|')}`)
          lives.push(`stored ${item}`, `answered ${item}`, 'stopped')
          all.push(item)
          expect(await numbers.ask('AddAndRest', item)).toBe('Done')
          const isStopped = (): boolean => numbers.story.at(-1) === 'stopped'
          await scene.simulation.runUntil(isStopped, { what: `the end of life ${round}` })
          expect(numbers.story).toEqual(lives)
        }
        expect(await numbers.get()).toBe('1|2|3|4|5|6|7|8|9|10')
        expect(numbers.story.slice(lives.length)).toEqual(['recovered 1|2|3|4|5|6|7|8|9|10'])
        expect(node.lost).toEqual([])
      },
      { seeds: 10 },
    )
  })

  test('that is called again before it has stopped: the next life goes on from there', async () => {
    await play(
      async (scene) => {
        const { node, list } = await stage(scene)
        const numbers = list('numbers')
        for (let round = 1; round <= 10; round++) await numbers.ask('AddAndRest', `${round}`)
        expect(await numbers.get()).toBe('1|2|3|4|5|6|7|8|9|10')
        expect(numbers.story.filter((line) => line === 'stopped')).toHaveLength(10)
        expect(node.lost).toEqual([])
      },
      { seeds: 10 },
    )
  })
})
