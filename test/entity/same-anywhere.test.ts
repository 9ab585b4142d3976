/** A call means the same whether its entity lives on the node that calls or on another one. */
import { beforeAll, afterAll, describe, expect, test } from 'vitest'
import { defineEntity, startNode, type SherdNode } from '../../src/index.ts'
import { CapturedLogs } from '../../src/testkit/index.ts'
import { outcome } from './stage.ts'

const limits = { bytesMax: 100_000, depthMax: 20, elementsMax: 5_000 }

const deep = (levels: number): unknown => (levels === 0 ? 0 : [deep(levels - 1)])
const many = (count: number): unknown => Array.from({ length: count }, () => 0)
const long = (length: number): string => 'x'.repeat(length)
const chain = (length: number): Error =>
  length === 1 ? new Error('1') : new Error(`${length}`, { cause: chain(length - 1) })

const Echo = defineEntity('Echo', {
  state: () => 0,
  commands: {
    take: (self, _value: unknown) => self.id,
    deep: (_, levels: number) => deep(levels),
    many: (_, count: number) => many(count),
    long: (_, length: number) => long(length),
    wide: (_, length: number) => 'ü'.repeat(length),
    keys: (_, count: number) =>
      Array.from({ length: count }, (__, index) => ({ [`the-key-of-number-${index}`]: 1 })),
    throwLong: (_, length: number) => {
      throw new RangeError(long(length))
    },
    throwNamed: (_, length: number) => {
      throw Object.assign(new Error('x'), { name: long(length), code: long(length) })
    },
    throwChain: (_, length: number) => {
      throw chain(length)
    },
    throwOdd: (_, which: number) => {
      throw [Object.create(null), Symbol('odd'), new Unreadable(), { a: 1 }, '\ud800'][which]
    },
    holes: () => Array<number>(3),
    buffer: () => Buffer.from('hi'),
    memory: (_, bytes: Uint8Array) => bytes.buffer.byteLength,
    isThere: (_, list: unknown[]) => 1 in list,
  },
})

class Unreadable extends Error {
  override get message(): string {
    throw new Error('no')
  }
}

let host: SherdNode
let web: SherdNode

beforeAll(async () => {
  const options = {
    store: 'memory',
    environment: { logger: new CapturedLogs() },
    settings: { actor: { hookSignals: false }, remote: { serialization: limits } },
  } as const
  host = await startNode({ ...options, entities: [Echo] })
  web = await startNode({ ...options, proxies: [Echo], seeds: [host.address] })
})

afterAll(async () => {
  await web.stop()
  await host.stop()
})

const told = (result: unknown): unknown => {
  if (!(result instanceof Error)) return result
  const { name, message, code, cause } = result as Error & { code?: unknown }
  return { name, message, code, cause: told(cause) }
}

/** From here and from there; answers whether it was done. */
async function compare(
  command: keyof typeof Echo.commands,
  ...args: unknown[]
): Promise<{ isDone: boolean; result: unknown }> {
  const call = (node: SherdNode) => {
    const handle = node.entity(Echo, 'e', { timeout: '10s' })
    return outcome((handle[command] as (...given: unknown[]) => Promise<unknown>)(...args))
  }
  const [here, there] = [await call(host), await call(web)]
  expect(told(there)).toStrictEqual(told(here))
  expect(here).not.toMatchObject({ code: 'CALL_TIMEOUT' })
  return { isDone: !(here instanceof Error), result: here }
}

/** Of sizes around a limit, the first is done and the last is not. */
async function compareAround(
  limit: number,
  width: number,
  act: (size: number) => Promise<{ isDone: boolean }>,
): Promise<void> {
  const done: boolean[] = []
  for (let size = limit - width; size <= limit + 2; size += Math.ceil(width / 30)) {
    done.push((await act(size)).isDone)
  }
  expect([done[0], done.at(-1)]).toEqual([true, false])
}

describe('what is near a limit is the same wherever the entity lives', () => {
  test('levels', async () => {
    await compareAround(limits.depthMax, 5, (size) => compare('take', deep(size)))
    await compareAround(limits.depthMax, 5, (size) => compare('deep', size))
  })

  test('values', async () => {
    await compareAround(limits.elementsMax, 30, (size) => compare('take', many(size)))
    await compareAround(limits.elementsMax, 30, (size) => compare('many', size))
  })

  test('bytes', async () => {
    await compareAround(limits.bytesMax, 1_100, (size) => compare('take', long(size)))
    await compareAround(limits.bytesMax, 1_100, (size) => compare('long', size))
    await compareAround(limits.bytesMax / 2, 600, (size) => compare('wide', size))
    expect(await compare('keys', 2_000)).toMatchObject({ isDone: true })
    expect(await compare('keys', 2_500)).toMatchObject({ isDone: false })
  })
})

describe('an error that a command throws always arrives', () => {
  test('with long texts cut', async () => {
    for (const length of [limits.bytesMax - 10, limits.bytesMax, 3 * limits.bytesMax]) {
      const { result } = await compare('throwLong', length)
      expect(result).toMatchObject({ code: 'COMMAND_FAILED', errorName: 'RangeError' })
      const { result: named } = await compare('throwNamed', length)
      expect(named).toMatchObject({ code: 'COMMAND_FAILED', errorName: /^x{255}…$/ as never })
    }
  })

  test('with the first of many causes', async () => {
    for (const length of [1, 8, 9, 19, 20, 1_000]) {
      const { result } = await compare('throwChain', length)
      let count = 0
      for (let at = (result as Error).cause; at instanceof Error; at = at.cause) count++
      expect(count).toBe(Math.min(length, 8))
    }
  })

  test('whatever was thrown', async () => {
    for (const which of [0, 1, 2, 3, 4]) {
      expect((await compare('throwOdd', which)).result).toMatchObject({ code: 'COMMAND_FAILED' })
    }
  })
})

test('binary data comes alone, and holes are filled', async () => {
  expect((await compare('memory', Buffer.from('hi'))).result).toBe(2)
  expect((await compare('buffer')).result).toStrictEqual(Buffer.from('hi'))
  expect((await compare('holes')).result).toStrictEqual([undefined, undefined, undefined])
  expect((await compare('isThere', Array(3))).result).toBe(true)
})
