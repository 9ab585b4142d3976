import { afterEach, describe, expect, expectTypeOf, test } from 'vitest'
import { type ActorRef, ActorSystem, Behaviors, DeadLetter, PoisonPill } from '../actor/index.ts'
import { CapturedLogs } from './captured-logs.ts'
import { ManualTime } from './manual-time.ts'
import { type TestProbe, createTestProbe } from './test-probe.ts'

interface Ping {
  readonly type: 'Ping'
  readonly replyTo: ActorRef<Pong>
}
interface Pong {
  readonly type: 'Pong'
  readonly count: number
}
interface Done {
  readonly type: 'Done'
}

const real = new ActorSystem('real', {
  environment: { logger: new CapturedLogs() },
  settings: { hookSignals: false },
})
const systems: ActorSystem[] = []

function manualSystem(): { readonly time: ManualTime; readonly system: ActorSystem } {
  const time = new ManualTime()
  const system = new ActorSystem('manual', { environment: time.environment })
  systems.push(system)
  return { time, system }
}

function counter(system: ActorSystem): ActorRef<Ping> {
  let count = 0
  return system.spawn<Ping>(({ replyTo }) => replyTo.tell({ type: 'Pong', count: ++count }))
}

afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.terminate()))
})

describe('TestProbe', () => {
  test('expects the next message by value or by predicate, and resolves with it', async () => {
    const probe = createTestProbe<Pong>(real)
    const target = counter(real)
    target.tell({ type: 'Ping', replyTo: probe.ref })
    target.tell({ type: 'Ping', replyTo: probe.ref })
    expect(await probe.expect({ type: 'Pong', count: 1 })).toEqual({ type: 'Pong', count: 1 })
    expect(await probe.expect(({ count }) => count === 2)).toEqual({ type: 'Pong', count: 2 })
  })

  test('expects a message by its tag, and knows its type then', async () => {
    const probe = createTestProbe<Pong | Done>(real)
    probe.ref.tell({ type: 'Pong', count: 7 })
    const pong = await probe.expectType('Pong')
    expectTypeOf(pong).toEqualTypeOf<Pong>()
    expectTypeOf(probe.expectType<'Pong'>)
      .parameter(0)
      .toEqualTypeOf<'Pong'>()
    // @ts-expect-error No message of this protocol has that type.
    await expect(probe.expectType('Pnog', { within: 1 })).rejects.toThrow("of type 'Pnog'")
    expect(pong.count).toBe(7)
  })

  test('receives one message or several, whatever they are', async () => {
    const probe = createTestProbe<number>(real)
    for (const number of [1, 2, 3]) probe.ref.tell(number)
    const first = await probe.receive()
    expectTypeOf(first).toEqualTypeOf<number>()
    expect(first).toBe(1)
    expect(await probe.receive(2)).toEqual([2, 3])
    expect(await probe.receive(0)).toEqual([])
  })

  test('waits for what has not come yet', async () => {
    const probe = createTestProbe<string>(real)
    const expected = probe.expect('late')
    setTimeout(() => probe.ref.tell('late'), 20)
    expect(await expected).toBe('late')
  })

  test('answers questions asked at the same time one after the other', async () => {
    const probe = createTestProbe<number>(real)
    const answers = Promise.all([probe.expect(1), probe.receive(2), probe.fish((n) => n === 5)])
    for (const number of [1, 2, 3, 4, 5, 6]) probe.ref.tell(number)
    expect(await answers).toEqual([1, [2, 3], [5]])
    expect(await probe.expect(6)).toBe(6)
  })

  test('goes on reading after a question that failed', async () => {
    const probe = createTestProbe<number>(real)
    const answers = Promise.allSettled([probe.receive(2), probe.expect(7), probe.expect(4)])
    for (const number of [1, 2, 3, 4]) {
      probe.ref.tell(number)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const [first, second, third] = await answers
    expect(first).toEqual({ status: 'fulfilled', value: [1, 2] })
    expect(second.status).toBe('rejected')
    expect(third).toEqual({ status: 'fulfilled', value: 4 })
  })

  test('shows what is received and not yet read', async () => {
    const probe = createTestProbe<number | null>(real)
    probe.ref.tell(1)
    probe.ref.tell(null)
    probe.ref.tell(3)
    await probe.receive()
    expect(probe.messages).toEqual([null, 3])
    expect(await probe.receive()).toBeNull()
  })

  test('fishes: takes, skips and stops with the message that is done', async () => {
    const probe = createTestProbe<number>(real)
    for (const number of [1, 2, 3, 4, 5]) probe.ref.tell(number)
    const taken = await probe.fish((number) =>
      number === 4 ? 'done' : number % 2 === 0 ? 'skip' : 'take',
    )
    expect(taken).toEqual([1, 3, 4])
    expect(await probe.receive()).toBe(5)
  })

  test('sees nothing come for a while of real time', async () => {
    const probe = createTestProbe<string>(real)
    await probe.expectNo({ for: 10 })
    await probe.expectNo()
  })

  test('needs no real time to see nothing come on manual time', async () => {
    const { system, time } = manualSystem()
    const probe = createTestProbe<string>(system)
    system.spawn(
      Behaviors.withTimers<string>((timers) => {
        timers.startSingle('t', '1h', 'now')
        return (message) => probe.ref.tell(message)
      }),
    )
    const startMs = performance.now()
    await probe.expectNo({ for: '1h' })
    await time.advance('59m')
    await probe.expectNo()
    await time.advance('1m')
    await probe.expect('now')
    expect(performance.now() - startMs).toBeLessThan(1_000)
  })

  test('waits on manual time while time advances', async () => {
    const { system, time } = manualSystem()
    const probe = createTestProbe<string>(system)
    system.spawn(
      Behaviors.withTimers<string>((timers) => {
        timers.startSingle('t', '10s', 'now')
        return (message) => probe.ref.tell(message)
      }),
    )
    const expected = probe.expect('now')
    await time.advance('10s')
    expect(await expected).toBe('now')
  })

  test('waits on manual time for real I/O that does not take long', async () => {
    const { system } = manualSystem()
    const probe = createTestProbe<string>(system)
    const slow = system.spawn<string>(async (message) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      probe.ref.tell(message)
    })
    slow.tell('a')
    slow.tell('b')
    await probe.expect('a')
    await probe.expect('b')
  })

  test('waits on manual time while anything moves', async () => {
    const { system } = manualSystem()
    const probe = createTestProbe<string>(system)
    const slowly = (next: ActorRef<string>): ActorRef<string> =>
      system.spawn<string>(async (message) => {
        await new Promise((resolve) => setTimeout(resolve, 150))
        next.tell(message)
      })
    slowly(slowly(slowly(probe.ref))).tell('passed on')
    await probe.expect('passed on')
  })

  test('sees an actor terminate, before and after it did', async () => {
    const probe = createTestProbe<never>(real)
    const target = real.spawn(Behaviors.ignore)
    const expected = probe.expectTerminated(target)
    target.tell(PoisonPill)
    await expected
    await probe.expectTerminated(target)
    await createTestProbe<never>(real).expectTerminated(target)
    expect(probe.messages).toEqual([])
  })

  test('has what an actor sent last before it has seen its end', async () => {
    const probe = createTestProbe<string>(real)
    const target = real.spawn(
      Behaviors.receiveSignal<never>({ PostStop: () => probe.ref.tell('farewell') }),
    )
    target.tell(PoisonPill)
    await probe.expectTerminated(target)
    expect(probe.messages).toEqual(['farewell'])
  })

  test('can be stopped, by itself or with its system', async () => {
    const { system } = manualSystem()
    const probe: TestProbe<string> = createTestProbe(system, 'p')
    const other = createTestProbe<never>(system)
    probe.stop()
    await other.expectTerminated(probe.ref)
    probe.stop()
    await system.terminate()
  })

  test('takes messages from its ref typed by its protocol only', () => {
    const probe = createTestProbe<Pong>(real)
    expectTypeOf(probe.ref).toEqualTypeOf<ActorRef<Pong>>()
  })

  test('that is stopped fails at once who waits for it, and listens no more', async () => {
    const system = new ActorSystem('stopped', {
      environment: { logger: new CapturedLogs() },
      settings: { hookSignals: false },
    })
    systems.push(system)
    const probe = createTestProbe<string>(system, 'p')
    const waiting = probe.expect('never', { within: '1h' })
    probe.stop()
    await expect(waiting).rejects.toThrow("Expected 'never', but probe p was stopped.")
    expect(system.eventStream.hasListeners(DeadLetter)).toBe(false)
  })
})
