import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { Task } from './dispatcher.ts'
import { EventLoopDispatcher } from './event-loop-dispatcher.ts'

const task = (run: (quota: number) => number, isInternal = false): Task => ({ isInternal, run })

/** A task that does one thing and is done. */
const once = (act: () => unknown, isInternal = false): Task =>
  task(() => {
    act()
    return 0
  }, isInternal)

describe('EventLoopDispatcher', () => {
  test('never gives a turn synchronously, and gives it before the event loop turns', async () => {
    const dispatcher = new EventLoopDispatcher()
    const story: string[] = []
    const turned = immediate().then(() => story.push('event loop'))
    dispatcher.execute(once(() => story.push('turn')))
    story.push('asked')
    await turned
    expect(story).toEqual(['asked', 'turn', 'event loop'])
  })

  test('gives another turn to whoever used up its quota, after those who wait', async () => {
    const dispatcher = new EventLoopDispatcher()
    const story: string[] = []
    await new Promise<void>((resolve) => {
      const long = task((quota) => {
        if (story.push('long') < 4) return quota
        resolve()
        return 0
      })
      dispatcher.execute(long)
      dispatcher.execute(once(() => story.push('short')))
    })
    expect(story).toEqual(['long', 'short', 'long', 'long'])
  })

  test('lets internal tasks go first', async () => {
    const dispatcher = new EventLoopDispatcher()
    const story: string[] = []
    dispatcher.execute(once(() => story.push('ordinary')))
    dispatcher.execute(once(() => story.push('internal'), true))
    await immediate()
    expect(story).toEqual(['internal', 'ordinary'])
  })

  test('gives way to the event loop although a task always wants more', async () => {
    const dispatcher = new EventLoopDispatcher()
    let isOver = false
    dispatcher.execute(task((quota) => (isOver ? 0 : quota)))
    await immediate()
    isOver = true
  })

  test('gives way to the event loop although promises keep asking for turns', async () => {
    const dispatcher = new EventLoopDispatcher()
    let isOver = false
    const ask = (): void => {
      if (!isOver) dispatcher.execute(once(() => void Promise.resolve().then(ask)))
    }
    ask()
    await immediate()
    isOver = true
  })

  test('shortens the turns of tasks that take long', async () => {
    const dispatcher = new EventLoopDispatcher()
    const quotas: number[] = []
    const done = new Promise<void>((resolve) => {
      const slow = task((quota) => {
        quotas.push(quota)
        const untilMs = performance.now() + 2
        while (performance.now() < untilMs);
        if (quotas.length < 30) return quota
        resolve()
        return 0
      })
      dispatcher.execute(slow)
    })
    await done
    expect(quotas[0]).toBe(8)
    expect(quotas.at(-1)).toBe(1)
  })

  test('calls who wants to look before a turn, when it is time again, until told not to', async () => {
    const dispatcher = new EventLoopDispatcher()
    const story: string[] = []
    const turn = (name: string): Promise<void> =>
      new Promise((resolve) => {
        dispatcher.execute(once(() => story.push(name)))
        dispatcher.execute(once(resolve))
      })
    const endOften = dispatcher.beforeTurns(() => story.push('look'), 0)
    const endOnce = dispatcher.beforeTurns(() => story.push('rare'), 1e9)
    await turn('a')
    await turn('b')
    endOften()
    await turn('c')
    endOnce()
    await turn('d')
    expect(story).toEqual(['look', 'rare', 'a', 'look', 'b', 'c', 'd'])
  })

  test('calls before a turn also when only the wall clock went on, as in a suspended machine', async () => {
    const dispatcher = new EventLoopDispatcher()
    const story: string[] = []
    const turn = (name: string): Promise<void> =>
      new Promise((resolve) => {
        dispatcher.execute(once(() => resolve(void story.push(name))))
      })
    dispatcher.beforeTurns(() => story.push('look'), 1_000_000)
    await turn('a')
    const realNow = Date.now.bind(Date)
    const wall = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 1_000_000)
    await turn('b')
    await turn('c')
    wall.mockImplementation(() => realNow() - 1_000_000)
    await turn('d')
    wall.mockRestore()
    expect(story).toEqual(['look', 'a', 'look', 'b', 'c', 'd'])
  })

  test('a task that throws costs nobody else a turn, and is not hidden', async () => {
    const dispatcher = new EventLoopDispatcher()
    const broken = new Error('a broken promise')
    // The process hears of it; for the length of this test, that is us.
    const others = process.rawListeners('unhandledRejection') as (() => void)[]
    process.removeAllListeners('unhandledRejection')
    const heard = new Promise((resolve) => process.once('unhandledRejection', resolve))
    const goesOn = new Promise<string>((resolve) => {
      dispatcher.execute(
        once(() => {
          throw broken
        }),
      )
      dispatcher.execute(once(() => resolve('goes on')))
    })
    expect(await heard).toBe(broken)
    for (const other of others) process.on('unhandledRejection', other)
    expect(await goesOn).toBe('goes on')
  })
})
