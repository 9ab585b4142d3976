import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import type { LocalRef } from '../../src/actor/internals.ts'
import { RecoveryPermits } from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { append, effect, get, handleList, list, type ListCommand } from './list.ts'
import { manualScene, noFaults, type ManualScene } from './scene.ts'

const stops = [
  ['PoisonPill', PoisonPill],
  ['a stop message of its own', { type: 'Stop' }],
] as const

describe('PT-006 a stop keeps its place behind what came before it', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  test.each(stops)('while it recovers: %s', async (_name, stop) => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    journal.stall()
    const actor = system.spawn(list(journal))
    await time.settle()
    for (const item of 'abc') actor.tell(append(item, probe.ref))
    actor.tell(get(probe.ref))
    actor.tell(stop)
    await probe.expectNo()
    journal.flow()
    expect(await probe.receive(4)).toEqual(['a', 'ab', 'abc', 'abc'])
    await probe.expectTerminated(actor)
    expect(scene.losses).toEqual([])
  })

  test.each(stops)('beyond unstoredCommandsMax: %s', async (_name, stop) => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(list(journal, { settings: { unstoredCommandsMax: 2 } }))
    await time.settle()
    journal.stall()
    for (const item of 'abcdefg') actor.tell(append(item, probe.ref))
    actor.tell(stop)
    await probe.expectNo()
    journal.flow()
    expect((await probe.receive(7)).at(-1)).toBe('abcdefg')
    await probe.expectTerminated(actor)
    expect(scene.losses).toEqual([])
  })

  test.each(stops)('behind an async command: %s', async (_name, stop) => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    let goOn: () => void = () => undefined
    const commandHandler = async (items: readonly string[], command: ListCommand) => {
      if (command.type === 'Append') await new Promise<void>((resolve) => (goOn = resolve))
      return handleList(items, command)
    }
    const actor = system.spawn(list(journal, { commandHandler }))
    await time.settle()
    actor.tell(append('a', probe.ref))
    await time.settle()
    for (const _ of 'bc') actor.tell(get(probe.ref))
    actor.tell(stop)
    await probe.expectNo()
    goOn()
    expect(await probe.receive(3)).toEqual(['a', 'a', 'a'])
    await probe.expectTerminated(actor)
    expect(scene.losses).toEqual([])
  })

  test.each(stops)('while it waits for its turn to recover: %s', async (_name, stop) => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const recoveryPermits = new RecoveryPermits(1)
    journal.stall()
    const first = system.spawn(list(journal, { persistenceId: 'List|first', recoveryPermits }))
    await time.settle()
    const second = system.spawn(list(journal, { recoveryPermits }))
    second.tell(append('a', probe.ref))
    second.tell(stop)
    await time.settle()
    first.tell(append('b', probe.ref))
    await probe.expectNo()
    journal.flow()
    expect(new Set(await probe.receive(2))).toEqual(new Set(['a', 'b']))
    await probe.expectTerminated(second)
    expect(scene.losses).toEqual([])
  })

  test('one that was asked nothing stops without being recovered', async () => {
    const { journal, memory, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const claims: string[] = []
    const claim = memory.claim.bind(memory)
    memory.claim = (persistenceId, writer) => {
      claims.push(persistenceId)
      return claim(persistenceId, writer)
    }
    const recoveryPermits = new RecoveryPermits(1)
    journal.stall()
    system.spawn(list(journal, { persistenceId: 'List|first', recoveryPermits }))
    await time.settle()
    const second = system.spawn(list(journal, { recoveryPermits }))
    await time.settle()
    second.tell(PoisonPill)
    await probe.expectTerminated(second)
    journal.flow()
    await time.settle()
    expect(claims).toEqual(['List|first'])
  })

  test('also where a failed write builds it anew', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const actor = system.spawn(
      list(journal, {
        onPersistFailure: SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' }),
      }),
    )
    await time.settle()
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    actor.tell(append('a', probe.ref))
    await time.settle()
    for (const item of 'bc') actor.tell(append(item, probe.ref))
    actor.tell(PoisonPill)
    await time.settle()
    journal.setFaults(noFaults)
    await time.advance('2s')
    expect(await probe.receive(2)).toEqual(['b', 'bc'])
    await probe.expectTerminated(actor)
    expect(scene.losses.map((loss) => loss.split(',')[0])).toEqual(['not-stored {"type":"Append"'])
  })

  test('also for what a supervisor around it held while it was restarted', async () => {
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const backoff = SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' })
    const actor = system.spawn(Behaviors.supervise(list(journal)).onFailure(backoff))
    await time.settle()
    actor.tell({ type: 'Throw' })
    for (const item of 'ab') actor.tell(append(item, probe.ref))
    await time.settle()
    journal.stall()
    await time.advance('2s')
    actor.tell(append('c', probe.ref))
    actor.tell(PoisonPill)
    await probe.expectNo()
    journal.flow()
    expect(await probe.receive(3)).toEqual(['a', 'ab', 'abc'])
    await probe.expectTerminated(actor)
  })

  test('a failed recovery is told at once to whoever asked, with the reason', async () => {
    const { journal, system, time } = scene
    journal.setFaults({ ...noFaults, failsBefore: 1 })
    journal.stall()
    const actor = system.spawn(list(journal))
    const asks = [1, 2].map(() => actor.ask<unknown>((to) => get(to), { timeout: '1m' }))
    const outcomes = Promise.allSettled(asks)
    await time.settle()
    journal.flow()
    await time.settle()
    expect(await outcomes).toMatchObject(
      [1, 2].map(() => ({ status: 'rejected', reason: { code: 'RECOVERY_FAILED' } })),
    )
  })

  test('a stop that does not ask gives up what waits at once, whatever the store does', async () => {
    const { journal, system, time } = scene
    journal.stall()
    const actor = system.spawn(list(journal))
    await time.settle()
    for (const item of 'ab') actor.tell(append(item))
    ;(actor as unknown as LocalRef).cell?.stop()
    await time.settle()
    expect(scene.losses.map((loss) => loss.split(' ')[0])).toEqual(
      Array(2).fill('terminated-while-queued'),
    )
  })
})

describe('unstoredCommandsMax', () => {
  test('counts for unstashed commands too, which keep their order and their place', async () => {
    await using scene = disposable(manualScene())
    const { journal, system, time } = scene
    const probe = createTestProbe<unknown>(system)
    const handled: string[] = []
    let isOpen = false
    const actor = system.spawn(
      list(journal, {
        settings: { unstoredCommandsMax: 3 },
        commandHandler: (items, command) => {
          if (command.type === 'Stop') {
            isOpen = true
            return effect.unstashAll()
          }
          if (!isOpen) return effect.stash()
          handled.push(command.type === 'Append' ? command.items.join('') : command.type)
          return handleList(items, command)
        },
      }),
    )
    await time.settle()
    for (const item of 'abcdefgh') actor.tell(append(item, probe.ref))
    await time.settle()
    journal.stall()
    actor.tell({ type: 'Stop' })
    actor.tell(append('i', probe.ref))
    await time.settle()
    expect(handled.join('')).toBe('abc')
    journal.flow()
    expect((await probe.receive(9)).at(-1)).toBe('abcdefghi')
    expect(handled.join('')).toBe('abcdefghi')
    expect(scene.losses).toEqual([])
  })
})

function disposable(scene: ManualScene): ManualScene & AsyncDisposable {
  return Object.assign(scene, { [Symbol.asyncDispose]: () => scene.end() })
}
