import { AsyncLocalStorage } from 'node:async_hooks'
import nodeCrypto, { randomUUID } from 'node:crypto'
import timers from 'node:timers'
import { scheduler, setInterval as ticks, setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Simulation, SimulationFailed, simulate } from '../../src/simulation/index.ts'

/** Runs `program` as user code of node a. */
async function runAt<Value>(
  program: (simulation: Simulation) => Value | Promise<Value>,
  options: { seed?: number; for?: `${number}s`; wallOffsetMs?: number } = {},
): Promise<Value> {
  const simulation = new Simulation({ seed: options.seed ?? 1 })
  let outcome: Promise<Value> | undefined
  const { system } = simulation.node('a', { wallOffsetMs: options.wallOffsetMs ?? 0 })
  const actor = system.spawn<string>(() => {
    outcome = (async () => program(simulation))()
  })
  actor.tell('go')
  await simulation.run({ for: options.for ?? '100s' })
  return outcome as Promise<Value>
}

describe('time', () => {
  test('starts in 2026 and goes on by waiting only', async () => {
    const times = await runAt(async () => {
      const before = [Date.now(), performance.now(), new Date().toISOString(), process.uptime()]
      await sleep(1_500)
      return [before, [Date.now(), performance.now(), new Date().toISOString(), process.uptime()]]
    })
    expect(times).toEqual([
      [1_767_225_600_000, 0, '2026-01-01T00:00:00.000Z', 0],
      [1_767_225_601_500, 1_500, '2026-01-01T00:00:01.500Z', 1.5],
    ])
  })

  test('is that of the node, whose wall clock may be off', async () => {
    const [date, origin] = await runAt(() => [new Date().toISOString(), performance.timeOrigin], {
      wallOffsetMs: -1_000,
    })
    expect(date).toBe('2025-12-31T23:59:59.000Z')
    expect(origin).toBe(1_767_225_599_000)
  })

  test('is asked for in every way that Date knows', async () => {
    await runAt(() => {
      expect(Date()).toContain('2026')
      expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z')
      expect(new Date(2020, 1, 2).getFullYear()).toBe(2020)
      expect(Date.UTC(1970, 0, 1)).toBe(0)
      expect(Date.parse('1970-01-01T00:00:01Z')).toBe(1_000)
      expect(new Date()).toBeInstanceOf(Date)
      expect(new Date().constructor).toBe(Date)
      expect(Date.name).toBe('Date')
      expect(structuredClone(new Date(5)).getTime()).toBe(5)
      const [seconds, nanoseconds] = process.hrtime(process.hrtime())
      expect([seconds, nanoseconds, process.hrtime.bigint()]).toEqual([0, 0, 0n])
    })
  })

  test('of two runs is the same however long they take', async () => {
    expect(await runAt(() => Date.now())).toBe(await runAt(() => Date.now()))
  })
})

describe('chance', () => {
  const draws = (): unknown[] => [
    Math.random(),
    crypto.randomUUID(),
    randomUUID(),
    [...crypto.getRandomValues(new Uint8Array(5))],
    nodeCrypto.randomBytes(8).toString('hex'),
    nodeCrypto.randomInt(1_000),
    [...nodeCrypto.webcrypto.getRandomValues(new Uint16Array(3))],
  ]

  test('is the same under the same seed, and another under another', async () => {
    const first = await runAt(draws, { seed: 1 })
    expect(await runAt(draws, { seed: 1 })).toEqual(first)
    const other = await runAt(draws, { seed: 2 })
    for (const [index, value] of other.entries()) expect(value).not.toEqual(first[index])
  })

  test('makes proper UUIDs, and answers callbacks later', async () => {
    const uuid = await runAt(() => crypto.randomUUID())
    expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    const bytes = await runAt(() => promisify(nodeCrypto.randomBytes)(4))
    expect(bytes).toHaveLength(4)
  })

  test('fills all or the named elements of whatever buffer it is given', async () => {
    await runAt(() => {
      const buffer = new ArrayBuffer(64)
      nodeCrypto.randomFillSync(buffer as never)
      expect(new Set(new Uint8Array(buffer)).size).toBeGreaterThan(20)
      const words = nodeCrypto.randomFillSync(new Uint32Array(6), 2, 3)
      expect([...words].map((word) => word > 0)).toEqual([false, false, true, true, true, false])
      expect(() => nodeCrypto.randomFillSync(new Uint8Array(4), 5)).toThrow(RangeError)
    })
  })
})

