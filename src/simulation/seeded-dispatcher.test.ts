import { describe, expect, test } from 'vitest'
import type { Task } from '../foundation/dispatcher.ts'
import { SeededDispatcher, SeededTurns } from './seeded-dispatcher.ts'
import { SeededRandom } from './seeded-random.ts'

/** Does `work` units in all and notes its turns. */
class Work implements Task {
  readonly isInternal: boolean
  readonly name: string
  readonly log: string[]
  left: number

  constructor(name: string, log: string[], work = 1, isInternal = false) {
    this.name = name
    this.log = log
    this.left = work
    this.isInternal = isInternal
  }

  run(quota: number): number {
    const units = Math.min(quota, this.left)
    this.left -= units
    this.log.push(this.name)
    return units
  }

  toString(): string {
    return this.name
  }
}

describe('SeededDispatcher', () => {
  const make = (seed: number, names = ['a']) => {
    const turns = new SeededTurns<string>(new SeededRandom(seed, 'nodes'))
    const state = { mayAct: true }
    const dispatchers = names.map(
      (name) =>
        new SeededDispatcher(name, turns, {
          random: new SeededRandom(seed, name),
          mayAct: () => state.mayAct,
        }),
    )
    return { turns, dispatchers, state }
  }
  const runAll = (turns: SeededTurns<string>): void => {
    while (!turns.isEmpty) {
      const dispatcher = turns.draw()
      dispatcher.run(dispatcher.draw())
    }
  }

  test('gives internal tasks their turns first', () => {
    for (let seed = 0; seed < 50; seed++) {
      const log: string[] = []
      const {
        turns,
        dispatchers: [dispatcher],
      } = make(seed)
      dispatcher!.execute(new Work('user 1', log))
      dispatcher!.execute(new Work('internal 1', log, 1, true))
      dispatcher!.execute(new Work('user 2', log))
      dispatcher!.execute(new Work('internal 2', log, 1, true))
      const draw = () => dispatcher!.run(dispatcher!.draw())
      for (let n = 0; n < 2; n++) draw()
      expect(log.slice(0, 2).every((name) => name.startsWith('internal'))).toBe(true)
      runAll(turns)
    }
  })

  test('gives another turn to whoever did all of its quota', () => {
    const {
      turns,
      dispatchers: [dispatcher],
    } = make(3)
    const work = new Work('a', [], 100)
    dispatcher!.execute(work)
    runAll(turns)
    expect(work.left).toBe(0)
    expect(work.log.length).toBeGreaterThan(10)
  })

  test('draws every order of tasks and nodes under some seed, and the same under the same', () => {
    const orderUnder = (seed: number): string => {
      const log: string[] = []
      const { turns, dispatchers } = make(seed, ['a', 'b'])
      for (const [index, dispatcher] of dispatchers.entries()) {
        for (const name of ['x', 'y']) dispatcher.execute(new Work(`${name}${index}`, log, 0))
      }
      runAll(turns)
      return log.join(' ')
    }
    expect(orderUnder(9)).toBe(orderUnder(9))
    const orders = new Set(Array.from({ length: 500 }, (_, seed) => orderUnder(seed)))
    expect(orders.size).toBe(24)
  })

  test('lets whoever wants to look do so before each turn', () => {
    const {
      turns,
      dispatchers: [dispatcher],
    } = make(1)
    const log: string[] = []
    const end = dispatcher!.beforeTurns(() => log.push('look'))
    dispatcher!.execute(new Work('a', log, 0))
    runAll(turns)
    end()
    dispatcher!.execute(new Work('b', log, 0))
    runAll(turns)
    expect(log).toEqual(['look', 'a', 'b'])
  })

  test('refuses a task that asks twice', () => {
    const {
      dispatchers: [dispatcher],
    } = make(1)
    const work = new Work('greedy', [])
    dispatcher!.execute(work)
    expect(() => dispatcher!.execute(work)).toThrow('greedy asks for one turn at a time')
  })

  test('forgets its tasks when cleared, and takes none when it may not act', () => {
    const {
      turns,
      dispatchers: [dispatcher],
      state,
    } = make(1)
    dispatcher!.execute(new Work('a', []))
    dispatcher!.execute(new Work('b', [], 1, true))
    dispatcher!.clear()
    expect(turns.isEmpty).toBe(true)
    state.mayAct = false
    dispatcher!.execute(new Work('c', []))
    expect(turns.isEmpty).toBe(true)
  })

  test('draws how much a task may do in a turn, from one unit to eight', () => {
    const quotas = new Set<number>()
    for (let seed = 0; seed < 200; seed++) {
      const {
        turns,
        dispatchers: [dispatcher],
      } = make(seed)
      const run = (quota: number): number => {
        quotas.add(quota)
        return 0
      }
      dispatcher!.execute({ isInternal: false, run, toString: () => 'curious' })
      runAll(turns)
    }
    expect(quotas).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
  })

  test('a node that crashes while it is held takes nobody else’s turn with it', () => {
    const log: string[] = []
    const {
      turns,
      dispatchers: [held, other],
    } = make(1, ['held', 'other'])
    held!.execute(new Work('of the held', log))
    other!.execute(new Work('of the other', log))
    held!.hold()
    held!.clear()
    runAll(turns)
    expect(log).toEqual(['of the other'])
  })

  test('a node that is held gets no turn, whatever becomes ready and however often it is held', () => {
    const log: string[] = []
    const {
      turns,
      dispatchers: [held, other],
    } = make(1, ['held', 'other'])
    held!.hold()
    held!.execute(new Work('of the held', log))
    other!.execute(new Work('of the other', log))
    held!.hold()
    runAll(turns)
    expect(log).toEqual(['of the other'])
    held!.release()
    held!.release()
    runAll(turns)
    expect(log).toEqual(['of the other', 'of the held'])
  })

  test('a task that ends its own node gets no other turn', () => {
    const {
      turns,
      dispatchers: [dispatcher],
      state,
    } = make(1)
    let count = 0
    const run = (quota: number): number => {
      count++
      state.mayAct = false
      return quota
    }
    dispatcher!.execute({ isInternal: false, run, toString: () => 'last' })
    runAll(turns)
    expect(count).toBe(1)
  })
})
