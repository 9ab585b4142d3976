import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { CannotSerialize } from './serialization-errors.ts'
import { defaultSerializationSettings } from './serialization-settings.ts'
import { ValueCodec } from './value-codec.ts'

class Cart {
  readonly items = [1]
}

class Names extends Map<string, string> {}

const loop: { inner: { self?: unknown }[] } = { inner: [{}] }
loop.inner[0]!.self = loop

const settings = { ...defaultSerializationSettings, depthMax: 5, elementsMax: 100, bytesMax: 1_000 }

/** What the sender is told, by what was sent. */
const refusals: [string, unknown, string][] = [
  [
    'a function',
    { items: [1, 2, 3, { onClick: () => 1 }] },
    'message.items[3].onClick is a function and cannot travel; send data only',
  ],
  ['a function alone', () => 1, 'message is a function and cannot travel; send data only'],
  ['a method', { get() {} }, 'message.get is a function'],
  ['a symbol', [Symbol('x')], 'message[0] is a symbol and cannot travel; send data only'],
  ['a promise', { a: Promise.resolve(1) }, 'message.a is a Promise and cannot travel; await it'],
  ['a weak map', { a: new WeakMap() }, 'message.a is a WeakMap and cannot travel'],
  ['a regular expression', { a: /x/ }, 'message.a is a RegExp and cannot travel; send its source'],
  ['shared memory', new SharedArrayBuffer(1), 'message is a SharedArrayBuffer and cannot travel'],
  ['a class instance', { 'my cart': new Cart() }, "message['my cart'] is an instance of Cart"],
  ['an instance of a subclass', { a: new Names() }, 'message.a is an instance of Names'],
  ['a boxed text', { a: Object('x') as unknown }, 'message.a is an instance of String'],
  ['a pretended date', { a: Object.create(Date.prototype) as unknown }, 'an instance of Date'],
  ['a value in a map', new Map([['k', () => 1]]), "message.get('k') is a function"],
  ['a key of a map', new Map([[() => 1, 1]]), '(key 0 of message) is a function'],
  ['an element of a set', { a: new Set([1, () => 1]) }, '(element 1 of message.a) is a function'],
  ['a cycle', loop, 'message.inner[0].self refers back to message; a cycle cannot travel'],
  ['depth', [[[[[[1]]]]]], 'message[0][0][0][0][0] is more than 5 levels deep'],
  ['many values', Array.from({ length: 100 }, () => 1), 'message has more than 100 values'],
  ['a long array', new Array(1e9), 'message has 1000000000 elements; send it in parts'],
  ['many bytes', [new Uint8Array(1_001)], 'message takes more than 1000 bytes'],
  ['half a pair', { a: '\ud800x' }, 'message.a has half a surrogate pair'],
  ['half a pair in a key', { '\udc00': 1 }, 'has half a surrogate pair in its name'],
  ['__proto__', JSON.parse('{"a":{"__proto__":1}}'), 'message.a.__proto__ cannot travel'],
  [
    'constructor',
    { constructor: 1 },
    'message.constructor cannot travel: no property may be named',
  ],
  ['prototype', { prototype: 1 }, 'message.prototype cannot travel'],
  ['a dictionary with __proto__', dictionary('__proto__'), 'message.__proto__ cannot travel'],
]

describe.each(['link', 'stored'] as const)('A %s codec', (use) => {
  test.each(refusals)('refuses %s and says where', (_, value, text) => {
    const codec = new ValueCodec({ use, settings })
    const error = refusalOf(() => codec.encode(value))
    expect(error.message).toContain(text)
    expect(error.code).toBe('CANNOT_SERIALIZE')
    expect(codec.decode(codec.encode({ after: 1 }))).toEqual({ after: 1 })
  })
})

test('refuses a getter that throws, with its error as the cause', () => {
  const codec = new ValueCodec({ use: 'stored' })
  const cause = new Error('not now')
  const value = {
    deep: {
      get broken() {
        throw cause
      },
    },
  }
  const error = refusalOf(() => codec.prepare(value, 'event'))
  expect(error.path).toBe('event.deep.broken')
  expect(error.cause).toBe(cause)
})

test('takes a value met twice for two values', () => {
  const codec = new ValueCodec({ use: 'stored' })
  const twice = { a: 1 }
  expect(codec.decode(codec.encode([twice, twice, -0]))).toStrictEqual([{ a: 1 }, { a: 1 }, -0])
})

test('sends plain data of another realm, and refuses its dates rather than lose them', () => {
  const codec = new ValueCodec({ use: 'stored' })
  const foreign = runInNewContext('({ list: [1, { a: new Map([[1, new Set([2])]]) }] })') as object
  expect(codec.decode(codec.encode(foreign))).toStrictEqual({
    list: [1, { a: new Map([[1, new Set([2])]]) }],
  })
  const date = runInNewContext('[new Date(0)]') as object
  expect(() => codec.encode(date)).toThrow('message[0] is an instance of Date')
})

test('keeps long paths short', () => {
  let value: object = { last: () => 1 }
  for (let depth = 0; depth < 20; depth++) value = { ['long'.repeat(20)]: value }
  const error = refusalOf(() => new ValueCodec({ use: 'stored' }).encode(value))
  expect(error.path.length).toBeLessThanOrEqual(200)
})

function dictionary(extra: string): object {
  const names = Array.from({ length: 70 }, (_, index) => `"k${index}":0`)
  return JSON.parse(`{${names.join()},"${extra}":1}`) as object
}

function refusalOf(act: () => unknown): CannotSerialize {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(CannotSerialize)
    return error as CannotSerialize
  }
  throw new Error('the value was accepted')
}
