import { describe, expect, test } from 'vitest'
import { CannotDeserialize } from './serialization-errors.ts'
import { defaultSerializationSettings } from './serialization-settings.ts'
import { ValueCodec } from './value-codec.ts'

/** Bytes by hand: numbers are bytes, texts are short MessagePack texts. */
function bytesOf(...parts: (number | string)[]): Uint8Array {
  const bytes = parts.map((part) => {
    if (typeof part === 'number') return [part]
    return [0xa0 | Buffer.byteLength(part), ...Buffer.from(part)]
  })
  return Uint8Array.from(bytes.flat())
}

const polluting = ['__proto__', 'constructor', 'prototype']

const refusals: [string, Uint8Array, string][] = [
  ['nothing', bytesOf(), 'longer than it is'],
  ['two values', bytesOf(1, 2), 'bytes follow the value'],
  ['an array of four billion', bytesOf(0xdd, 255, 255, 255, 255), 'longer than it is'],
  ['a map of four billion', bytesOf(0xdf, 255, 255, 255, 255), 'longer than it is'],
  ['a text of four billion', bytesOf(0xdb, 255, 255, 255, 255), 'longer than it is'],
  ['binary of four billion', bytesOf(0xc6, 255, 255, 255, 255), 'longer than it is'],
  ['a type of four billion', bytesOf(0xc9, 255, 255, 255, 255, 0x74), 'longer than it is'],
  ['a set of four billion', bytesOf(0xd4, 0x73, 0, 0xdd, 255, 255, 255, 255), 'longer than it is'],
  ['a cut number', bytesOf(0xcb, 1, 2), 'longer than it is'],
  ['a cut length', bytesOf(0xdc, 1), 'longer than it is'],
  ['a bomb of arrays', new Uint8Array(200_000).fill(0x91), 'nested too deep'],
  ['a text that is cut in a character', bytesOf(0x92, 0xa1, 0xe0, 1), 'text that is not UTF-8'],
  [
    'a long text that is no UTF-8',
    bytesOf(0xd9, 60, ...Array<number>(60).fill(0xff)),
    'text that is not UTF-8',
  ],
  ['half a surrogate pair', bytesOf(0xa3, 0xed, 0xa0, 0x80), 'text that is not UTF-8'],
  ['a record nobody defined', bytesOf(0x40), 'never defined'],
  ['a record with a wide number', bytesOf(0xd5, 0x72, 0x60, 1, 0x91, 'a', 1), 'does not use'],
  ['a record with an invalid number', bytesOf(0xd4, 0x72, 0x80, 0x91, 'a', 1), 'invalid number'],
  [
    'a record without keys',
    bytesOf(0xd4, 0x72, 0x40, 1),
    'a value that is not an array where one must be',
  ],
  [
    'a key that is not a string',
    bytesOf(0xd4, 0x72, 0x40, 0x91, 0x91, 'a', 1),
    'a key that is not a string',
  ],
  ['too many keys', bytesOf(0xd4, 0x72, 0x40, 0xdc, 0, 65, ...keys(65)), 'too many keys'],
  [
    'a set of no array',
    bytesOf(0xd4, 0x73, 0, 'abc'),
    'a value that is not an array where one must be',
  ],
  ['a set that looks like a mark', bytesOf(0xd4, 0x73, 0, 0x92, 0xc1, 0), 'does not use'],
  ['a regular expression', bytesOf(0xd4, 0x78, 0, 0x92, '(a+)+$', ''), 'does not use'],
  ['an error of msgpackr', bytesOf(0xd4, 0x65, 0, 0x92, 'Error', ''), 'does not use'],
  ['a pointer', bytesOf(0xd6, 0x70, 0, 0, 0, 1), 'does not use'],
  ['an id', bytesOf(0xd6, 0x69, 0, 0, 0, 1, 0x90), 'does not use'],
  ['bundled texts', bytesOf(0xd6, 0x62, 0, 0, 0, 4, 'a', 'b'), 'does not use'],
  ['an unknown type', bytesOf(0xd4, 0x11, 0), 'does not use'],
  ['an unknown typed array', bytesOf(0xc7, 2, 0x74, 12, 0), 'does not use'],
  ['a typed array and a half', bytesOf(0xc7, 4, 0x74, 5, 0, 0, 0), 'does not use'],
  ['an empty bigint', bytesOf(0xc7, 0, 0x42), 'does not use'],
  ['the byte that is never used', bytesOf(0xc1), 'does not use'],
  ['that byte inside an array', bytesOf(0x92, 1, 0xc1), 'does not use'],
  ['a mark of an unknown kind', bytesOf(0x92, 0xc1, 9), 'a mark of an unknown kind'],
  ['a mark without its parts', bytesOf(0x92, 0xc1, 1), 'a mark of an unknown kind'],
  ['a mark in no array', bytesOf(0x93, 0x90, 0xc1, 3, 0xc0), 'a mark of an unknown kind'],
  ['a mark without a kind', bytesOf(0x91, 0xc1), 'longer than it is'],
  ['a ref where none can be', bytesOf(0x93, 0xc1, 1, '/a'), 'a ref, where none can be'],
  ['an error without a name', bytesOf(0x96, 0xc1, 2, 0, 'm', 0, 0), 'a mark without its text'],
  ['a dictionary without keys', bytesOf(0x94, 0xc1, 3, 1, 1), 'a mark without its text'],
  ['a mark with an invalid text', bytesOf(0x93, 0xc1, 4, '\u{1f600}'), 'an invalid text'],
  ...polluting.map((key): [string, Uint8Array, string] => [
    `a record with ${key}`,
    bytesOf(0xd4, 0x72, 0x40, 0x91, key, 0xd4, 0x72, 0x41, 0x91, 'polluted', 1),
    'a property that could reach a prototype',
  ]),
  ...polluting.map((key): [string, Uint8Array, string] => [
    `a dictionary with ${key}`,
    bytesOf(0x94, 0xc1, 3, key, 0xd4, 0x72, 0x41, 0x91, 'polluted', 1),
    'a property that could reach a prototype',
  ]),
]

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `k${index}`)
}

