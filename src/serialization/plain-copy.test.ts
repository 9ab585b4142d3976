import { describe, expect, test } from 'vitest'
import { CannotSerialize } from './serialization-errors.ts'
import { ValueCodec } from './value-codec.ts'

const codec = new ValueCodec({ use: 'stored' })

describe('a copy', () => {
  test('of binary data has its own bytes and no others, wherever it stands', () => {
    // Small buffers are cut from a larger piece of memory, which holds those of others.
    const token = Buffer.from('token')
    expect(token.buffer.byteLength).toBeGreaterThan(token.byteLength)
    const copy = codec.copy({
      list: [token],
      map: new Map([['a', token]]),
      set: new Set([token]),
    }) as {
      list: Buffer[]
      map: Map<string, Buffer>
      set: Set<Buffer>
    }
    for (const found of [...copy.list, ...copy.map.values(), ...copy.set]) {
      expect(Buffer.isBuffer(found)).toBe(true)
      expect(found.toString()).toBe('token')
      expect(found).not.toBe(token)
      expect(found.buffer.byteLength).toBe(token.byteLength)
    }
  })

  test.each([
    new Uint8Array(new ArrayBuffer(64), 8, 3),
    new Float64Array(new ArrayBuffer(64), 8, 3),
    new BigInt64Array(2),
    new DataView(new ArrayBuffer(64), 8, 3),
    new Uint8Array(new SharedArrayBuffer(64), 8, 3),
  ])('of a view keeps its type: %o', (view) => {
    const { copy } = codec.copy({ copy: view }) as { copy: typeof view }
    expect(Object.getPrototypeOf(copy)).toBe(Object.getPrototypeOf(view))
    expect(copy.buffer).toBeInstanceOf(ArrayBuffer)
    expect([copy.byteLength, copy.buffer.byteLength]).toEqual([view.byteLength, view.byteLength])
  })

  test('has undefined in place of holes, two values for one, and no subclass of Date', () => {
    class Day extends Date {}
    const part = { n: 1 }
    const copy = codec.copy({ a: part, b: part, list: Array(2), day: new Day(5) }) as {
      a: object
      b: object
      list: unknown[]
      day: Date
    }
    expect(copy).toStrictEqual({ a: part, b: part, list: [undefined, undefined], day: new Date(5) })
    expect(copy.a).not.toBe(copy.b)
  })

  test.each([
    ['texts', 'ü'.repeat(40)],
    ['keys', Array.from({ length: 10 }, (_, index) => ({ [`key-number-${index}`]: 1 }))],
    ['numbers', Array.from({ length: 10 }, () => 0.5)],
    ['large numbers', 2n ** 600n],
  ])('takes no more bytes than it takes on the way: %s', (_, value) => {
    const bytes = codec.encode(value).byteLength
    const limited = (bytesMax: number) =>
      new ValueCodec({ use: 'stored', settings: { bytesMax, depthMax: 9, elementsMax: 99 } })
    expect(limited(bytes).copy(value)).toEqual(value)
    expect(() => limited(bytes - 1).copy(value)).toThrow(CannotSerialize)
  })
})
