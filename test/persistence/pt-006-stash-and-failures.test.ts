import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import {
  effectsFor,
  EventSourcedBehavior,
  type EventSourcedOptions,
} from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { append, list } from './list.ts'
import { manualScene, type ManualScene } from './scene.ts'

interface State {
  readonly count: number
  readonly isActive: boolean
}
type Command =
  | 'increment'
  | 'activate'
  | 'deactivate'
  | 'throw'
  | 'throwLater'
  | { readonly get: ActorRef<number> }
type Event = 'incremented' | 'activated' | 'deactivated'
const effect = effectsFor<Event, State>()

describe('PT-006 stash and failures', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  const counter = (options: Partial<EventSourcedOptions<Command, Event, State>> = {}) =>
    EventSourcedBehavior<Command, Event, State>({
      persistenceId: 'Switch|1',
      emptyState: { count: 0, isActive: true },
      journal: scene.journal,
      commandHandler: (state, command) => {
        if (typeof command === 'object') return effect.reply(command.get, state.count)
        switch (command) {
          case 'increment':
            return state.isActive ? effect.persist('incremented') : effect.stash()
          case 'activate':
            return effect.persist('activated').thenUnstashAll()
          case 'deactivate':
            return effect.persist('deactivated')
          case 'throwLater':
            return effect.persist('incremented').thenRun(() => {
              throw new Error('in a side effect')
            })
          default:
            throw new Error('in a command')
        }
      },
      eventHandler: (state, event) =>
        event === 'incremented'
          ? { ...state, count: state.count + 1 }
          : { ...state, isActive: event === 'activated' },
      ...options,
    })
  const restarted = (options: Partial<EventSourcedOptions<Command, Event, State>> = {}) =>
    Behaviors.supervise(counter(options)).onFailure(SupervisorStrategy.restart())
  const count = (actor: ActorRef<Command>) => actor.ask<number>((replyTo) => ({ get: replyTo }))
  const tellAll = (actor: ActorRef<Command>, command: Command, times: number): void => {
    for (let n = 0; n < times; n++) actor.tell(command)
  }
  const reasons = (): string[] => scene.losses.map((loss) => loss.split(' ')[0]!)

  test('a restart by an exception loses what was stashed, and keeps what was persisted', async () => {
    const actor = scene.system.spawn(restarted())
    for (const command of ['increment', 'deactivate', 'increment', 'throw', 'activate'] as const) {
      actor.tell(command)
    }
    expect(await count(actor)).toBe(1)
    expect(scene.losses).toHaveLength(1)
  })

  test('a side effect that throws restarts it, and what was stored stays', async () => {
    const { journal, time } = scene
    const actor = scene.system.spawn(restarted())
    await time.settle()
    journal.stall()
    for (const command of ['throwLater', 'increment', 'increment'] as const) actor.tell(command)
    await time.settle()
    journal.flow()
    await time.settle()
    const stored = await scene.memory.highestSequenceNr('Switch|1')
    expect(stored).toBe(3)
    expect(await count(actor)).toBe(3)
  })

  test.each([500, 100])(
    'of %i that may be stashed the first survive, the next is dropped',
    async (max) => {
      const actor = scene.system.spawn(counter({ settings: { stashedCommandsMax: max } }))
      await count(actor)
      actor.tell('deactivate')
      await scene.time.settle()
      tellAll(actor, 'increment', max + 1)
      actor.tell('activate')
      expect(await count(actor)).toBe(max)
      expect(reasons()).toEqual(['stash-full'])
    },
  )

  test('one that fails on overflow stops, and says why', async () => {
    const settings = { stashedCommandsMax: 3 }
    const actor = scene.system.spawn(counter({ settings, onStashOverflow: 'fail' }))
    actor.tell('deactivate')
    tellAll(actor, 'increment', 4)
    await createTestProbe(scene.system).expectTerminated(actor)
    expect(scene.time.logs.lines.map(({ fields }) => String(fields['err']))).toContain(
      "StashOverflow: 'Switch|1' keeps 3 commands for later (stashedCommandsMax), and another one came. Unstash earlier, or raise the setting.",
    )
    expect(() => counter({ onStashOverflow: 'block' as never })).toThrow(
      "onStashOverflow must be 'drop' or 'fail', not 'block'",
    )
  })

  test('20,000 that wait for the recovery, and 20,000 that were stashed, come without end of the stack', async () => {
    const { journal, time } = scene
    journal.stall()
    const settings = { stashedCommandsMax: 20_000 }
    const actor = scene.system.spawn(counter({ settings }))
    await time.settle()
    for (let n = 0; n < 19_998; n++) actor.tell('increment')
    journal.flow()
    expect(await count(actor)).toBe(19_998)
    actor.tell('deactivate')
    await time.settle()
    for (let n = 0; n < 20_000; n++) {
      actor.tell('increment')
      if (n % 1_000 === 0) await time.settle()
    }
    actor.tell('activate')
    expect(await count(actor)).toBe(39_998)
    expect(scene.losses).toEqual([])
  })

  test('a poison pill stops it with a stash that is not empty; what is behind is not handled', async () => {
    const actor = scene.system.spawn(counter())
    await count(actor)
    for (const command of ['deactivate', 'increment'] as const) actor.tell(command)
    actor.tell(PoisonPill)
    tellAll(actor, 'activate', 1)
    await createTestProbe(scene.system).expectTerminated(actor)
    expect(await count(scene.system.spawn(counter()))).toBe(0)
  })

  test('a poison pill behind an unstash waits for it', async () => {
    const actor = scene.system.spawn(counter())
    await count(actor)
    actor.tell('deactivate')
    tellAll(actor, 'increment', 5)
    actor.tell('activate')
    actor.tell(PoisonPill)
    tellAll(actor, 'increment', 1)
    await createTestProbe(scene.system).expectTerminated(actor)
    expect(await count(scene.system.spawn(counter()))).toBe(5)
  })

  test('a poison pill that comes during the recovery stops it behind what came before', async () => {
    const { journal, system, time } = scene
    journal.stall()
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(list(journal))
    actor.tell(append('a', probe.ref))
    actor.tell(PoisonPill)
    actor.tell(append('b', probe.ref))
    await time.settle()
    journal.flow()
    await probe.expect('a')
    await probe.expectTerminated(actor)
    await probe.expectNo()
  })
})
