import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Packr } from 'msgpackr'
import { describe, test } from 'vitest'
import { SmallValues } from './small-values.ts'
import { packOptions } from './pack-options.ts'
import { ValueCodec } from './value-codec.ts'

const packr = new Packr(packOptions(false))
const packed = (value: unknown): string => packr.pack(value).toString('hex')
const hex = (bytes: Uint8Array | undefined): string | undefined =>
  bytes && Buffer.from(bytes).toString('hex')

const edges = [
  ...[0, 1, 31, 32, 63, 64, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1, 2 ** 32],
  ...[-1, -31, -32, -33, -127, -128, -129, -32_768, -32_769, -(2 ** 31), -(2 ** 31) - 1],
  ...[0.5, -0.5, NaN, Infinity, -Infinity, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE],
]
const texts = ['', 'a', 'a'.repeat(31), 'a'.repeat(32), 'a'.repeat(255)]

describe('SmallValues', () => {
  test('writes numbers and texts of every size as msgpackr does', () => {
    const values = new SmallValues()
    for (const value of [...edges, ...texts, true, false, null, undefined]) {
      assert.equal(hex(values.encode({ value })), packed({ value }), String(value))
    }
    assert.equal(hex(values.encode({})), packed({}))
  })

  test('writes whatever it writes as msgpackr does', () => {
    const leaf = fc.oneof(
      ...[fc.integer(), fc.double({ noDefaultInfinity: false }), fc.constantFrom(...edges)],
      ...[fc.string({ maxLength: 300 }), fc.boolean(), fc.constantFrom(null, undefined)],
      ...[fc.string({ unit: 'binary' }), fc.bigInt(), fc.array(fc.integer()), fc.date()],
    )
    let written = 0
    const key = fc.oneof(fc.constantFrom('type', 'by', 'at'), fc.string({ maxLength: 40 }))
    const { value: anything } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('record')),
      list: fc.array(tie('value'), { maxLength: 17 }),
      record: fc.dictionary(key, tie('value'), { maxKeys: 17, noNullPrototype: true }),
    }))
    fc.assert(
      fc.property(anything, (value) => {
        const bytes = new SmallValues().encode(value)
        if (bytes === undefined) return
        written++
        assert.equal(hex(bytes), packed(value))
      }),
      { numRuns: 1_000 },
    )
    assert.ok(written > 100, `${written}`)
  })

  test('leaves to others what is not so small and plain', () => {
    class Point {
      readonly x = 1
    }
    const throwing = {
      get x(): number {
        throw new Error('no')
      },
    }
    const others: unknown[] = [
      ...[
        5,
        'text',
        null,
        undefined,
        new Map(),
        new Date(0),
        new Point(),
        Object.create(null) as object,
      ],
      ...[
        { x: -0 },
        { x: { y: new Date(0) } },
        [[[[[1]]]]],
        Array.from({ length: 16 }, () => 1),
        { x: 5n },
        { x: () => 1 },
        { x: 'é' },
        { é: 1 },
      ],
      ...[{ x: 'a'.repeat(256) }, { ['a'.repeat(32)]: 1 }, { constructor: 1 }, { __keys__: 1 }],
      ...[Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`k${at}`, at])), throwing],
    ]
    const values = new SmallValues()
    for (const other of others) assert.equal(values.encode(other), undefined)
  })

  test('writes objects and lists inside each other as msgpackr does, each kind of object defined once', () => {
    const values = new SmallValues()
    const nested = [
      ...[
        [],
        [1, 'a', [null, [true]]],
        ['Incremented', 2],
        ['Moved', { x: 1, y: 2 }, { x: 3, y: 4 }],
      ],
      ...[
        { a: { x: 1 }, b: { x: 2 }, c: { y: [{ x: 3 }] } },
        { a: {}, b: [{}, {}] },
        [undefined, 1],
      ],
    ]
    for (const value of nested) assert.equal(hex(values.encode(value)), packed(value))
  })

  test('tells kinds apart by the order of their keys, and keeps only so many', () => {
    const values = new SmallValues()
    for (const value of [{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1 }, { a: 1, b: 2, c: 3 }]) {
      assert.equal(hex(values.encode(value)), packed(value))
    }
    for (let kind = 0; kind < 100; kind++) values.encode({ [`key${kind}`]: 1 })
    assert.equal(values.encode({ another: 1 }), undefined)
    assert.equal(hex(values.encode({ a: 1 })), packed({ a: 1 }))
  })

  test('gives bytes that stay as they are', () => {
    const values = new SmallValues()
    const first = values.encode({ a: 1 })
    values.encode({ a: 2 })
    assert.equal(hex(first), packed({ a: 1 }))
  })

  test('is not asked where less is allowed than it may write', () => {
    const settings = { depthMax: 8, elementsMax: 4, bytesMax: 1_000 }
    const codec = new ValueCodec({ use: 'stored', settings })
    assert.throws(() => codec.encode({ a: 1, b: 2, c: 3, d: 4 }))
  })
})
