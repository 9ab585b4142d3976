import { describe, expect, test } from 'vitest'
import { problemsWithEnvironment } from './environment.ts'
import { systemEnvironment } from './system-environment.ts'

const nothing = (): undefined => undefined
const levels = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }
const names = ['clock', 'timers', 'random', 'dispatcher', 'logger', 'process']
const undefineds = Object.fromEntries(names.map((name) => [name, undefined]))

describe('problemsWithEnvironment', () => {
  test('finds none with the real thing, nor with what is undefined', () => {
    expect(problemsWithEnvironment(systemEnvironment())).toEqual([])
    expect(problemsWithEnvironment(undefined)).toEqual([])
    expect(problemsWithEnvironment(undefineds)).toEqual([])
  })

  test('takes ports that inherit their functions, or are functions themselves', () => {
    const heir: unknown = Object.create(levels)
    expect(problemsWithEnvironment({ logger: heir })).toEqual([])
    expect(problemsWithEnvironment({ logger: Object.assign(() => undefined, levels) })).toEqual([])
  })

  test.each([null, 5, 'logger', [levels]])('refuses %j', (parts) => {
    expect(problemsWithEnvironment(parts)).toEqual([
      expect.stringMatching(/^environment must be an object such as \{ logger \}, not /),
    ])
  })

  test('names every function that is missing, of all ports at once', () => {
    const empty = Object.fromEntries(names.map((name) => [name, {}]))
    expect(problemsWithEnvironment({ ...empty, colour: 'red' })).toEqual([
      'environment.colour is not known; known: clock, timers, random, dispatcher, logger, process',
      'environment.clock lacks the functions monotonicMs, wallMs',
      'environment.timers lacks the function after',
      'environment.random lacks the functions float, below, uid',
      'environment.dispatcher lacks the functions execute, beforeTurns',
      'environment.logger lacks the functions trace, debug, info, warn, error',
      'environment.process lacks the functions onTerminationSignal, onEscapedError, exit, isGone, isRunning',
    ])
  })

  test('refuses what is no port at all, and a child that cannot be called', () => {
    const parts = { clock: null, timers: setTimeout, logger: { ...levels, child: {} } }
    expect(problemsWithEnvironment(parts)).toEqual([
      'environment.clock must be an object with the functions monotonicMs, wallMs, not null',
      'environment.timers lacks the function after',
      'environment.logger.child must be a function, not {}',
    ])
  })
})

test('systemEnvironment keeps the failures of a logger from whoever logs', () => {
  const fail = (): never => {
    throw new Error('the disk is full')
  }
  const failing = { trace: fail, debug: fail, info: fail, warn: fail, error: fail }
  const { logger } = systemEnvironment({ logger: failing })
  expect(() => logger.error({}, 'lost')).not.toThrow()
})

test('systemEnvironment puts the real thing in the place of what is undefined', () => {
  const environment = systemEnvironment(undefineds)
  expect(problemsWithEnvironment(environment)).toEqual([])
  expect(Object.keys(environment)).toEqual(names)
  expect(Object.values(environment)).not.toContain(undefined)
})
