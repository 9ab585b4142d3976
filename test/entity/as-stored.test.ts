/** Events are applied as they are stored: the state before a rest and after it is the same. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { notDone } from '../../src/entity/command-reply.ts'
import { defineEntity } from '../../src/entity/index.ts'
import { EventsNotStored } from '../../src/persistence/index.ts'
import { outcome, Stage } from './stage.ts'

class Day extends Date {}

const one = { n: 1 }

const odd: Readonly<Record<string, () => unknown>> = {
  holes: () => Array<number>(3),
  error: () => new RangeError('x'),
  subclass: () => new Day(5),
  bare: () => Object.assign(Object.create(null) as object, { a: 1 }),
  symbols: () => ({ [Symbol.for('key')]: 1 }),
  shared: () => [one, one],
  buffer: () => Buffer.from('hi'),
}

const inWords = (value: unknown): string => {
  const { constructor, toString } = value as { constructor?: unknown; toString?: unknown }
  const symbols = Object.getOwnPropertySymbols(value).length
  const isOne = Array.isArray(value) && value.length > 1 && value[0] === value[1]
  const about = [Object.keys(value as object).length, typeof toString, symbols, isOne]
  return [(constructor as { name?: string } | undefined)?.name, ...about].join(' ')
}

const Diary = defineEntity('Diary', {
  state: () => ({ words: [] as string[], list: [] as number[] }),
  events: {
    Saw: (state, value: unknown) => ({ ...state, words: [...state.words, inWords(value)] }),
    Listed: (state, list: number[]) => ({ ...state, list }),
    Later: () => Promise.reject(new Error('late')) as never,
  },
  commands: {
    see: (self, what: string) => self.persist('Saw', odd[what]!()).words,
    list: (self) => {
      const list = Array.from({ length: 40 }, (_, index) => index)
      self.persist('Listed', list)
      list.push(-1)
      return self.state.list.length
    },
    later: (self) => void self.persist('Later'),
    large: (self, length: number) => self.persist('Saw', 'x'.repeat(length)).words.length,
    look: (self) => self.state,
  },
})

let stage: Stage
beforeEach(() => void (stage = new Stage()))
afterEach(() => stage[Symbol.asyncDispose]())

describe('an event', () => {
  test.each(Object.keys(odd))('is applied as it will be read: %s', async (what) => {
    const live = await stage.call(Diary, 'a').see(what)
    await stage.passivate(Diary, 'a')
    expect(await stage.call(Diary, 'a').look()).toEqual({ words: live, list: [] })
  })

  test('is not what its command changes afterwards', async () => {
    expect(await stage.call(Diary, 'a').list()).toBe(40)
    const live = await stage.call(Diary, 'a').look()
    await stage.passivate(Diary, 'a')
    expect(await stage.call(Diary, 'a').look()).toEqual(live)
  })

  test('that is too large for the journal fails its command and no other', async () => {
    const diary = stage.call(Diary, 'a')
    const results = await Promise.all(
      [diary.large(1), diary.large(2_000_000), diary.large(1), diary.look()].map((call) =>
        outcome<unknown>(call),
      ),
    )
    expect(results[1]).toMatchObject({ code: 'COMMAND_FAILED', errorCode: 'EVENT_TOO_LARGE' })
    expect((results[1] as Error).message).toMatch(
      /^Diary 'a': large failed: An event of 'Diary\|a' has 20000\d\d bytes, and eventBytesMax is 1048576\. /,
    )
    expect([results[0], results[2]]).toEqual([1, 2])
    expect(results[3]).toMatchObject({ words: { length: 2 } })
  })

  // The test runner fails for a rejection that nobody handles.
  test('whose handler turns out to be async is refused, and its promise is nobody’s trouble', async () => {
    expect(await outcome(stage.call(Diary, 'a').later())).toMatchObject({
      errorCode: 'EVENT_HANDLER_GAVE_NO_STATE',
    })
    await stage.settle()
  })
})

test('what the journal says of itself fits into an answer', () => {
  const reply = notDone(new EventsNotStored('Diary|a', new Error('x'.repeat(9_000_000))))
  expect(reply).toMatchObject({ type: 'NotDone', code: 'EVENTS_NOT_STORED' })
  expect(reply.type === 'NotDone' && reply.problem.length).toBeLessThan(20_000)
})
