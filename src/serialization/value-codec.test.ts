import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ByteBuffer } from './byte-buffer.ts'
import { CannotDeserialize } from './serialization-errors.ts'
import { defaultSerializationSettings } from './serialization-settings.ts'
import { ValueCodec } from './value-codec.ts'

class Ref {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }
}

const refs = {
  isRef: (value: object) => value instanceof Ref,
  toText: (ref: object) => (ref as Ref).path,
  fromText: (text: string) => {
    if (!text.startsWith('/')) throw new Error(`${text} is no path`)
    return new Ref(text)
  },
}

function pair(use: 'link' | 'stored') {
  const sender = new ValueCodec({ use, refs })
  const receiver = new ValueCodec({ use, refs })
  return {
    sender,
    receiver,
    travel: (value: unknown) => receiver.decode(sender.encode(value)),
  }
}

const uses = ['link', 'stored'] as const

describe.each(uses)('A %s codec', (use) => {
  test.each([
    ['text', 'café 😀 \0'],
    ['a text with a byte order mark', `\ufeff${'é'.repeat(100)}`],
    ['numbers', [0, -0, 63, 64, 127, 128, -32, -33, 2 ** 31, -(2 ** 31), 2 ** 53, 1.5, 5e-324]],
    ['numbers that are none', [NaN, Infinity, -Infinity]],
    ['nothing', [null, undefined, true, false]],
    ['properties that are undefined', { a: undefined, b: [undefined] }],
    ['bigints', [0n, -1n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n) - 1n, 2n ** 64n, 3n ** 50_000n]],
    ['dates', [new Date(0), new Date(1), new Date(-1), new Date(8.64e15), new Date(NaN)]],
    [
      'maps',
      new Map<unknown, unknown>([
        [1, 'a'],
        ['b', new Map()],
        [{ c: 1 }, [2]],
      ]),
    ],
    ['sets', new Set([1, 'a', new Set(), null])],
    [
      'typed arrays',
      [new Uint8Array([1]), new Float64Array([1, -0, NaN]), new BigInt64Array([-1n])],
    ],
    ['clamped bytes', new Uint8ClampedArray([1, 255])],
    ['large binary', new Uint8Array(66_000).fill(7)],
    ['buffers', [Buffer.from('hi'), new ArrayBuffer(3), new DataView(new ArrayBuffer(2))]],
    ['odd keys', { '': 1, 'a b': 2, '1': 3, toJSON: 5, hasOwnProperty: 6, length: 7 }],
    [
      'keys that cannot be in a record',
      [{ __keys__: 1 }, { a: { __keys__: 2 } }, { '\ufeffa': 3 }],
    ],
    ['empty things', [{}, [], '', new Map(), new Set(), new Uint8Array()]],
    ['long text', 'x'.repeat(100_000)],
    ['many elements', Array.from({ length: 66_000 }, (_, index) => index)],
    ['marks deep inside', { a: [new Map([[new Ref('/k'), new Set([-0, new Ref('/v')])]])] }],
  ])('keeps %s', (_, value) => {
    expectEqual(pair(use).travel(value), value)
  })

  test('keeps an object with more keys than a record may have', () => {
    const entries = Array.from({ length: 500 }, (_, index) => [`key ${index}`, { index }])
    const value = Object.fromEntries(entries) as unknown
    expect(pair(use).travel(value)).toStrictEqual(value)
  })

  test('keeps objects of more kinds than can be remembered, coming back again and again', () => {
    const { travel } = pair(use)
    for (let round = 0; round < 1_000; round++) {
      const value = { [`a${round % 150}`]: { [`b${(round * 7) % 90}`]: round }, c: [{ round }] }
      expect(travel(value)).toStrictEqual(value)
    }
  })

  test('gives an object without prototype one, and a hole a value', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 })
    // eslint-disable-next-line no-sparse-arrays
    expect(pair(use).travel([bare, [, 1]])).toStrictEqual([{ a: 1 }, [undefined, 1]])
  })

  test('sends an error without its stack and class', () => {
    class OutOfStock extends RangeError {
      readonly code = 'OUT_OF_STOCK'
      readonly shelf = 7
    }
    const error = new OutOfStock('none left', { cause: new TypeError('why', { cause: 'text' }) })
    error.name = 'OutOfStock'
    const arrived = pair(use).travel({ error }) as { readonly error: OutOfStock }
    expect(arrived.error).toBeInstanceOf(Error)
    expect(arrived.error).not.toBeInstanceOf(RangeError)
    expect(arrived.error).toMatchObject({ name: 'OutOfStock', message: 'none left' })
    expect(arrived.error.code).toBe('OUT_OF_STOCK')
    expect(arrived.error.shelf).toBeUndefined()
    expect(arrived.error.stack).toBe(
      'OutOfStock: none left\n    at another place: stacks do not travel',
    )
    expect((arrived.error.cause as Error).name).toBe('TypeError')
    expect((arrived.error.cause as Error).cause).toBeUndefined()
  })

  test('shares no memory with the bytes, nor with the value that was sent', () => {
    const { sender, receiver } = pair(use)
    const sent = new Uint8Array([1, 2, 3])
    const bytes = sender.encode([sent, Buffer.from([1, 2, 3]), 'text', sent.buffer])
    sent.fill(9)
    const arrived = receiver.decode(bytes) as [Uint8Array, Buffer, string, ArrayBuffer]
    bytes.fill(0)
    receiver.decode(sender.encode([new Uint8Array([8, 8, 8]), 'other']))
    expect([...arrived[0], ...arrived[1], arrived[2]]).toEqual([1, 2, 3, 1, 2, 3, 'text'])
    expect([...new Uint8Array(arrived[3])]).toEqual([1, 2, 3])
    expect(arrived[0].buffer.byteLength).toBe(3)
    expect(arrived[1].buffer.byteLength).toBe(3)
  })

  test('reads a value in the middle of a buffer', () => {
    const { sender, receiver } = pair(use)
    const target = new ByteBuffer(16)
    target.append(Buffer.from('head'), 0, 4)
    sender.encodeInto(target, { a: 'ü', b: [1] })
    const end = target.position
    target.append(Buffer.from('tail'), 0, 4)
    expect(receiver.decode(target.bytes, 4, end)).toEqual({ a: 'ü', b: [1] })
    expect(target.bytes.toString('latin1', end, end + 4)).toBe('tail')
  })

  test('carries several values as one batch', () => {
    const { sender, receiver } = pair(use)
    const values = [{ a: 1 }, new Ref('/x'), -0, [[]], { a: 2 }]
    const target = new ByteBuffer()
    sender.encodeBatchInto(
      target,
      values.map((value) => sender.prepare(value)),
    )
    const { bytes, position } = target
    expect(receiver.decodeBatch(bytes, values.length, 0, position)).toStrictEqual(values)
  })

  test('reads no batch of another number of values than it is told', () => {
    const { sender, receiver } = pair(use)
    const bytes = sender.encode([1, 2, 3])
    expect(() => receiver.decodeBatch(bytes, 2)).toThrow('it is not a batch of 2 values')
  })

  test('calls one value no batch', () => {
    const { sender, receiver } = pair(use)
    expect(() => receiver.decodeBatch(sender.encode({ a: 1 }), 1)).toThrow('it is not a batch')
  })
})

