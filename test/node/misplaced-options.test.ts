/** Options where people look for them, misspelled ones, and those in the wrong place: what was meant is said, all at once. */
import { describe, expect, test } from 'vitest'
import { InvalidSettings } from '../../src/actor/index.ts'
import { type CallTimeout, defineEntity, entityType } from '../../src/entity/index.ts'
import { type NodeOptions, startNode } from '../../src/node/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { Counter, nodeFor } from './nodes.ts'

/** As somebody without types may call it. */
const problemsOf = async (options: object): Promise<readonly string[]> => {
  const refusal: unknown = await startNode(options as NodeOptions).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(InvalidSettings)
  return (refusal as InvalidSettings).problems
}

/** The same of a definition. */
const problemsOfDefinition = (define: () => unknown): readonly string[] => {
  try {
    define()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidSettings)
    return (error as InvalidSettings).problems
  }
  throw new Error('nothing was wrong')
}

describe('startNode', () => {
  test('says what was meant by every name that it does not know', async () => {
    const problems = await problemsOf({
      entites: [Counter],
      setings: {},
      numberOfShards: 12,
      role: 'till',
      askTimeoutMs: 1,
      askTimeout: 1,
      timeout: 1,
      clock: {},
      cluster: {},
      colour: 1,
      environment: { loger: {} },
      settings: { askTimeoutMs: 1, sharding: { askTimeoutMs: 1, numberOfShard: 1 }, actors: {} },
    })
    expect(problems).toEqual([
      '`environment.loger` is not known; did you mean `environment.logger`?',
      '`settings.askTimeoutMs` belongs in settings.actor',
      '`settings.actors` is not a setting; did you mean `settings.actor`?',
      '`settings.sharding.askTimeoutMs` belongs in settings.actor',
      '`settings.sharding.numberOfShard` is not a setting; did you mean `settings.sharding.numberOfShards`?',
      '`entites` is not an option; did you mean `entities`?',
      '`setings` is not an option; did you mean `settings`?',
      '`numberOfShards` belongs to defineEntity, not to startNode',
      '`role` belongs to defineEntity, not to startNode; did you mean `roles`?',
      '`askTimeoutMs` belongs in settings.actor',
      '`askTimeout` is not an option; did you mean `askTimeoutMs`, which belongs in settings.actor?',
      expect.stringMatching(/^`timeout` belongs to a call, as in .* is `callTimeout`$/),
      '`clock` belongs in environment',
      '`cluster` belongs in settings',
      expect.stringMatching(/^colour is not an option; known: entities, proxies, /),
    ])
  })

  test('takes a logger where people look for it', async () => {
    const logger = new CapturedLogs()
    const environment = { logger: undefined }
    const node = await nodeFor({ entities: [Counter], logger, environment })
    node.system.log.info({}, 'heard')
    expect(logger.matching('heard')).toHaveLength(1)
    const same = await nodeFor({ logger, environment: { logger } })
    same.system.log.info({}, 'heard too')
    expect(logger.matching('heard too')).toHaveLength(1)
  })

  test('takes the time limit of calls where people look for it', async () => {
    const Slow = defineEntity('Slow', {
      state: () => 0,
      commands: { wait: () => new Promise<void>(() => undefined) },
    })
    const settings = { actor: { askTimeoutMs: 20, handlerStopTimeoutMs: 1 } }
    const node = await nodeFor({ entities: [Slow], callTimeout: '20ms', settings })
    const error: unknown = await node
      .entity(Slow, 'a')
      .wait()
      .catch((thrown: unknown) => thrown)
    expect((error as CallTimeout).timeoutMs).toBe(20)
    expect((await nodeFor({ callTimeout: '3s' })).system.settings.askTimeoutMs).toBe(3_000)
  })

  test('refuses what is said twice, in two ways', async () => {
    const problems = await problemsOf({
      ...{ logger: new CapturedLogs(), environment: { logger: new CapturedLogs() } },
      ...{ callTimeout: '5s', settings: { actor: { askTimeoutMs: 3_000 } } },
    })
    expect(problems).toEqual([
      'logger and environment.logger are two different loggers; give only one of them',
      'callTimeout (5000 ms) and settings.actor.askTimeoutMs (3000) are the same setting and differ; give only one of them',
    ])
  })

  test('refuses what is neither a logger nor a time', async () => {
    const problems = await problemsOf({ logger: {}, callTimeout: 'soon', keepCallerContext: 1 })
    expect(problems).toEqual([
      'keepCallerContext must be true or false, not 1',
      'logger lacks the functions trace, debug, info, warn, error',
      expect.stringMatching(/^callTimeout .*'soon'/),
    ])
    expect(await problemsOf({ callTimeout: 0 })).toEqual(['callTimeout must be longer than 0'])
  })
})

describe('defineEntity', () => {
  const good = { state: () => 0, commands: {} }

  test('says what was meant by every name that it does not know', () => {
    const wrong = {
      ...{ event: {}, passivateAfterMs: 1, roles: ['till'], seeds: [], settings: {} },
      ...{ askTimeoutMs: 1, stashedCommandsMax: 1, name: 'Mug', timeout: 1, colour: 1 },
    }
    const problems = problemsOfDefinition(() => defineEntity('Mug', { ...good, ...wrong }))
    expect(problems).toEqual([
      '`event` is not an option; did you mean `events`?',
      '`passivateAfterMs` is not an option; did you mean `passivateAfter`?',
      '`roles` belongs to startNode, not to defineEntity; did you mean `role`?',
      '`seeds` belongs to startNode, not to defineEntity',
      '`settings` belongs to startNode, not to defineEntity',
      '`askTimeoutMs` belongs in settings.actor of startNode',
      '`stashedCommandsMax` belongs in settings.entity of startNode',
      '`name` is the first argument of defineEntity',
      expect.stringMatching(/^`timeout` belongs to a call, as in /),
      expect.stringMatching(/^colour is not an option; known: state, events, /),
    ])
  })

  test('and so does entityType', () => {
    const wrong: object = { tags: {}, seeds: [], rol: 'till' }
    expect(problemsOfDefinition(() => entityType('Mug', wrong))).toEqual([
      '`tags` belongs to defineEntity, not to entityType',
      '`seeds` belongs to startNode, not to defineEntity',
      '`rol` is not an option; did you mean `role`?',
    ])
  })
})