describe('timers', () => {
  test('fire in the context where they were started', async () => {
    const storage = new AsyncLocalStorage<string>()
    const seen = await runAt(async () => {
      const contexts: (string | undefined)[] = []
      const note = (): number => contexts.push(storage.getStore())
      storage.run('request 1', () => {
        setTimeout(note, 1)
        const interval = setInterval(() => note() && clearInterval(interval), 2)
        setImmediate(note)
        nodeCrypto.randomBytes(4, note)
        AbortSignal.timeout(3).addEventListener('abort', note)
      })
      await sleep(5)
      return contexts
    })
    expect(seen).toEqual(Array(5).fill('request 1'))
  })

  test('of every kind fire in virtual time', async () => {
    const log = await runAt(async (simulation) => {
      const lines: string[] = []
      const note = (what: string) => (): number => lines.push(`${what} at ${simulation.now}`)
      setTimeout(note('timeout'), 30)
      timers.setTimeout(note('node:timers'), 31.9)
      setTimeout((...values: unknown[]) => note(`values ${values.join()}`)(), 32, 1, 2)
      const interval = setInterval(() => {
        note('interval')()
        if (simulation.now >= 100) clearInterval(interval)
      }, 50)
      setImmediate(note('immediate'))
      void promisify(setTimeout)(40).then(note('promisified'))
      void scheduler.wait(45).then(note('scheduler'))
      setTimeout(note('at least one'), 0)
      await sleep(200)
      return lines
    })
    expect(log).toEqual([
      'immediate at 0',
      'at least one at 1',
      'timeout at 30',
      'node:timers at 31',
      'values 1,2 at 32',
      'promisified at 40',
      'scheduler at 45',
      'interval at 50',
      'interval at 100',
    ])
  })

  test('can be cleared, refreshed, unref-ed and turned into a number', async () => {
    const log = await runAt(async (simulation) => {
      const lines: string[] = []
      const note = (what: string) => (): number => lines.push(`${what} at ${simulation.now}`)
      const cleared = setTimeout(note('cleared'), 10)
      clearTimeout(cleared)
      clearTimeout(Number(setTimeout(note('cleared by number'), 10)))
      clearImmediate(setImmediate(note('immediate')))
      const refreshed = setTimeout(note('refreshed'), 10)
      setTimeout(() => refreshed.refresh(), 5)
      const unrefed = setTimeout(note('unrefed'), 20).unref()
      lines.push(String(unrefed.hasRef()), String(unrefed.ref().hasRef()))
      clearTimeout(undefined)
      clearInterval('nonsense')
      await sleep(100)
      return lines
    })
    expect(log).toEqual(['false', 'true', 'refreshed at 15', 'unrefed at 20'])
  })

  test('that repeat can be refreshed by themselves, and stay one', async () => {
    const times = await runAt(async (simulation) => {
      const seen: number[] = []
      const interval = setInterval(() => {
        seen.push(simulation.now)
        interval.refresh()
      }, 10)
      await sleep(55)
      clearInterval(interval)
      await sleep(55)
      return seen
    })
    expect(times).toEqual([10, 20, 30, 40, 50])
  })

  test('have numbers that are the same under the same seed', async () => {
    const numbers = async (): Promise<number[]> => {
      const seen: number[] = []
      const scenario = async (simulation: Simulation): Promise<void> => {
        simulation.after(0, () => seen.push(Number(setTimeout(() => {}, 1))))
        await simulation.run({ for: '1s' })
      }
      await simulate('numbers', { scenario, seeds: 3 })
      return seen
    }
    const [first, second] = await numbers()
    expect(second).toBe(first)
  })

  test('of one moment run in drawn order, immediates in the order of calls', async () => {
    const orderUnder = (kind: 'setTimeout' | 'setImmediate', seed: number): Promise<string> =>
      runAt(
        async () => {
          const lines: number[] = []
          for (const number of [1, 2, 3]) {
            if (kind === 'setImmediate') setImmediate(() => lines.push(number))
            else setTimeout(() => lines.push(number), 5)
          }
          await sleep(100)
          return lines.join('')
        },
        { seed },
      )
    const timeouts = new Set<string>()
    const immediates = new Set<string>()
    for (let seed = 0; seed < 60; seed++) {
      timeouts.add(await orderUnder('setTimeout', seed))
      immediates.add(await orderUnder('setImmediate', seed))
    }
    expect(timeouts.size).toBe(6)
    expect([...immediates]).toEqual(['123'])
  })

  test('of node:timers/promises take an AbortSignal', async () => {
    const outcome = await runAt(async (simulation) => {
      const signal = AbortSignal.timeout(70)
      const error = await sleep(1_000, 'value', { signal }).catch((reason: Error) => reason)
      const late = await sleep(1_000, 'value', { signal }).catch((reason: Error) => reason)
      return [error, late, simulation.now, signal.reason] as [Error, Error, number, DOMException]
    })
    expect(outcome[0]).toMatchObject({ name: 'AbortError', code: 'ABORT_ERR' })
    expect(outcome[1]).toMatchObject({ name: 'AbortError', code: 'ABORT_ERR' })
    expect(outcome[2]).toBe(70)
    expect(outcome[3].name).toBe('TimeoutError')
  })

  test('of an AbortSignal refuse what is no delay, as Node does', async () => {
    const codes = await runAt(() =>
      [NaN, -1, 1.5, 2 ** 32, '5', undefined].map((delay) => {
        try {
          return AbortSignal.timeout(delay as number)
        } catch (error) {
          return (error as { code: string }).code
        }
      }),
    )
    const range = 'ERR_OUT_OF_RANGE'
    const type = 'ERR_INVALID_ARG_TYPE'
    expect(codes).toEqual([range, range, range, range, type, type])
  })

  test('of node:timers/promises tick', async () => {
    const times = await runAt(async (simulation) => {
      const seen: number[] = []
      for await (const value of ticks(10, 'tick')) {
        expect(value).toBe('tick')
        if (seen.push(simulation.now) === 3) break
      }
      return seen
    })
    expect(times).toEqual([10, 20, 30])
  })

  test('that throw fail the run with the seed', async () => {
    const throwLater = (): void =>
      void setTimeout(() => {
        throw new Error('in a timer')
      }, 5)
    const failure = await runAt(throwLater, { seed: 77 }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SimulationFailed)
    expect((failure as Error).message).toContain('Seed 77')
    expect((failure as Error).message).toContain('in a timer')
  })

  test('refuse what is no function, as Node does', async () => {
    await runAt(() => {
      const noFunction = 5 as unknown as () => void
      expect(() => setTimeout(noFunction, 1)).toThrow(TypeError)
    })
  })
})

