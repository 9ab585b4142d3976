import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import { type Effect, EventSourcedBehavior, effectsFor } from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { realScenes, type Scene } from './scene.ts'

interface Counter {
  readonly value: number
  readonly history: readonly number[]
}

interface Command {
  readonly make: (log: (text: string) => void) => Effect<number, Counter>
}

const effect = effectsFor<number, Counter>()

describe.each(Object.entries(realScenes))('PT-001 %s', (_name, makeScene) => {
  let scene: Scene
  beforeEach(async () => (scene = await makeScene()))
  afterEach(() => scene.end())

  const counter = (probe: ActorRef<unknown>): ActorRef<Command> =>
    scene.system.spawn(
      EventSourcedBehavior<Command, number, Counter>({
        persistenceId: 'Counter|1',
        emptyState: { value: 0, history: [] },
        commandHandler: (_state, { make }) => make((text) => probe.tell(text)),
        eventHandler: ({ value, history }, by) => ({
          value: value + by,
          history: [...history, value],
        }),
        signals: {
          RecoveryCompleted: ({ value }) => probe.tell(`recovered ${value}`),
          PostStop: ({ value }) => probe.tell(`stopped ${value}`),
        },
        journal: scene.journal,
      }),
    )
  const increment = (probe: ActorRef<unknown>): Command => ({
    make: () => effect.persist(1).thenReply(probe, (state) => state),
  })

  test('state and history are the same after replay', async () => {
    const probe = createTestProbe<unknown>(scene.system)
    const first = counter(probe.ref)
    await probe.expect('recovered 0')
    for (let n = 1; n <= 3; n++) first.tell(increment(probe.ref))
    await probe.expect({ value: 1, history: [0] })
    await probe.expect({ value: 2, history: [0, 1] })
    await probe.expect({ value: 3, history: [0, 1, 2] })
    first.tell({ make: () => effect.stop() })
    await probe.expect('stopped 3')
    const second = counter(probe.ref)
    await probe.expect('recovered 3')
    second.tell(increment(probe.ref))
    await probe.expect({ value: 4, history: [0, 1, 2, 3] })
    expect(await scene.journal.highestSequenceNr('Counter|1')).toBe(4)
  })

  test('side effects run once, in order, with 0, 1 and 2 events; the stop comes last', async () => {
    const probe = createTestProbe<unknown>(scene.system)
    const actor = counter(probe.ref)
    const chain = (events: readonly number[]): Command => ({
      make: (log) =>
        effect
          .persist(events)
          .thenRun(({ value }) => log(`first ${value}`))
          .thenReply(probe.ref, ({ value }) => value)
          .thenRun(({ value }) => log(`second ${value}`)),
    })
    actor.tell(chain([]))
    actor.tell(chain([1]))
    actor.tell(chain([1, 1]))
    actor.tell({ make: (log) => effect.none().thenRun(() => log('none')) })
    actor.tell({
      make: (log) =>
        effect
          .noReply()
          .thenTell(probe.ref, 'told')
          .thenRun(() => log('x')),
    })
    actor.tell({
      make: (log) =>
        effect
          .persist([1, 1])
          .thenStop()
          .thenRun(({ value }) => log(`last ${value}`)),
    })
    actor.tell(increment(probe.ref))
    expect(await probe.receive(15)).toEqual(
      'recovered 0,first 0,0,second 0,first 1,1,second 1,first 3,3,second 3,none,told,x,last 5,stopped 5'
        .split(',')
        .map((word) => (/^\d$/.test(word) ? Number(word) : word)),
    )
    await probe.expectTerminated(actor)
    await probe.expectNo()
    expect(scene.losses).toEqual(['terminated-while-queued {}'])
    const next = counter(probe.ref)
    await probe.expect('recovered 5')
    next.tell({ make: () => effect.reply(probe.ref, ({ value }) => value) })
    await probe.expect(5)
  })

  test('an unhandled command is published, and its side effects run', async () => {
    const probe = createTestProbe<unknown>(scene.system)
    const actor = counter(probe.ref)
    await probe.expect('recovered 0')
    actor.tell({ make: (log) => effect.unhandled().thenRun(() => log('ran')) })
    await probe.expect('ran')
    expect(scene.losses).toEqual(['unhandled {}'])
  })
})