describe('A link codec', () => {
  test('sends the keys of a record once', () => {
    const { sender } = pair('link')
    const first = sender.encode({ shard: 1, region: 'a' })
    const second = sender.encode({ shard: 2, region: 'b' })
    expect(first.length).toBeGreaterThan(15)
    expect([...second]).toEqual([0x40, 2, 0xa1, 98])
  })

  test('reads nothing more once a value could not be read', () => {
    const { sender, receiver } = pair('link')
    const good = sender.encode({ a: 1 })
    expect(refusalOf(receiver, good.subarray(0, -1))).toMatchObject({ breaksConnection: true })
    expect(refusalOf(receiver, good).message).toContain('an earlier value could not be read')
  })

  test('reads on after a mark without meaning', () => {
    const { sender, receiver } = pair('link')
    const error = refusalOf(receiver, sender.encode({ to: new Ref('nowhere') }))
    expect(error).toMatchObject({ breaksConnection: false, reason: 'nowhere is no path' })
    expect(receiver.decode(sender.encode({ to: 1 }))).toEqual({ to: 1 })
  })

  test('defines records anew after a value that was not sent', () => {
    const { sender, receiver } = pair('link')
    sender.encode({ lost: 1 })
    sender.forgetRecords()
    expect(receiver.decode(sender.encode({ lost: 2 }))).toEqual({ lost: 2 })
  })

  test('stays in step when a value was refused while it was packed', () => {
    const { sender, receiver } = pair('link')
    let reads = 0
    const fickle = {
      fresh: { key: 1 },
      get fickle() {
        return reads++ === 0 ? 'data' : () => 1
      },
    }
    expect(() => sender.encode(fickle)).toThrow('message changed while it was encoded')
    expect(receiver.decode(sender.encode({ fresh: { key: 2 } }))).toEqual({ fresh: { key: 2 } })
  })
})

