/** An entity that gets more than it can handle refuses the rest at once. */
import { beforeEach, describe, expect, test } from 'vitest'
import { type ActorRef, Dropped, InvalidSettings } from '../../src/actor/index.ts'
import type { CallError } from '../../src/entity/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { EntityTypeKey, EntityMessageDropped } from '../../src/sharding/index.ts'
import { nodeFor, refusalOf } from '../node/nodes.ts'
import { play } from '../sharding/scene.ts'
import { busyEntities } from './busy-entities.ts'
import { outcome } from './stage.ts'

let isBusy: () => void = () => undefined
const { Plain, Durable, held, begun, goOn, forget } = busyEntities(() => isBusy())

beforeEach(forget)

const settings = { sharding: { mailboxMessagesMax: 3 } }
const patient = { timeout: '10m' } as const

describe('a call that finds the mailbox of its entity full', () => {
  test.each([Plain, Durable])('$name: fails at once, and has not happened', async (entity) => {
    const store = new MemoryJournal()
    const here = await nodeFor({ entities: [entity], store, settings })
    const there = await nodeFor({ proxies: [entity], store, seeds: [here.address] })
    await there.entity(entity, 'a').note('first')
    const dropped: string[] = []
    here.system.eventStream.subscribe(Dropped, ({ reason }) => void dropped.push(reason))
    for (const node of [here, there]) {
      begun.splice(0)
      const desk = node.entity(entity, 'a', patient)
      const busy = new Promise<void>((resolve) => (isBusy = resolve))
      const holding = desk.hold()
      await busy
      const notes = ['1', '2', '3', '4', '5'].map((text) => desk.note(text))
      const errors = (await Promise.all(notes.slice(3).map(outcome))) as CallError[]
      for (const error of errors) {
        expect(error).toMatchObject({
          ...{ code: 'ENTITY_UNAVAILABLE', reason: 'mailbox-full' },
          ...{ waiting: 3, mayHaveHappened: false },
        })
        expect(error.message).toBe(
          `${entity.name} 'a': note was not handled: its mailbox is full: 3 messages wait for their turn (setting sharding.mailboxMessagesMax). It gets more than it can handle: look at how long its commands take, call it less often, or spread the work over more entities. Nothing of it has happened; it can be called again.`,
        )
      }
      goOn()
      await Promise.all([holding, ...notes.slice(0, 3)])
      expect(begun).toEqual(['1', '2', '3'])
    }
    expect(dropped).toEqual(Array(4).fill('mailbox-full'))
  })
})

interface Ring {
  readonly replyTo: ActorRef<string>
}

describe('a question that finds the mailbox of its entity full', () => {
  test('fails at once, on either node', async () => {
    await play(async (scene) => {
      const key = new EntityTypeKey<Ring>('Bell')
      const routing = { role: 'host', settings: { numberOfShards: 1, mailboxMessagesMax: 2 } }
      const b = await scene.start('b', {
        roles: ['host'],
        init: ({ sharding }) =>
          void sharding.init<Ring>({
            ...{ key, ...routing },
            behavior: () => (ring) =>
              new Promise<void>((resolve) => held.push(resolve)).then(() =>
                ring.replyTo.tell('ding'),
              ),
          }),
      })
      const a = await scene.start('a', {
        init: ({ sharding }) => void sharding.startProxy({ entityType: 'Bell', ...routing }),
      })
      for (const [node, words] of [
        [b, '2 messages wait for it'],
        [a, 'the largest number of messages allowed wait for it'],
      ] as const) {
        const bell = node.sharding.entityRefFor(key, node.name)
        const ring = () => bell.ask<string>((replyTo) => ({ replyTo }), { timeout: '1m' })
        const first = ring()
        await scene.simulation.runUntil(() => held.length > 0, { what: 'the bell is busy' })
        const [second, third, fourth] = [ring(), ring(), ring()]
        const error = await scene.settle(outcome(fourth))
        expect(error).toBeInstanceOf(EntityMessageDropped)
        expect(error).toMatchObject({
          reason: 'mailbox-full',
          message: expect.stringContaining(words) as string,
        })
        const answers = Promise.all([first, second, third])
        for (let count = 0; count < 3; count++) {
          await scene.simulation.runUntil(() => held.length > 0, { what: 'the bell is rung' })
          held.pop()?.()
        }
        expect(await scene.settle(answers)).toEqual(['ding', 'ding', 'ding'])
      }
    })
  })
})

test('the capacity is checked', async () => {
  const error = await refusalOf({
    entities: [Plain],
    settings: { sharding: { mailboxMessagesMax: 0 } },
  })
  expect(error).toBeInstanceOf(InvalidSettings)
  expect(error.message).toContain('mailboxMessagesMax must be a whole number of at least 1, not 0')
})
