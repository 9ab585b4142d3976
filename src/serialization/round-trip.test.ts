import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../test/how-long.ts'
import { CannotSerialize } from './serialization-errors.ts'
import { defaultSerializationSettings } from './serialization-settings.ts'
import { ValueCodec } from './value-codec.ts'

const numRuns = cases({ short: 150, full: 2_000 })

class Ref {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }
}

const refs = {
  isRef: (value: object) => value instanceof Ref,
  toText: (ref: object) => (ref as Ref).path,
  fromText: (text: string) => new Ref(text),
}

test.each(['link', 'stored'] as const)('a %s codec keeps whatever is made of data', (use) => {
  const sender = new ValueCodec({ use, refs })
  const receiver = new ValueCodec({ use, refs })
  fc.assert(
    fc.property(fc.oneof(anyData(), fc.array(anyData())), (value) => {
      const arrived = receiver.decode(sender.encode(value))
      // Node does not find invalid dates equal; what it finds equal needs no slower look.
      if (!isDeepStrictEqual(arrived, value)) expect(arrived).toStrictEqual(value)
    }),
    { numRuns, seed: 4 },
  )
})

test('a copy is what would have arrived', () => {
  const codec = new ValueCodec({ use: 'stored', refs })
  fc.assert(
    fc.property(fc.oneof(anyData(), fc.array(anyData())), (value) => {
      const [copy, arrived] = [codec.copy(value), codec.decode(codec.encode(value))]
      if (!isDeepStrictEqual(copy, arrived)) expect(copy).toStrictEqual(arrived)
    }),
    { numRuns, seed: 4 },
  )
})

test('what counts for as much as there may be is taken at both ends, alone and in a batch', () => {
  const error = fc
    .tuple(fc.string(), fc.constantFrom(undefined, 7, -0), fc.boolean())
    .map(([text, code, isCaused]) =>
      Object.assign(new Error(`\ufeff${text}`, isCaused ? { cause: new Error(text) } : {}), {
        code,
      }),
    )
  const measuring = new ValueCodec({ use: 'stored', refs })
  fc.assert(
    fc.property(fc.array(fc.oneof(anyData(), error)), (value) => {
      measuring.prepare(value)
      const elementsMax = measuring.preparedElements
      const within = (limit: number): ValueCodec =>
        new ValueCodec({
          ...{ use: 'stored', refs },
          settings: { ...defaultSerializationSettings, elementsMax: limit },
        })
      const codec = within(elementsMax)
      expect(codec.decode(codec.encode(value))).toHaveLength(value.length)
      const batch = measuring.encode([value, value])
      expect(codec.decodeBatch(batch, 2)).toHaveLength(2)
      if (elementsMax === 1) return
      expect(() => within(elementsMax - 1).encode(value)).toThrow(CannotSerialize)
      expect(() => within(Math.ceil(elementsMax / 3) - 1).decode(batch)).toThrow('too many values')
    }),
    { numRuns, seed: 4 },
  )
})

/** Data as it may be met, with the names that harm when they are taken for more than names. */
function anyData(): fc.Arbitrary<unknown> {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('__keys__', 'toJSON', 'then', '0'),
  )
  const key = text.filter((name) => !/^(__proto__|constructor|prototype)$/u.test(name))
  const leaf = fc.oneof(
    text,
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.date({ noInvalidDate: false }),
    fc.constantFrom(null, undefined, true, false, -0, NaN),
    fc.uint8Array(),
    fc.float32Array(),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.webPath().map((path) => new Ref(`/${path}`)),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('branch')),
    branch: fc.oneof(
      fc.array(tie('tree')),
      fc.dictionary(key, tie('tree'), { noNullPrototype: true }),
      fc.array(fc.tuple(tie('tree'), tie('tree'))).map((entries) => new Map(entries)),
      fc.array(tie('tree')).map((values) => new Set(values)),
    ),
  }))
  return tree
}
