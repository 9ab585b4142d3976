import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PoisonPill } from '../../src/actor/index.ts'
import type { LocalRef } from '../../src/actor/internals.ts'
import { Effect, effectsFor } from '../../src/persistence/index.ts'
import { EventSourcedFamily } from '../../src/persistence/internals.ts'
import {
  append,
  type Appended,
  get,
  handleList,
  type Items,
  list,
  type ListCommand,
} from './list.ts'
import { type ManualScene, manualScene } from './scene.ts'

/** So many of a family keep what they have. */
const restingMax = 1024

let scene: ManualScene

beforeEach(() => {
  scene = manualScene()
})

afterEach(() => scene.end())

describe('an idle event-sourced actor', () => {
  test('keeps nothing but its state once many others have rested after it, and goes on from it', async () => {
    const family = new EventSourcedFamily<ListCommand, Appended, Items>({
      commandHandler: handleList,
      eventHandler: (items, { item }) => [...items, item],
      journal: scene.journal,
    })
    const ref = scene.system.spawn(family.behavior('List|1', []))
    const { cell } = ref as unknown as LocalRef
    let others = 0
    for (const expected of ['a', 'aa', 'aaa']) {
      expect(await ref.ask((replyTo) => append('a', replyTo))).toBe(expected)
      await scene.time.settle()
      expect(cell?.stateIfAny).toBeDefined()
      for (let count = 0; count < restingMax; count++) {
        scene.system.spawn(family.behavior(`Other|${others++}`, []))
      }
      await scene.time.settle()
      expect(cell?.stateIfAny).toBeUndefined()
    }
    expect(await ref.ask((replyTo) => get(replyTo))).toBe('aaa')
    expect(await scene.memory.highestSequenceNr('List|1')).toBe(3)
  })
})

describe('events that were applied before', () => {
  test('are stored as they are, and make the state that came with them', async () => {
    let applied = 0
    const family = new EventSourcedFamily<ListCommand, string, number>({
      commandHandler: (count, command) => {
        if (command.type !== 'Get') return effectsFor<string, number>().none()
        const bytes = [new Uint8Array([0xa1, 0x78])]
        return Effect.applied<string, number>(bytes, count + 1).thenReply(
          command.replyTo,
          (state) => state,
        )
      },
      eventHandler: (count) => {
        applied++
        return count + 1
      },
      journal: scene.journal,
    })
    const first = scene.system.spawn(family.behavior('Applied|1', 0))
    expect(await first.ask((replyTo) => get(replyTo))).toBe(1)
    expect(await first.ask((replyTo) => get(replyTo))).toBe(2)
    expect(applied).toBe(0)
    first.tell(PoisonPill)
    await scene.time.settle()
    const second = scene.system.spawn(family.behavior('Applied|1', 0))
    expect(await second.ask((replyTo) => get(replyTo))).toBe(3)
    expect(applied).toBe(2)
  })
})

describe('commands that wait for a recovery that fails', () => {
  test('are refused, each with the reason', async () => {
    const refused: string[] = []
    scene.journal.setFaults({ latencyMeanMs: 0, failsBefore: 1 })
    const ref = scene.system.spawn(
      list(scene.journal, { refused: ({ type }, { code }) => refused.push(`${type} ${code}`) }),
    )
    ref.tell(append('a'))
    ref.tell({ type: 'Stop' })
    await scene.time.settle()
    expect(refused).toEqual(['Append RECOVERY_FAILED', 'Stop RECOVERY_FAILED'])
  })
})
