import { describe, expect, test } from 'vitest'
import type { Timers } from '../../foundation/timers.ts'
import { GroupCommit } from './group-commit.ts'
import { defaultLmdbSettings } from './lmdb-settings.ts'

interface Named {
  readonly name: string
  readonly eventCount: number
  readonly byteCount: number
  succeed(): void
  fail(error: Error): void
}

/** A store whose commits begin and end when the test says so. `turns` are those that it is given, if there are any. */
function stage(settings = {}, turns?: (() => void)[]) {
  const story: string[] = []
  const transactions: {
    begin: () => void
    again: () => void
    end: () => void
    break: (error: Error) => void
  }[] = []
  let strike: (() => void) | undefined
  const due: (() => void)[] = []
  const timers: Timers = {
    after: (delayMs, callback) => {
      if (delayMs === 0) due.push(callback)
      else strike = callback
      return { cancel: () => (strike = undefined) }
    },
  }
  const commits = new GroupCommit<Named>({
    transact: (take, taken) =>
      new Promise<void>((resolve, reject) => {
        const begin = () => story.push(`commit ${take().map(({ name }) => name)}`)
        const again = () => story.push(`again ${taken().map(({ name }) => name)}`)
        transactions.push({ begin, again, end: resolve, break: reject })
      }),
    settings: { ...defaultLmdbSettings, ...settings },
    timers,
    ...(turns === undefined ? {} : { nextTurn: (work: () => void) => void turns.push(work) }),
    advice: () => 'Process 7 holds the lock.',
  })
  const add = (name: string, byteCount = 1): void =>
    commits.add({
      name,
      eventCount: 1,
      byteCount,
      succeed: () => story.push(`${name} stored`),
      fail: (error) => story.push(`${name} ${(error as { code?: string }).code ?? error.message}`),
    })
  const nextStory = async (): Promise<string[]> => {
    await new Promise(setImmediate)
    return story.splice(0)
  }
  const tick = (): void => strike?.()
  return { commits, transactions, add, nextStory, tick, due }
}

