import { createServer, connect, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { systemClock } from './system-clock.ts'
import { systemTimers } from './system-timers.ts'
import { TimerWheel, type WheelTimer } from './timer-wheel.ts'

/** What one wake-up fires. */
const firesMax = 100

/** A wheel whose port calls back only when told to, each call in a turn of its own. */
function setUp() {
  const world = { nowMs: 0, calls: [] as { atMs: number; callback: () => void }[] }
  const clock = { monotonicMs: () => world.nowMs, wallMs: () => 0 }
  const after = (delayMs: number, callback: () => void) => {
    const call = { atMs: world.nowMs + delayMs, callback }
    world.calls.push(call)
    return { cancel: () => void (world.calls = world.calls.filter((each) => each !== call)) }
  }
  const wheel = new TimerWheel(clock, { after })
  const fired: string[] = []
  /** Calls what is due now, but not what that starts; answers what has fired. */
  const turn = (nowMs = world.nowMs): string[] => {
    world.nowMs = nowMs
    const due = world.calls.filter(({ atMs }) => atMs <= nowMs)
    world.calls = world.calls.filter((call) => !due.includes(call))
    for (const { callback } of due) callback()
    return fired.splice(0)
  }
  const start = (name: string, delayMs: number, isInternal = false): WheelTimer => {
    const timer = timerThat(() => void fired.push(name), isInternal)
    wheel.start(timer, delayMs)
    return timer
  }
  const startMany = (count: number, delayMs: number): WheelTimer[] =>
    Array.from({ length: count }, (_, index) => start(`${index}`, delayMs))
  return { world, wheel, fired, turn, start, startMany }
}

const timerThat = (fire: () => void, isInternal = false): WheelTimer => ({
  ...{ deadlineMs: 0, next: undefined, previous: undefined, slot: -1 },
  ...{ isInternal, fire },
})

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `${from + index}`)

describe('TimerWheel with more timers due than one wake-up fires', () => {
  test('fires the rest in later turns, in the order of deadlines and of starts', () => {
    const { world, wheel, turn, start, startMany } = setUp()
    start('last', 30)
    startMany(250, 20)
    start('first', 10)
    expect(turn(1_000)).toEqual(['first', ...names(0, firesMax - 1)])
    expect([wheel.size, world.calls.map(({ atMs }) => atMs)]).toEqual([152, [1_000]])
    expect(turn()).toEqual(names(firesMax - 1, 2 * firesMax - 1))
    expect(turn()).toEqual([...names(2 * firesMax - 1, 250), 'last'])
    expect([wheel.size, world.calls]).toEqual([0, []])
  })

  test('does not fire what is cancelled between two turns', () => {
    const { wheel, turn, startMany } = setUp()
    const timers = startMany(150, 10)
    turn(10)
    for (const timer of timers.slice(110)) wheel.cancel(timer)
    expect(turn()).toEqual(names(100, 110))
    expect([wheel.size, turn()]).toEqual([0, []])
  })

  test('comes to rest when all that was left is cancelled, and fires what is started later', () => {
    const { world, wheel, turn, start, startMany } = setUp()
    const timers = startMany(150, 10)
    turn(10)
    for (const timer of timers) wheel.cancel(timer)
    turn()
    expect(world.calls).toEqual([])
    start('later', 5)
    expect(turn(15)).toEqual(['later'])
  })

  test('arms once between two turns, whatever is started there, and fires that after the rest', () => {
    const { world, turn, start, startMany } = setUp()
    startMany(150, 10)
    turn(10)
    start('at once', 0)
    start('soon', 1)
    expect(world.calls).toHaveLength(1)
    expect(turn(11)).toEqual([...names(100, 150), 'at once', 'soon'])
  })

  test('fires internal timers first, also those that became due meanwhile', () => {
    const { turn, start, startMany } = setUp()
    startMany(250, 10)
    start('heartbeat', 10, true)
    start('next heartbeat', 12, true)
    expect(turn(10)).toEqual(['heartbeat', ...names(0, 99)])
    expect(turn(12)).toEqual(['next heartbeat', ...names(99, 198)])
    expect(turn(13)).toEqual(names(198, 250))
  })

  test('goes on with the others after one that throws', () => {
    const { wheel, turn, start } = setUp()
    const failing = (): never => {
      throw new Error('boom')
    }
    wheel.start(timerThat(failing), 10)
    start('beside', 10)
    expect(() => turn(10)).toThrow('boom')
    start('later', 5)
    expect([turn(), turn(15)]).toEqual([['beside'], ['later']])
  })

  test('forgets the rest on close', () => {
    const { world, wheel, turn, startMany } = setUp()
    const timers = startMany(150, 10)
    turn(10)
    expect(wheel.close()).toEqual(timers.slice(100))
    expect([wheel.size, world.calls, turn(1_000)]).toEqual([0, [], []])
  })
})

test('sockets and immediates are served while real timers catch up', async () => {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true)
  await once(client, 'connect')
  const seen = { echoes: 0, immediates: 0, fires: 0, firesInARow: 0, firesInARowMax: 0 }
  client.on('data', (bytes) => {
    seen.echoes++
    if (client.writable) client.write(bytes)
  })
  const wheel = new TimerWheel(systemClock, systemTimers)
  await new Promise<void>((resolve) => {
    const nextTurn = (): void => {
      seen.immediates++
      seen.firesInARow = 0
      if (wheel.size > 0) setImmediate(nextTurn)
      else resolve()
    }
    const fire = (): void => {
      if (seen.fires++ === 0) {
        client.write('ping')
        seen.immediates = 0
      }
      seen.firesInARowMax = Math.max(seen.firesInARowMax, ++seen.firesInARow)
    }
    for (let count = 0; count < 20 * firesMax; count++) wheel.start(timerThat(fire), 5)
    setImmediate(nextTurn)
  })
  client.end()
  server.close()
  await once(server, 'close')
  expect(seen).toMatchObject({ fires: 20 * firesMax, firesInARowMax: firesMax })
  expect(seen.immediates).toBeGreaterThanOrEqual(20)
  expect(seen.echoes).toBeGreaterThanOrEqual(2)
})
