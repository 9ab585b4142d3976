import { afterEach, describe, expect, test } from 'vitest'
import { type ActorRef, ActorSystem, AskTimeout, Behaviors } from '../actor/index.ts'
import { ManualTime, NotSettled, manualTimeOf } from './manual-time.ts'

const time = new ManualTime()
const systems: ActorSystem[] = []

function newSystem(environment = time.environment): ActorSystem {
  const system = new ActorSystem('test', { environment })
  systems.push(system)
  return system
}

afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.terminate()))
})

describe('ManualTime', () => {
  test('moves only when told, from deadline to deadline', async () => {
    const manual = new ManualTime()
    const system = newSystem(manual.environment)
    const ticks: number[] = []
    system.spawn(
      Behaviors.withTimers<'tick'>((timers) => {
        timers.startFixedRate('clock', '1m', 'tick')
        return () => {
          ticks.push(manual.now)
        }
      }),
    )
    await manual.settle()
    expect([manual.now, manual.nextDeadline]).toEqual([0, 60_000])
    await manual.advance('59.999s')
    expect(ticks).toEqual([])
    await manual.advance('2h')
    expect(ticks).toHaveLength(120)
    expect(ticks.slice(0, 3)).toEqual([60_000, 120_000, 180_000])
    expect(manual.now).toBe(7_259_999)
    expect(system.environment.clock.monotonicMs()).toBe(7_259_999)
  })

  test('lets actors and promises come to rest between two deadlines', async () => {
    const story: string[] = []
    const system = newSystem()
    const startMs = time.now
    const at = (text: string): void => void story.push(`${text} at ${time.now - startMs}`)
    const worker = system.spawn<'work'>(async () => {
      for (let round = 0; round < 20; round++) await Promise.resolve()
      for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve))
      at('worked')
    })
    system.spawn(
      Behaviors.withTimers<'a' | 'b'>((timers) => {
        timers.startSingle('a', 10, 'a')
        timers.startSingle('b', 11, 'b')
        return (name) => {
          at(name)
          worker.tell('work')
        }
      }),
    )
    await time.advance(20)
    expect(story).toEqual(['a at 10', 'worked at 10', 'b at 11', 'worked at 11'])
  })

  test('fires equal deadlines in the order of their starts, across systems', async () => {
    const order: string[] = []
    const wait = (name: string) =>
      Behaviors.withTimers<'now'>((timers) => {
        timers.startSingle('t', 50, 'now')
        return () => {
          order.push(name)
        }
      })
    for (const name of ['first', 'second', 'third']) newSystem().spawn(wait(name))
    await time.advance(50)
    expect(order).toEqual(['first', 'second', 'third'])
  })

  test('reaches timers that are started on the way', async () => {
    const system = newSystem()
    let count = 0
    system.spawn(
      Behaviors.withTimers<'again'>((timers) => {
        timers.startSingle('t', 100, 'again')
        return () => {
          count++
          timers.startSingle('t', 100, 'again')
        }
      }),
    )
    await time.advance(1_000)
    expect(count).toBe(10)
  })

  test('lets an ask time out without waiting', async () => {
    const silent: ActorRef<{ replyTo: ActorRef<string> }> = newSystem().spawn(Behaviors.ignore)
    const asked = silent.ask((replyTo: ActorRef<string>) => ({ replyTo }), { timeout: '1h' })
    const outcome = asked.catch((error: unknown) => error)
    await time.advance('1h')
    expect(await outcome).toBeInstanceOf(AskTimeout)
  })

  test('keeps the log to itself and hooks no signals', async () => {
    const manual = new ManualTime()
    const before = process.listenerCount('SIGTERM')
    const system = newSystem(manual.environment)
    expect(process.listenerCount('SIGTERM')).toBe(before)
    system
      .spawn<string>(() => {
        throw new Error('boom')
      })
      .tell('go')
    await manual.settle()
    expect(manual.logs.matching('boom', 'error')).toHaveLength(1)
  })

  test('is found by its systems and by no others', async () => {
    const real = newSystem({ ...time.environment, timers: { after: () => ({ cancel() {} }) } })
    expect(manualTimeOf(newSystem())).toBe(time)
    expect(manualTimeOf(real)).toBeUndefined()
  })

  test('says so when two advance at once', async () => {
    const manual = new ManualTime()
    const first = manual.advance(10)
    await expect(manual.advance(10)).rejects.toThrow(
      'time.advance was called while time is advancing. Await the one before.',
    )
    await first
    await manual.advance(5)
    expect(manual.now).toBe(15)
  })

  test('refuses what is no length of time', async () => {
    await expect(time.advance(-1)).rejects.toThrow(
      'the time to advance is not a length of time: -1',
    )
  })

  test('gives up on timers that never let time move on', async () => {
    const manual = new ManualTime()
    const again = (): void => void manual.environment.timers.after(0, again)
    again()
    const failure = await manual.advance(1).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(NotSettled)
    expect(failure).toMatchObject({
      message:
        '10000 timers fired at 0 ms of manual time, and the next is due at the same time. ' +
        'Is there a timer that starts itself again without a delay?',
    })
  })

  test('gives up on actors that never come to rest, and names one', async () => {
    const manual = new ManualTime()
    const system = newSystem(manual.environment)
    let isOver = false
    const restless = Behaviors.receive<string>((context, message) => {
      if (!isOver) context.self.tell(message)
    })
    system.spawn(restless, 'restless').tell('go')
    await expect(manual.settle({ within: '100ms' })).rejects.toThrow(
      /^The actors did not come to rest within 100 ms of real time; the last turn was that of sherd:\/\/test\/user\/restless#\d+\. Does an actor send to itself without end\?$/,
    )
    isOver = true
    await manual.settle()
  })
})