describe.each(['link', 'stored'] as const)('A %s codec', (use) => {
  test.each(refusals)('refuses %s', (_, bytes, reason) => {
    const codec = new ValueCodec({ use })
    const error = refusalOf(() => codec.decode(bytes))
    expect(error.reason).toContain(reason)
    expect(error.code).toBe('CANNOT_DESERIALIZE')
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('says where', () => {
    const error = refusalOf(() => new ValueCodec({ use }).decode(bytesOf(9, 0x92, 7, 0xc1), 1))
    expect(error.offset).toBe(4)
    expect(error.message).toBe('Cannot read the value at byte 4: a type that Sherd does not use')
    expect(error.breaksConnection).toBe(use === 'link')
  })
})

describe('A batch', () => {
  const settings = { ...defaultSerializationSettings, elementsMax: 1_000 }
  /** So many maps of one byte: far more in memory. */
  const maps = (count: number): Buffer => {
    const bytes = Buffer.alloc(3 + count, 0x80)
    bytes.writeUInt16BE(count, 1)
    bytes[0] = 0xdc
    return bytes
  }
  const batchOf = (count: number, value: Buffer): Buffer =>
    Buffer.concat([Buffer.from([0xdc, 0, count]), ...Array<Buffer>(count).fill(value)])

  test('is refused for its length before anything is made of it', () => {
    const codec = new ValueCodec({ use: 'link', settings })
    const error = refusalOf(() => codec.decodeBatch(maps(60_000), 1))
    expect([error.reason, error.offset]).toEqual(['it is not a batch of 1 values', 3])
  })

  test('has a limit for each of its values, and one for all together', () => {
    const decode = (count: number, elements: number): unknown[] =>
      new ValueCodec({ use: 'link', settings }).decodeBatch(batchOf(count, maps(elements)), count)
    expect(decode(1, 999)).toHaveLength(1)
    expect(refusalOf(() => decode(1, 1_000)).reason).toBe('too many values')
    expect(decode(51, 999)).toHaveLength(51)
    expect(refusalOf(() => decode(52, 999)).reason).toBe('too many values')
  })
})

test('an error counts for as much as it costs', () => {
  const settings = { ...defaultSerializationSettings, elementsMax: 100 }
  const codec = new ValueCodec({ use: 'stored', settings })
  const errors = (count: number): Error[] => Array.from({ length: count }, () => new Error('x'))
  expect(codec.decode(codec.encode(errors(4)))).toHaveLength(4)
  expect(() => codec.encode(errors(5))).toThrow('has more than 100 values')
  const many = new ValueCodec({ use: 'stored' }).encode(errors(5))
  expect(refusalOf(() => codec.decode(many)).reason).toBe('too many values')
})

test('reads harmful names where they are harmless', () => {
  const codec = new ValueCodec({ use: 'stored' })
  const value = new Map<unknown, unknown>(polluting.map((key) => [key, { polluted: [key] }]))
  expect(codec.decode(codec.encode(value))).toStrictEqual(value)
})

test('forgets the records of an earlier stored value', () => {
  const codec = new ValueCodec({ use: 'stored' })
  codec.decode(codec.encode({ a: 1 }))
  expect(() => codec.decode(bytesOf(0x40, 1))).toThrow('never defined')
})

function refusalOf(act: () => unknown): CannotDeserialize {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(CannotDeserialize)
    return error as CannotDeserialize
  }
  throw new Error('the bytes were read')
}
