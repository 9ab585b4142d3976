/** A command that calls another entity, and fails because of that call. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandFailed, defineEntity } from '../../src/entity/index.ts'
import { outcome, Stage } from './stage.ts'

let stage: Stage
let take: () => void

const Purse = defineEntity('Purse', {
  state: () => ({ coins: 0 }),
  events: { Changed: ({ coins }, by: number) => ({ coins: coins + by }) },
  commands: {
    coins: (self) => self.state.coins,
    take: async (self, by: number) => {
      await new Promise<void>((resolve) => (take = resolve))
      self.persist('Changed', by)
    },
    refuse: () => {
      throw new RangeError('not here')
    },
    give: async (self, how: 'take' | 'refuse' | 'wrapped'): Promise<void> => {
      self.persist('Changed', -5)
      const other = stage.call(Purse, 'bob', { timeout: '1s' })
      if (how === 'refuse') return other.refuse()
      try {
        await other.take(5)
      } catch (cause) {
        throw how === 'take' ? cause : new Error('bob does not answer', { cause })
      }
    },
  },
})

beforeEach(() => {
  stage = new Stage()
})

afterEach(() => stage[Symbol.asyncDispose]())

describe('a command that fails because of a call it made', () => {
  test.each(['take', 'wrapped'] as const)(
    'may have happened when that call may have: %s',
    async (how) => {
      const given = outcome(stage.call(Purse, 'ada').give(how))
      await stage.settle()
      await stage.time.advance(1_000)
      const error = (await given) as CommandFailed
      expect(error).toMatchObject({ code: 'COMMAND_FAILED', mayHaveHappened: true })
      const inner = how === 'take' ? error.cause : (error.cause as Error).cause
      expect(inner).toMatchObject({ name: 'CallTimeout', code: 'CALL_TIMEOUT' })
      take()
      expect(await stage.call(Purse, 'bob').coins()).toBe(5)
      expect(await stage.call(Purse, 'ada').coins()).toBe(0)
    },
  )

  test('has not happened when that call has not', async () => {
    expect(await outcome(stage.call(Purse, 'ada').give('refuse'))).toMatchObject({
      ...{ code: 'COMMAND_FAILED', errorCode: 'COMMAND_FAILED', mayHaveHappened: false },
    })
  })

  test('is not confused by causes that go in a circle, or cannot be read', async () => {
    const Odd = defineEntity('Odd', {
      state: () => 0,
      events: { Never: (state: number) => state },
      commands: {
        circle: () => {
          const error = new Error('round')
          throw Object.assign(error, { cause: error })
        },
        getter: () => {
          const get = (): never => {
            throw new Error('do not look')
          }
          throw Object.defineProperty(new Error('closed'), 'cause', { get })
        },
      },
    })
    for (const command of ['circle', 'getter'] as const) {
      expect(await outcome(stage.call(Odd, 'a')[command]())).toMatchObject({
        mayHaveHappened: false,
      })
    }
  })
})

test('a call that a command makes does not wait for events, its own or earlier ones: only answers do', async () => {
  const heard: number[] = []
  const Ear = defineEntity('Ear', {
    state: () => 0,
    commands: { hear: (_self, count: number) => void heard.push(count) },
  })
  const Mouth = defineEntity('Mouth', {
    state: () => ({ count: 0 }),
    events: { Counted: ({ count }) => ({ count: count + 1 }) },
    commands: {
      count: (self) => self.persist('Counted').count,
      say: async (self) => {
        await stage.call(Ear, 'e').hear(self.persist('Counted').count)
        return self.state.count
      },
    },
  })
  await stage.call(Mouth, 'm').count()
  stage.journal.stall()
  const answers = Promise.all([stage.call(Mouth, 'm').count(), stage.call(Mouth, 'm').say()])
  let isAnswered = false
  void answers.then(() => (isAnswered = true))
  await stage.settle()
  expect({ heard, isAnswered }).toEqual({ heard: [3], isAnswered: false })
  stage.journal.flow()
  expect(await answers).toEqual([2, 3])
})
