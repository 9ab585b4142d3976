import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { unreachable } from '../../src/foundation/assert.ts'
import { EventSourcedBehavior, effectsFor } from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { realScenes, type Scene } from './scene.ts'

interface State {
  readonly value: number
  readonly isActive: boolean
}

type Command =
  | { readonly type: 'Increment' | 'Activate' | 'Deactivate'; readonly id: string }
  | { readonly type: 'Update'; readonly id: string; readonly to: number }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<number> }
  | { readonly type: 'Strange' }

type Event = { readonly by?: number; readonly to?: number; readonly isActive?: boolean }
const effect = effectsFor<Event, State>()

describe.each(Object.entries(realScenes))('PT-005 %s', (_name, makeScene) => {
  let scene: Scene
  beforeEach(() => (scene = makeScene()))
  afterEach(() => scene.end())

  const counter = (acks: ActorRef<string>): ActorRef<Command> =>
    scene.system.spawn(
      EventSourcedBehavior<Command, Event, State>({
        persistenceId: 'Switch|1',
        emptyState: { value: 0, isActive: true },
        commandHandler: (state, command) => {
          switch (command.type) {
            case 'Increment':
              if (!state.isActive) return effect.stash()
              return effect.persist({ by: 1 }).thenReply(acks, command.id)
            case 'Update':
              return effect.persist({ to: command.to }).thenReply(acks, command.id)
            case 'Deactivate':
              return effect.persist({ isActive: false }).thenReply(acks, command.id)
            case 'Activate':
              return effect.persist({ isActive: true }).thenReply(acks, command.id).thenUnstashAll()
            case 'Get':
              return effect.reply(command.replyTo, state.value)
            case 'Strange':
              return effect.unhandled()
            default:
              return unreachable(command)
          }
        },
        eventHandler: ({ value, isActive }, event) => ({
          value: event.to ?? value + (event.by ?? 0),
          isActive: event.isActive ?? isActive,
        }),
        journal: scene.journal,
        settings: { stashedCommandsMax: 500 },
      }),
    )

  test('stashed commands run right after the activating one, before later ones', async () => {
    const acks = createTestProbe<string>(scene.system)
    const values = createTestProbe<number>(scene.system)
    const actor = counter(acks.ref)
    actor.tell({ type: 'Increment', id: '1' })
    actor.tell({ type: 'Deactivate', id: '2' })
    actor.tell({ type: 'Increment', id: '3' })
    actor.tell({ type: 'Increment', id: '4' })
    actor.tell({ type: 'Activate', id: '5' })
    actor.tell({ type: 'Increment', id: '6' })
    expect(await acks.receive(6)).toEqual(['1', '2', '5', '3', '4', '6'])
    actor.tell({ type: 'Get', replyTo: values.ref })
    await values.expect(4)
  })

  test('so do hundreds of them, all queued at once and mixed with others', async () => {
    const acks = createTestProbe<string>(scene.system)
    const values = createTestProbe<number>(scene.system)
    const actor = counter(acks.ref)
    let next = 0
    const expected: string[] = []
    const id = (): string => `${++next}`
    const times = (count: number, act: (n: number) => void): void => {
      for (let n = 1; n <= count; n++) act(n)
    }
    const tell = (type: 'Increment' | 'Activate' | 'Deactivate'): string => {
      const command = { type, id: id() }
      actor.tell(command)
      return command.id
    }
    const get = (): void => actor.tell({ type: 'Get', replyTo: values.ref })
    const update = (to: number): string => {
      const command = { type: 'Update', id: id(), to } as const
      actor.tell(command)
      return command.id
    }
    times(100, () => expected.push(tell('Increment')))
    times(3, () => expected.push(tell('Deactivate')))
    const stashed: string[] = []
    times(100, (n) => {
      if (n % 10 === 0) actor.tell({ type: 'Strange' })
      stashed.push(tell('Increment'))
    })
    get()
    times(5, (n) => expected.push(update(n * 1000)))
    const activations: string[] = []
    times(3, () => activations.push(tell('Activate')))
    expected.push(activations[0]!, ...stashed, activations[1]!, activations[2]!)
    times(100, () => expected.push(tell('Increment')))
    get()
    times(3, (n) => expected.push(update(5000 + n * 1000)))
    times(3, () => expected.push(tell('Deactivate')))
    const again: string[] = []
    times(100, () => again.push(tell('Increment')))
    const last: string[] = []
    times(3, () => last.push(tell('Activate')))
    expected.push(last[0]!, ...again, last[1]!, last[2]!)
    get()
    expect(await acks.receive(expected.length)).toEqual(expected)
    expect(await values.receive(3)).toEqual([100, 5200, 8100])
    expect(scene.losses).toEqual(Array(10).fill('unhandled {"type":"Strange"}'))
  })

  test('commands behind a query that waits for events are not lost', async () => {
    const acks = createTestProbe<string>(scene.system)
    const values = createTestProbe<number>(scene.system)
    const actor = counter(acks.ref)
    actor.tell({ type: 'Increment', id: '1' })
    actor.tell({ type: 'Get', replyTo: values.ref })
    actor.tell({ type: 'Increment', id: '2' })
    expect(await acks.receive(2)).toEqual(['1', '2'])
    await values.expect(1)
  })
})
