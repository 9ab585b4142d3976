/** Whatever a command throws, its caller is answered and its entity goes on. */
import { describe, expect, test } from 'vitest'
import { type CommandFailed, defineEntity } from '../../src/entity/index.ts'
import { outcome, Stage } from './stage.ts'

const broken = (): never => {
  throw new Error('do not look')
}
const traps = { get: broken, has: broken, getPrototypeOf: broken, ownKeys: broken }

const oddities: Readonly<Record<string, () => unknown>> = {
  message: () => Object.defineProperty(new Error('x'), 'message', { get: broken }),
  name: () => Object.defineProperty(new Error('x'), 'name', { get: broken }),
  stack: () => Object.defineProperty(new Error('x'), 'stack', { get: broken }),
  code: () => Object.defineProperty(new Error('x'), 'code', { get: broken }),
  cause: () => Object.defineProperty(new Error('x'), 'cause', { get: broken }),
  proxy: () => new Proxy({}, traps),
  'proxy of an error': () => new Proxy(new Error('x'), traps),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  toString: () => ({ toString: broken, [Symbol.toPrimitive]: broken }),
  symbol: () => Symbol('x'),
  nothing: () => undefined,
}

const commands = {
  now: (_self: unknown, kind: string) => {
    throw oddities[kind]?.()
  },
  later: async (_self: unknown, kind: string) => {
    throw oddities[kind]?.()
  },
  lives: () => true,
}
const Plain = defineEntity('Plain', { state: () => 0, commands })
const Durable = defineEntity('Durable', {
  state: () => 0,
  events: { Happened: (state: number) => state + 1 },
  commands,
})

describe.each([Plain, Durable])('$name: a command that throws', (entity) => {
  test.each(Object.keys(oddities))('%s', async (kind) => {
    await using stage = new Stage()
    const odd = stage.call(entity, 'a')
    const calls = Promise.all([odd.now(kind), odd.later(kind), odd.lives()].map(outcome))
    await stage.settle()
    const [now, later, lives] = await calls
    for (const error of [now, later] as CommandFailed[]) {
      expect(error).toMatchObject({ code: 'COMMAND_FAILED' })
      expect(error.cause).toBeInstanceOf(Error)
    }
    expect(lives).toBe(true)
    expect(stage.system.runtime.deadLetterLog.counts()).toEqual({})
  })
})
