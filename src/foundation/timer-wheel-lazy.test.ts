import { describe, expect, test } from 'vitest'
import { TimerWheel, type WheelTimer } from './timer-wheel.ts'

/** A wheel whose port calls back only when told to. */
function setUp() {
  const world = { nowMs: 0, clockReads: 0, calls: [] as { atMs: number; callback: () => void }[] }
  const clock = {
    monotonicMs: () => {
      world.clockReads++
      return world.nowMs
    },
    wallMs: () => 0,
  }
  const after = (delayMs: number, callback: () => void) => {
    const call = { atMs: world.nowMs + delayMs, callback }
    world.calls.push(call)
    return { cancel: () => void (world.calls = world.calls.filter((each) => each !== call)) }
  }
  const wheel = new TimerWheel(clock, { after })
  const passTo = (untilMs: number): void => {
    world.nowMs = untilMs
    const due = world.calls.filter(({ atMs }) => atMs <= untilMs)
    world.calls = world.calls.filter((call) => !due.includes(call))
    for (const { callback } of due) callback()
  }
  return { world, wheel, passTo }
}

const timer = (fire: () => void): WheelTimer => ({
  deadlineMs: 0,
  next: undefined,
  previous: undefined,
  slot: -1,
  fire,
})

describe('TimerWheel.startLazily', () => {
  test('reads no clock for timers that are cancelled at once, and asks the port once for all', () => {
    const { world, wheel } = setUp()
    for (let count = 0; count < 1_000; count++) {
      const each = timer(() => undefined)
      wheel.startLazily(each, 5_000)
      wheel.cancel(each)
    }
    expect([world.clockReads, world.calls.length, wheel.size]).toEqual([0, 1, 0])
  })

  test('knows how long a timer still waits, also before its deadline is worked out', () => {
    const { wheel, passTo } = setUp()
    passTo(1_000)
    const each = timer(() => undefined)
    wheel.startLazily(each, 5_000)
    expect(wheel.leftMs(each)).toBe(5_000)
    passTo(1_000)
    passTo(4_000)
    expect(wheel.leftMs(each)).toBe(2_000)
  })

  test('fires never early: the time counts from when the event loop turned', () => {
    const { wheel, passTo } = setUp()
    const fired: string[] = []
    wheel.startLazily(
      timer(() => fired.push('a')),
      100,
    )
    passTo(3)
    passTo(102)
    expect(fired).toEqual([])
    passTo(103)
    expect(fired).toEqual(['a'])
  })

  test('leaves nothing armed when all that waited were cancelled', () => {
    const { world, wheel, passTo } = setUp()
    const each = timer(() => undefined)
    wheel.startLazily(each, 100)
    wheel.cancel(each)
    passTo(1)
    expect(world.calls).toEqual([])
  })

  test('can be cancelled after the event loop turned, and is forgotten by close before', () => {
    const { world, wheel, passTo } = setUp()
    const fired: string[] = []
    const first = timer(() => fired.push('first'))
    wheel.startLazily(first, 100)
    passTo(1)
    wheel.cancel(first)
    const second = timer(() => fired.push('second'))
    wheel.startLazily(second, 100)
    expect(wheel.close()).toEqual([second])
    passTo(500)
    expect([fired, world.calls]).toEqual([[], []])
  })
})

describe('TimerWheel.close', () => {
  test('leaves nothing waiting at the port', () => {
    const { world, wheel } = setUp()
    wheel.start(
      timer(() => undefined),
      10,
    )
    wheel.startLazily(
      timer(() => undefined),
      10,
    )
    expect(wheel.close()).toHaveLength(2)
    expect(world.calls).toEqual([])
  })

  test('leaves a wheel that can be used again, for later deadlines and lazily too', () => {
    const { wheel, passTo } = setUp()
    const fired: string[] = []
    const early = timer(() => fired.push('early'))
    const lazy = timer(() => fired.push('lazy'))
    wheel.start(early, 10)
    wheel.startLazily(lazy, 10)
    wheel.close()
    wheel.start(early, 100)
    passTo(100)
    expect(fired).toEqual(['early'])
    wheel.startLazily(lazy, 10)
    passTo(100)
    passTo(110)
    expect(fired).toEqual(['early', 'lazy'])
  })
})
