import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Behaviors, PoisonPill, SupervisorStrategy } from '../../src/actor/index.ts'
import { RecoveryPermits, type StoredEvent } from '../../src/persistence/index.ts'
import { createTestProbe } from '../../src/testkit/index.ts'
import { append, get, list, type ListOptions } from './list.ts'
import { manualScene, type ManualScene } from './scene.ts'

describe('PT-008 recovery permits, timeout, bounded replay batches', () => {
  let scene: ManualScene
  beforeEach(() => (scene = manualScene()))
  afterEach(() => scene.end())

  test('three of five are granted, the next when one is returned, in order', () => {
    const permits = new RecoveryPermits(3)
    const granted: number[] = []
    const held = [1, 2, 3, 4, 5].map((each) => permits.request(() => void granted.push(each)))
    expect(granted).toEqual([1, 2, 3])
    held[1]!.release()
    held[1]!.release()
    expect(granted).toEqual([1, 2, 3, 4])
    held[0]!.release()
    expect(granted).toEqual([1, 2, 3, 4, 5])
  })

  const recovering = (name: string, permits: RecoveryPermits, options: ListOptions = {}) => {
    const told: string[] = []
    const actor = scene.system.spawn(
      list(scene.journal, {
        persistenceId: `List|${name}`,
        recoveryPermits: permits,
        signals: {
          RecoveryCompleted: () => void told.push('completed'),
          RecoveryFailed: (_, { error }) => void told.push(error.message),
          PostStop: () => void told.push('stopped'),
          PreRestart: () => void told.push('restarts'),
        },
        ...options,
      }),
    )
    return { actor, told }
  }

  test('the permit of one that is stopped goes on, and one that waits and is stopped is passed over', async () => {
    const { journal, time } = scene
    const permits = new RecoveryPermits(1)
    journal.stall()
    const [holder, waiter, last] = ['holder', 'waiter', 'last'].map((name) =>
      recovering(name, permits),
    )
    await time.settle()
    waiter!.actor.tell(PoisonPill)
    holder!.actor.tell(PoisonPill)
    await time.settle()
    journal.flow()
    await time.settle()
    expect(last!.told).toEqual(['completed'])
    // It was stopped before its turn came, and was told of its end.
    expect(waiter!.told).toEqual(['stopped'])
  })

  test('one that throws in RecoveryCompleted gives its permit back', async () => {
    const { time } = scene
    const permits = new RecoveryPermits(1)
    recovering('thrower', permits, {
      signals: {
        RecoveryCompleted: () => {
          throw new Error('on purpose')
        },
      },
    })
    const { told } = recovering('next', permits)
    await time.settle()
    expect(told).toEqual(['completed'])
  })

  test('a silent journal is a failed recovery, the permit is free again, and it stops', async () => {
    const { journal, time } = scene
    const permits = new RecoveryPermits(1)
    journal.stall()
    const settings = { recoveryTimeoutMs: 1_000 }
    const silent = recovering('silent', permits, { settings })
    await time.settle()
    journal.flow()
    await time.settle()
    expect(silent.told).toEqual(['completed'])
    journal.stall()
    const second = recovering('second', permits, { settings })
    const third = recovering('third', permits)
    await time.advance('2s')
    expect(second.told).toEqual([expect.stringContaining('took longer than'), 'stopped'])
    journal.flow()
    await time.settle()
    expect(third.told).toEqual(['completed'])
  })

  test('one that is stopped or restarted while it loads hears of that', async () => {
    const { journal, system, time } = scene
    journal.stall()
    const told: string[] = []
    const signals = { PostStop: () => void told.push('stopped') }
    const stopped = system.spawn(list(journal, { signals }))
    await time.settle()
    stopped.tell(PoisonPill)
    await time.settle()
    journal.flow()
    await createTestProbe(system).expectTerminated(stopped)
    expect(told).toEqual(['stopped'])
  })

  /** Hands the events of one batch over when the test lets it. */
  const stepping = async (items: string) => {
    const { memory, system } = scene
    await system.spawn(list(memory)).ask<unknown>((to) => append(items, to))
    const read = memory.read.bind(memory)
    const batches: string[] = []
    let give: () => void = () => undefined
    memory.read = async (range, onEvent) => {
      batches.push(`${range.fromSequenceNr}..${range.toSequenceNr}`)
      const events: StoredEvent[] = []
      await read(range, (event) => void events.push(event))
      await new Promise<void>((resolve) => (give = resolve))
      events.forEach(onEvent)
    }
    const next = async (): Promise<void> => {
      give()
      await scene.time.settle()
    }
    return { batches, next }
  }

  test('batches of 2, 2 and 1, each asked for only when the one before was applied', async () => {
    const { memory, system, time } = scene
    const { batches, next } = await stepping('abcde')
    const applied: string[] = []
    const actor = system.spawn(
      list(memory, {
        settings: { replayEventsMax: 2 },
        eventHandler: (items, { item }) => {
          applied.push(item)
          return [...items, item]
        },
      }),
    )
    await time.settle()
    expect([batches, applied]).toEqual([['1..2'], []])
    await next()
    expect([batches, applied.join('')]).toEqual([['1..2', '3..4'], 'ab'])
    await next()
    await next()
    expect(batches).toEqual(['1..2', '3..4', '5..5'])
    expect(await actor.ask<unknown>(get)).toBe('abcde')
  })

  test('what a recovery that was given up hears later changes nothing', async () => {
    const { memory, system, time } = scene
    const { next } = await stepping('abc')
    const applied: string[] = []
    const onPersistFailure = SupervisorStrategy.restartWithBackoff({ min: '1s', max: '1s' })
    const actor = system.spawn(
      Behaviors.supervise(
        list(memory, {
          settings: { recoveryTimeoutMs: 1_000 },
          eventHandler: (items, { item }) => {
            applied.push(item)
            return [...items, item]
          },
          onPersistFailure,
        }),
      ).onFailure(SupervisorStrategy.stop()),
    )
    await time.settle()
    const late = next
    // The first try is given up, and the second waits for its first batch.
    await time.advance('1500ms')
    await late()
    expect(applied).toEqual([])
    await time.advance('3s')
    await next()
    await time.settle()
    await next()
    expect(await actor.ask<unknown>(get)).toBe('abc')
  })
})