describe('the surrounding process', () => {
  const realImports = [randomUUID, sleep, ticks]
  const realThings = [
    Date,
    Date.now,
    Math.random,
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout,
  ]
  const now = (): unknown[] => [
    Date,
    Date.now,
    Math.random,
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout,
  ]

  test('has its own functions back after a run, also after one that failed', async () => {
    await runAt(() => expect(now()).not.toEqual(realThings))
    expect(now()).toEqual(realThings)
    const simulation = new Simulation({ seed: 1 })
    simulation.after('1s', () => {
      throw new Error('scripted')
    })
    await expect(simulation.run({ for: '2s' })).rejects.toThrow('scripted')
    expect(now()).toEqual(realThings)
    expect(Date.prototype.constructor).toBe(Date)
    expect([randomUUID, sleep, ticks]).toEqual(realImports)
    expect(Object.hasOwn(performance, 'now')).toBe(false)
    expect(Object.hasOwn(crypto, 'randomUUID')).toBe(false)
    expect(Date.now()).not.toBe(1_767_225_600_000)
  })

  test('never sees virtual time between the steps of a long run', async () => {
    const simulation = new Simulation({ seed: 1 })
    const { system } = simulation.node('a')
    const restless = system.spawn<string>(async () => {
      await sleep(1)
      restless.tell('again')
    })
    restless.tell('go')
    const years: number[] = []
    const watch = setInterval(() => years.push(new Date().getTime()), 1)
    await simulation.run({ for: '20s' })
    clearInterval(watch)
    expect(years.length).toBeGreaterThan(0)
    const virtual = years.filter((time) => time >= 1_767_225_600_000 && time < 1_767_225_700_000)
    expect(virtual).toEqual([])
  })

  test('and other simulations are what virtual functions that were kept turn to', async () => {
    const kept = await runAt(() => ({ now: Date.now, Date, setTimeout, random: Math.random }))
    const seen = await runAt(async (simulation) => {
      await new Promise((resolve) => kept.setTimeout(resolve, 1_000))
      return [simulation.now, kept.now() - 1_767_225_600_000, new kept.Date().getFullYear()]
    })
    expect(seen).toEqual([1_000, 1_000, 2026])
    const draw = (): Promise<number> => runAt(() => kept.random(), { seed: 4 })
    expect(await draw()).toBe(await draw())
  })

  test('gets real time from virtual functions that were kept', async () => {
    const kept = await runAt(() => ({
      now: Date.now,
      Date,
      setTimeout,
      performance: performance.now,
    }))
    const before = Date.now()
    expect(kept.now()).toBeGreaterThanOrEqual(before)
    expect(new kept.Date().getTime()).toBeGreaterThanOrEqual(before)
    await new Promise((resolve) => kept.setTimeout(resolve, 1))
  })
})

describe('what is left to the real world', () => {
  test('a timer of its own can be cleared from inside a step', async () => {
    const real = setTimeout(() => undefined, 600_000)
    await runAt(() => clearTimeout(real))
    // By a field of Node's own: to see it not fire would take time.
    expect(real).toHaveProperty('_destroyed', true)
  })

  test('a refusal leaves the depth of stacks as it was', async () => {
    const before = Error.stackTraceLimit
    Error.stackTraceLimit = 17
    await runAt(() => fetch('http://localhost').catch(() => undefined)).catch(() => undefined)
    expect(Error.stackTraceLimit).toBe(17)
    Error.stackTraceLimit = before
  })
})

test('AbortSignal.timeout does not keep a simulation from being idle', async () => {
  const simulation = new Simulation({ seed: 1 })
  let signal: AbortSignal | undefined
  simulation.after(0, () => {
    signal = AbortSignal.timeout(60_000)
  })
  await simulation.runUntilIdle()
  expect([simulation.now, signal?.aborted]).toEqual([0, false])
})
