import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, SupervisorStrategy } from '../../src/actor/index.ts'
import {
  type EventSourcedSignalHandlers,
  EventTooLarge,
  JournalUnavailable,
} from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { append, effect, get, handleList, list, type Items, type ListCommand } from './list.ts'
import { manualScene, noFaults, type ManualScene } from './scene.ts'

describe('PT-007 failure signals and supervision', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  const backoff = SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' })
  const signalsTo = (probe: ActorRef<string>): EventSourcedSignalHandlers<ListCommand, Items> => ({
    RecoveryCompleted: (items) => probe.tell(`recovered ${items.join('')}`),
    RecoveryFailed: (_, { error }) => probe.tell(`recovery failed ${error.code}`),
    PersistFailed: (items, { error }) => probe.tell(`failed ${items.join('')} ${error.code}`),
    PersistRejected: (items, { error }) => probe.tell(`rejected ${items.join('')} ${error.code}`),
    PreRestart: () => probe.tell('restarts'),
    PostStop: () => probe.tell('stopped'),
  })
  /** The next writes fail like this, one after another. */
  const failNext = (...errors: Error[]): void => {
    const { memory } = scene
    const store = memory.append.bind(memory)
    memory.append = async (batch) => {
      const error = errors.shift()
      if (error !== undefined) throw error
      return store(batch)
    }
  }
  const down = () => new JournalUnavailable('The store is down.')
  const tooLarge = () => new EventTooLarge('List|1', 10, 5)

  test('a failed recovery is told and stops it, also where the user would restart it', async () => {
    const { journal, system } = scene
    const probe = createTestProbe<string>(system)
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    const actor = system.spawn(
      Behaviors.supervise(list(journal, { signals: signalsTo(probe.ref) })).onFailure(
        SupervisorStrategy.restart(),
      ),
    )
    await probe.expect('recovery failed RECOVERY_FAILED')
    await probe.expect('stopped')
    await probe.expectTerminated(actor)
  })

  test('a recovery that fails once goes well at the next try with onPersistFailure', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<string>(system)
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    system.spawn(list(journal, { signals: signalsTo(probe.ref), onPersistFailure: backoff }))
    await probe.expect('recovery failed RECOVERY_FAILED')
    journal.setFaults(noFaults)
    await time.advance('2s')
    await probe.expect('restarts')
    await probe.expect('recovered ')
  })

  test('a handler of a signal that throws ends nothing twice, and hides nothing', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<string>(system)
    const throwing = (): never => {
      throw new Error('in a signal')
    }
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    const first = system.spawn(list(journal, { signals: { RecoveryFailed: throwing } }))
    await probe.expectTerminated(first)
    journal.setFaults(noFaults)
    const second = system.spawn(list(journal, { signals: { RecoveryCompleted: throwing } }))
    await probe.expectTerminated(second)
    failNext(down())
    const third = system.spawn(list(journal, { signals: { PersistFailed: throwing } }))
    await expect(third.ask<unknown>((to) => append('a', to))).rejects.toThrow('The store is down.')
    await probe.expectTerminated(third)
    const fourth = system.spawn(
      list(journal, {
        retention: { snapshotEvery: 1, keepSnapshots: 1 },
        signals: { SnapshotSaved: throwing },
      }),
    )
    expect(await fourth.ask<unknown>((to) => append('b', to))).toBe('b')
    await probe.expectTerminated(fourth)
    expect(time.logs.lines.map(({ message }) => message)).toContain(
      'the handler of RecoveryFailed failed',
    )
  })

  test('two writes that fail are two restarts, then it works', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<string>(system)
    failNext(down(), down())
    const actor = system.spawn(
      list(journal, { signals: signalsTo(probe.ref), onPersistFailure: backoff }),
    )
    await probe.expect('recovered ')
    for (const item of ['a', 'b']) {
      actor.tell(append(item))
      await probe.expect(`failed ${item} EVENTS_NOT_STORED`)
      await probe.expect('restarts')
      await time.advance('2s')
      await probe.expect('recovered ')
    }
    expect(await actor.ask<unknown>((to) => append('c', to))).toBe('c')
  })

  test('without onPersistFailure a failed write stops it, and no supervision resumes it', async () => {
    const { journal, system } = scene
    const probe = createTestProbe<string>(system)
    failNext(down())
    const actor = system.spawn(
      Behaviors.supervise(list(journal, { signals: signalsTo(probe.ref) })).onFailure(
        SupervisorStrategy.resume(),
      ),
    )
    actor.tell(append('a'))
    await probe.expect('recovered ')
    await probe.expect('failed a EVENTS_NOT_STORED')
    await probe.expect('stopped')
    await probe.expectTerminated(actor)
  })

  test('a rejected write is told, and is a failure like any other', async () => {
    const { journal, system } = scene
    const probe = createTestProbe<string>(system)
    const behavior = () => list(journal, { signals: signalsTo(probe.ref) })
    failNext(tooLarge())
    const restarted = system.spawn(
      Behaviors.supervise(behavior()).onFailure(SupervisorStrategy.restart()),
    )
    const rejected = restarted.ask<unknown>((to) => append('a', to))
    await expect(rejected).rejects.toMatchObject({ code: 'EVENTS_REJECTED' })
    await probe.expect('recovered ')
    await probe.expect('rejected a EVENTS_REJECTED')
    await probe.expect('restarts')
    await probe.expect('recovered ')
    expect(await restarted.ask<unknown>((to) => append('b', to))).toBe('b')
  })

  test('a rejected write stops it where nobody supervises it', async () => {
    const { journal, system } = scene
    const probe = createTestProbe<string>(system)
    failNext(tooLarge())
    const actor = system.spawn(list(journal, { signals: signalsTo(probe.ref) }))
    actor.tell(append('a'))
    await probe.expect('recovered ')
    await probe.expect('rejected a EVENTS_REJECTED')
    await probe.expect('stopped')
    await probe.expectTerminated(actor)
  })

  test('nobody resumes it after a rejected write: its state is ahead of what is stored', async () => {
    const { journal, system } = scene
    const probe = createTestProbe<string>(system)
    failNext(tooLarge())
    const actor = system.spawn(
      Behaviors.supervise(list(journal, { signals: signalsTo(probe.ref) })).onFailure(
        SupervisorStrategy.resume(),
      ),
    )
    actor.tell(append('a'))
    await probe.expect('recovered ')
    await probe.expect('rejected a EVENTS_REJECTED')
    const read = actor.ask<unknown>(get)
    read.catch(() => undefined)
    await probe.expect('stopped')
    await probe.expectTerminated(actor)
    await expect(read).rejects.toThrow('were refused by the journal')
  })

  test.each([
    ['a command', (): never => fail('in a command')],
    ['a side effect', () => effect.none().thenRun(() => fail('in a side effect'))],
  ])('%s that throws restarts it as its supervisor says', async (_name, thrower) => {
    const { journal, system } = scene
    const actor = system.spawn(
      Behaviors.supervise(
        list(journal, {
          commandHandler: (items, command) =>
            command.type === 'Throw' ? thrower() : handleList(items, command),
        }),
      ).onFailure(SupervisorStrategy.restart()),
    )
    await actor.ask<unknown>((to) => append('a', to))
    actor.tell({ type: 'Throw' })
    expect(await actor.ask<unknown>((to) => append('b', to))).toBe('ab')
  })

  test('an event that its handler refuses is never written', async () => {
    const { journal, system, memory } = scene
    const actor = system.spawn(
      Behaviors.supervise(list(journal)).onFailure(SupervisorStrategy.resume()),
    )
    await actor.ask<unknown>((to) => append('a', to))
    actor.tell({ type: 'Append', items: ['b', 'bad'] })
    expect(await actor.ask<unknown>(get)).toBe('a')
    expect(await memory.highestSequenceNr('List|1')).toBe(1)
  })
})

function fail(message: string): never {
  throw new Error(message)
}
