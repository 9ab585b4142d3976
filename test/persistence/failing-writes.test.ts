import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import { EventsNotStored, EventsOutcomeUnknown, WriterFenced } from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { append, effect, get, list } from './list.ts'
import { manualScene, noFaults, type ManualScene } from './scene.ts'

describe('a write that fails', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  test('fails its callers and all after it, and stops the entity', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(list(journal))
    await time.settle()
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    const asks = ['a', 'b'].map((item) => actor.ask<unknown>((to) => append(item, to)))
    const read = actor.ask<unknown>(get)
    actor.tell(append('c', probe.ref))
    for (const ask of [...asks, read]) await expect(ask).rejects.toBeInstanceOf(EventsNotStored)
    await probe.expectTerminated(actor)
    await probe.expectNo()
    expect(scene.losses.map((loss) => loss.split(' ')[0])).toEqual(Array(4).fill('not-stored'))
    journal.setFaults(noFaults)
    const next = system.spawn(list(journal))
    next.tell(get(probe.ref))
    await probe.expect('')
  })

  test('while the entity stops is told to its caller, and is no unhandled rejection', async () => {
    const { journal, system, time } = scene
    const actor = system.spawn(list(journal))
    await time.settle()
    journal.setFaults({ ...noFaults, failsUnknown: 0.5 })
    const ask = actor.ask<unknown>((to) => append('a', to))
    actor.tell(PoisonPill)
    // The test runner fails a test during which a rejection was not handled.
    await expect(ask).rejects.toBeInstanceOf(EventsOutcomeUnknown)
    await createTestProbe(system).expectTerminated(actor)
  })

  test('an unknown outcome stops the entity, and the next one learns the truth', async () => {
    const { journal, system, time } = scene
    const actor = system.spawn(list(journal))
    await time.settle()
    journal.setFaults({ ...noFaults, failsUnknown: 0.5 })
    const ask = actor.ask<unknown>((to) => append('a', to))
    await expect(ask).rejects.toBeInstanceOf(EventsOutcomeUnknown)
    await createTestProbe(system).expectTerminated(actor)
    journal.setFaults(noFaults)
    const stored = await scene.memory.highestSequenceNr('List|1')
    expect(await system.spawn(list(journal)).ask(get)).toBe('a'.repeat(stored))
  })

  test('the loser of a fence stops, says who has the stream, and is not restarted', async () => {
    const { journal, system, time, memory } = scene
    const loser = system.spawn(
      Behaviors.supervise(
        list(journal, {
          onPersistFailure: SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' }),
        }),
      ).onFailure(SupervisorStrategy.restart()),
    )
    await time.settle()
    const winner = system.spawn(list(memory, { writer: 'the other node' }))
    expect(await winner.ask<unknown>((to) => append('w', to))).toBe('w')
    const lost = loser.ask<unknown>((to) => append('l', to))
    await expect(lost).rejects.toThrow("'List|1' is written by 'the other node' now (epoch 2)")
    await expect(lost).rejects.toBeInstanceOf(WriterFenced)
    await createTestProbe(system).expectTerminated(loser)
    expect(await winner.ask<unknown>(get)).toBe('w')
  })

  test('orElse says what is answered when the events are not stored', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(
      list(journal, {
        commandHandler: () =>
          effect.persist({ item: 'x' }).thenReply(probe.ref, 'stored', (error) => error.code),
      }),
    )
    await time.settle()
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    actor.tell({ type: 'Stop' })
    await probe.expect('EVENTS_NOT_STORED')
  })

  test('onPersistFailure builds the entity anew, and commands that wait survive it', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(
      list(journal, {
        settings: { unstoredCommandsMax: 1 },
        onPersistFailure: SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' }),
      }),
    )
    await time.settle()
    journal.stall()
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    for (const item of 'abc') actor.tell(append(item, probe.ref))
    await time.settle()
    journal.flow()
    await time.settle()
    journal.setFaults(noFaults)
    actor.tell(append('d', probe.ref))
    await probe.expectNo()
    await time.advance('2s')
    expect(await probe.receive(3)).toEqual(['b', 'bc', 'bcd'])
    expect(scene.losses.map((loss) => loss.split(',')[0])).toEqual(['not-stored {"type":"Append"'])
  })

  test('what the journal answers after the actor has gone is too late', async () => {
    const { journal, system, time } = scene
    const actor = system.spawn(list(journal))
    await time.settle()
    journal.stall()
    const ask = actor.ask<unknown>((to) => append('a', to), { timeout: '1m' })
    actor.tell(PoisonPill)
    await time.advance('4s')
    journal.flow()
    await expect(ask).rejects.toThrow('the instance ended before its journal answered')
  })
})
