/** Mistakes in a command: where their stack is, and who is told what. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandFailed, defineEntity } from '../../src/entity/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { nodeFor } from '../node/nodes.ts'
import { outcome, Stage } from './stage.ts'

class SoldOut extends RangeError {}

const commands = {
  boom: (self: { readonly state: unknown }) =>
    (self.state as { readonly a: { readonly b: number } }).a.b,
  late: async (self: { readonly state: unknown }) => commands.boom(self),
  wrapped: (self: { readonly state: unknown }) => {
    try {
      commands.boom(self)
    } catch (cause) {
      throw new Error('it went wrong', { cause })
    }
  },
  sellOut: () => {
    throw new SoldOut('none left')
  },
  refuse: () => {
    throw Object.assign(new RangeError('too much'), { code: 'TOO_MUCH' })
  },
}
const Plain = defineEntity('Plain', { state: () => ({}), commands })
const Stored = defineEntity('Stored', { state: () => ({}), events: {}, commands })

const failureOf = async (call: Promise<unknown>): Promise<CommandFailed & { cause: Error }> =>
  (await outcome(call)) as CommandFailed & { cause: Error }

describe.each([Plain, Stored])('a slip in a command of $name', (entity) => {
  test('has its own stack for a caller on the same node, and is in its log', async () => {
    const logger = new CapturedLogs()
    const node = await nodeFor({ entities: [entity], environment: { logger } })
    for (const command of ['boom', 'late'] as const) {
      const { cause } = await failureOf(node.entity(entity, 'a')[command]())
      expect(cause.stack).toMatch(/^TypeError: Cannot read .*\n {4}at .*boom .*slips\.test\.ts/)
      const [line, ...more] = logger.matching(
        `The command ${command} of ${entity.name} 'a' failed: Cannot read`,
        'warn',
      )
      expect(line?.fields).toMatchObject({ entityType: entity.name, entityId: 'a', command })
      expect((line!.fields['err'] as Error).stack).toContain('slips.test.ts')
      expect(more).toEqual([])
    }
    const { cause } = await failureOf(node.entity(entity, 'a').wrapped())
    expect((cause.cause as Error).stack).toContain('slips.test.ts')
  })

  test('names the node for a caller on another one', async () => {
    const store = new MemoryJournal()
    const logger = new CapturedLogs()
    const host = await nodeFor({ entities: [entity], store, environment: { logger } })
    const web = await nodeFor({ proxies: [entity], store, seeds: [host.address] })
    const { cause } = await failureOf(web.entity(entity, 'a').boom())
    expect(cause.stack).toBe(
      `TypeError: ${cause.message}\n    at node ${host.id}, whose log may have the stack`,
    )
    expect(logger.matching(`The command boom of ${entity.name} 'a' failed`, 'warn')).toHaveLength(1)
  })

  test('is told from what is thrown on purpose', async () => {
    const logger = new CapturedLogs()
    const node = await nodeFor({ entities: [entity], environment: { logger } })
    await failureOf(node.entity(entity, 'a').sellOut())
    await failureOf(node.entity(entity, 'a').refuse())
    expect(logger.matching('failed: ', 'warn')).toEqual([])
    expect(logger.matching(/failed: (none left|too much)/, 'debug')).toHaveLength(2)
  })
})

const Purse = defineEntity('Purse', {
  state: () => ({ coins: 0 }),
  events: { Paid: (state) => ({ coins: state.coins + 1 }) },
  commands: {
    forge: (self) => void ((self.state as { coins: number }).coins = 99),
    replace: (self) => void ((self as { state: object }).state = { coins: 99 }),
    coins: (self) => self.state.coins,
  },
})

describe('a command that changes the state by itself', () => {
  let stage: Stage
  beforeEach(() => void (stage = new Stage()))
  afterEach(() => stage[Symbol.asyncDispose]())

  test.each(['forge', 'replace'] as const)('fails, with advice: %s', async (command) => {
    const purse = stage.call(Purse, 'a')
    const error = await failureOf(purse[command]())
    expect(error).toMatchObject({ errorCode: 'COMMAND_CHANGED_STATE', mayHaveHappened: false })
    expect(error.message).toMatch(/^Purse 'a': (forge|replace) failed: Cannot (assign|set) /)
    expect(error.message).toContain(
      `If that was the state: the command ${command} of Purse cannot change it. The state of an entity with events changes only by self.persist and event handlers.`,
    )
    expect(await purse.coins()).toBe(0)
  })
})