describe('A stored codec', () => {
  const value = {
    type: 'Moved',
    at: new Date(1_000),
    to: new Ref('/a'),
    by: [-0, 2n ** 70n, undefined],
  }
  const stored =
    'd4724094a474797065a26174a2746fa26279a54d6f766564d6ff00000001' +
    '93c101a22f619392c100d84200000000000000400000000000000000d40000'

  test('writes what it has always written', () => {
    const { sender } = pair('stored')
    expect(Buffer.from(sender.encode(value)).toString('hex')).toBe(stored)
  })

  test('reads what was written before', () => {
    expect(pair('stored').receiver.decode(Buffer.from(stored, 'hex'))).toStrictEqual(value)
  })
})

describe('Limits', () => {
  const small = { ...defaultSerializationSettings, bytesMax: 1_000, depthMax: 4, elementsMax: 20 }

  test('hold for bytes, on both ends', () => {
    const sender = new ValueCodec({ use: 'stored', settings: small })
    expect(() => sender.encode('x'.repeat(1_001))).toThrow('message takes more than 1000 bytes')
    expect(() => sender.encode('é'.repeat(600), 'event')).toThrow(
      'event takes more than 1000 bytes',
    )
    const large = new ValueCodec({ use: 'stored' }).encode('x'.repeat(1_001))
    expect(refusalOf(sender, large).reason).toBe('it takes more than 1000 bytes')
  })

  test('accept at the receiver what they accept at the sender', () => {
    const codec = new ValueCodec({ use: 'stored', settings: small, refs })
    const deepest = [[[[-0, '\ufeff']]]]
    const widest = Array.from({ length: 19 }, () => new Ref('/a'))
    expect(codec.decode(codec.encode(deepest))).toStrictEqual(deepest)
    expect(codec.decode(codec.encode(widest))).toStrictEqual(widest)
    const target = new ByteBuffer()
    codec.encodeBatchInto(
      target,
      [deepest, widest, widest].map((value) => codec.prepare(value)),
    )
    const batch = codec.decodeBatch(target.bytes, 3, 0, target.position)
    expect(batch).toStrictEqual([deepest, widest, widest])
  })
})

/** Quickly when Node finds them equal; it does not for invalid dates. */
function expectEqual(arrived: unknown, value: unknown): void {
  if (!isDeepStrictEqual(arrived, value)) expect(arrived).toStrictEqual(value)
}

function refusalOf(codec: ValueCodec, bytes: Uint8Array): CannotDeserialize {
  try {
    codec.decode(bytes)
  } catch (error) {
    expect(error).toBeInstanceOf(CannotDeserialize)
    return error as CannotDeserialize
  }
  throw new Error('the bytes were read')
}
