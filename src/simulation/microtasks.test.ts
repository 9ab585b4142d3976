import { describe, expect, test } from 'vitest'
import { type DrainMode, type SteppedWork, Whereabouts, driveSteps } from './microtasks.ts'

describe.each(['drain', 'hop'] as DrainMode[])('steps by %s', (mode) => {
  const workOf = (log: string[], steps: (() => void)[]): SteppedWork => ({
    enter: () => log.push('enter'),
    step: () => {
      const step = steps.shift()
      step?.()
      return step !== undefined
    },
    settle: () => log.push('settled') > 0,
    uncaught: (error, how) => log.push(`${how}: ${(error as Error).message}`),
    leave: () => log.push('leave'),
  })
  const withoutFrames = (log: string[]): string[] =>
    log.filter((line) => !/^(enter|leave)$/.test(line))

  test('run every reaction before the next step', async () => {
    const log: string[] = []
    const deeply = async (depth: number): Promise<void> => {
      if (depth > 0) await deeply(depth - 1)
    }
    async function* numbers(): AsyncGenerator<number> {
      yield 1
      yield Promise.resolve(2)
    }
    const step = (name: string) => (): void => {
      void deeply(20).then(() => log.push(`${name} after 20 awaits`))
      process.nextTick(() => queueMicrotask(() => log.push(`${name} after a tick`)))
      void (async () => {
        for await (const value of numbers()) log.push(`${name} ${value}`)
      })()
    }
    await driveSteps(workOf(log, [step('one'), step('two')]), mode)
    const settledAt = withoutFrames(log).indexOf('settled')
    const [first, second] = [
      withoutFrames(log).slice(0, settledAt),
      withoutFrames(log).slice(settledAt + 1, -1),
    ]
    expect(first).toHaveLength(4)
    expect(first.every((line) => line.startsWith('one'))).toBe(true)
    expect(second).toEqual(first.map((line) => line.replace('one', 'two')))
  })

  test('hand over everything uncaught, and go on', async () => {
    const log: string[] = []
    const listeners = process.listeners('uncaughtException')
    const steps = [
      () => void Promise.reject(new Error('a')),
      () =>
        queueMicrotask(() => {
          throw new Error('b')
        }),
      () =>
        process.nextTick(() => {
          throw new Error('c')
        }),
    ]
    await driveSteps(workOf(log, steps), mode)
    expect(log.filter((line) => line.includes(':'))).toEqual([
      'rejected: a',
      'thrown: b',
      'thrown: c',
    ])
    expect(process.listeners('uncaughtException')).toEqual(listeners)
  })

  test('leave what they entered when a part throws', async () => {
    const log: string[] = []
    const work = workOf(log, [
      () => {
        throw new Error('broken')
      },
    ])
    await expect(driveSteps(work, mode)).rejects.toThrow('broken')
    expect(log.at(-1)).toBe('leave')
  })

  test('give back to the process who listened to its errors before', async () => {
    const events = ['uncaughtException', 'unhandledRejection'] as const
    const listeners = (): unknown[] => events.map((event) => process.rawListeners(event))
    const mine = (): void => undefined
    for (const event of events) process.on(event, mine)
    const before = listeners()
    const during: unknown[] = []
    const step = (): void => void during.push(...listeners())
    await driveSteps(workOf([], [step]), mode)
    expect(listeners()).toEqual(before)
    for (const event of events) process.off(event, mine)
    expect(during.flat()).not.toContain(mine)
  })
})

test('code knows its place after an await that another place ended', async () => {
  const whereabouts = new Whereabouts<{ name: string }>()
  const places: (string | undefined)[] = []
  let release = (): void => {}
  const steps = [
    () =>
      whereabouts.run({ name: 'a' }, () => {
        void new Promise<void>((resolve) => (release = resolve)).then(() =>
          places.push(whereabouts.current?.name),
        )
      }),
    () => whereabouts.rest(),
    () => whereabouts.run({ name: 'b' }, () => release()),
  ]
  const step = (): boolean => {
    const next = steps.shift()
    next?.()
    return next !== undefined
  }
  await driveSteps({ enter() {}, step, settle: () => true, uncaught() {}, leave() {} }, 'drain')
  expect(places).toEqual(['a'])
  expect(whereabouts.current).toBeUndefined()
})