describe('GroupCommit', () => {
  test('names those of a commit again that is decided anew, but none that was given up', async () => {
    const { transactions, add, nextStory, tick } = stage()
    add('a')
    transactions[0]?.begin()
    add('b')
    transactions[0]?.again()
    expect(await nextStory()).toEqual(['commit a', 'again a'])
    tick()
    transactions[0]?.again()
    expect(await nextStory()).toEqual([
      'a JOURNAL_OUTCOME_UNKNOWN',
      'b JOURNAL_UNAVAILABLE',
      'again ',
    ])
  })

  test('puts what comes until the lock is held into one commit, the rest into the next', async () => {
    const { transactions, add, nextStory } = stage()
    add('a')
    add('b')
    transactions[0]?.begin()
    add('c')
    expect(transactions).toHaveLength(1)
    transactions[0]?.end()
    expect(await nextStory()).toEqual(['commit a,b', 'a stored', 'b stored'])
    transactions[1]?.begin()
    transactions[1]?.end()
    expect(await nextStory()).toEqual(['commit c', 'c stored'])
    expect(transactions).toHaveLength(2)
  })

  test('bounds a commit by events and by bytes, but never divides one operation', async () => {
    const { transactions, add, nextStory } = stage({ commitEventsMax: 2, commitBytesMax: 10 })
    for (const [name, bytes] of [
      ['a', 1],
      ['b', 1],
      ['c', 9],
      ['d', 9],
      ['e', 50],
    ] as const) {
      add(name, bytes)
    }
    const stored: string[] = []
    for (let round = 0; round < 4; round++) {
      transactions[round]?.begin()
      transactions[round]?.end()
      stored.push(...(await nextStory()).filter((line) => line.startsWith('commit')))
    }
    expect(stored).toEqual(['commit a,b', 'commit c', 'commit d', 'commit e'])
  })

  test('is busy while a commit is under way, and no more when its operations are told', async () => {
    const { commits, transactions } = stage()
    const seen: boolean[] = []
    const look = (): void => void seen.push(commits.isBusy)
    commits.add({ name: 'a', eventCount: 1, byteCount: 1, succeed: look, fail: look })
    transactions[0]?.begin()
    look()
    transactions[0]?.end()
    await commits.whenIdle()
    expect(seen).toEqual([true, false])
  })

  test('tells those of a large commit in parts, and waits for the last before it is idle', async () => {
    const turns: (() => void)[] = []
    const { commits, transactions, add, nextStory } = stage({}, turns)
    const names = Array.from({ length: 100 }, (_, index) => `${index}`)
    for (const name of names) add(name)
    transactions[0]?.begin()
    transactions[0]?.end()
    const told = (await nextStory()).slice(1)
    expect(told.length).toBeGreaterThan(0)
    expect(told.length).toBeLessThan(names.length)
    let isIdle = false
    const idle = commits.whenIdle().then(() => (isIdle = true))
    while (told.length < names.length) {
      expect([isIdle, turns.length]).toEqual([false, 1])
      turns.shift()?.()
      told.push(...(await nextStory()))
    }
    await idle
    expect(told).toEqual(names.map((name) => `${name} stored`))
    expect(turns).toEqual([])
  })

  test('asks for the next commit before those of the last one go on, and tells all of them before its own', async () => {
    const turns: (() => void)[] = []
    const { transactions, add, nextStory } = stage({}, turns)
    const names = Array.from({ length: 100 }, (_, index) => `${index}`)
    for (const name of names) add(name)
    transactions[0]?.begin()
    add('next')
    transactions[0]?.end()
    expect((await nextStory()).slice(1)).toEqual([])
    expect([transactions.length, turns.length]).toEqual([2, 1])
    turns.shift()?.()
    expect(await nextStory()).not.toContain('99 stored')
    transactions[1]?.begin()
    transactions[1]?.break(new Error('failed'))
    expect((await nextStory()).slice(-2)).toEqual(['99 stored', 'next failed'])
    for (const turn of turns) turn()
    expect(await nextStory()).toEqual([])
  })

  test('goes on when some who are told throw, and throws that where all hear of it', async () => {
    const { commits, transactions, add, nextStory, due } = stage()
    const broken = (name: string): void => {
      const succeed = (): never => {
        throw new Error(`${name} is broken`)
      }
      commits.add({ name, eventCount: 1, byteCount: 1, succeed, fail: succeed })
    }
    broken('a')
    broken('b')
    add('c')
    transactions[0]?.begin()
    transactions[0]?.end()
    expect(await nextStory()).toEqual(['commit a,b,c', 'c stored'])
    expect(due).toHaveLength(2)
    expect(due[0]).toThrow('a is broken')
    expect(due[1]).toThrow('b is broken')
    add('d')
    transactions[1]?.begin()
    transactions[1]?.end()
    expect(await nextStory()).toEqual(['commit d', 'd stored'])
    expect(await commits.whenIdle()).toBe(true)
  })

  test('refuses what no longer fits into the memory set aside for waiting', async () => {
    const { transactions, add, nextStory } = stage({ waitingBytesMax: 10 })
    add('a', 6)
    add('b', 6)
    add('c', 4)
    transactions[0]?.begin()
    add('d', 10)
    transactions[0]?.end()
    expect(await nextStory()).toEqual([
      'b JOURNAL_UNAVAILABLE',
      'commit a,c',
      'a stored',
      'c stored',
    ])
  })

  test('tells only those in it that a commit failed, and goes on', async () => {
    const { transactions, add, nextStory } = stage()
    add('a')
    transactions[0]?.begin()
    add('b')
    transactions[0]?.break(new Error('failed'))
    expect(await nextStory()).toEqual(['commit a', 'a failed'])
    transactions[1]?.begin()
    transactions[1]?.end()
    expect(await nextStory()).toEqual(['commit b', 'b stored'])
  })

  test('tells all who wait when no transaction could begin, instead of trying for ever', async () => {
    const { transactions, add, nextStory } = stage()
    add('a')
    add('b')
    transactions[0]?.break(new Error('no lock'))
    expect(await nextStory()).toEqual(['a no lock', 'b no lock'])
    expect(transactions).toHaveLength(1)
  })

  test('gives up a commit that hangs: unknown for those in it, refused for those behind it', async () => {
    const { commits, transactions, add, nextStory, tick } = stage()
    add('a')
    transactions[0]?.begin()
    add('b')
    tick()
    expect(await nextStory()).toEqual([
      'commit a',
      'a JOURNAL_OUTCOME_UNKNOWN',
      'b JOURNAL_UNAVAILABLE',
    ])
    add('c')
    tick()
    expect(await nextStory()).toEqual(['c JOURNAL_UNAVAILABLE'])
    expect(await commits.whenIdle()).toBe(false)
  })

  test('says who keeps it from committing', async () => {
    const { commits, tick } = stage()
    const told = new Promise<Error>((fail) =>
      commits.add({ name: 'a', eventCount: 1, byteCount: 1, succeed: () => undefined, fail }),
    )
    tick()
    expect((await told).message).toBe('No commit began within 10 s. Process 7 holds the lock.')
  })

  test('works again when the commit that hung has ended after all', async () => {
    const { commits, transactions, add, nextStory, tick } = stage()
    add('a')
    transactions[0]?.begin()
    tick()
    transactions[0]?.end()
    expect(await nextStory()).toEqual(['commit a', 'a JOURNAL_OUTCOME_UNKNOWN'])
    add('b')
    transactions[1]?.begin()
    transactions[1]?.end()
    expect(await nextStory()).toEqual(['commit b', 'b stored'])
    expect(await commits.whenIdle()).toBe(true)
  })
})
