import { describe, expect, test } from 'vitest'
import { FrequencySketch, sketchWidth, type SketchOptions } from './frequency-sketch.ts'
import { defaultFilter } from './passivation-options.ts'
import { spotsPerId, writeSpots } from './spots.ts'

function spotsOf(id: string): Int32Array {
  const spots = new Int32Array(spotsPerId)
  writeSpots(id, spots, 0)
  return spots
}

function sketchFor(capacity: number, options: Partial<SketchOptions> = {}) {
  const sketch = new FrequencySketch(capacity, { ...defaultFilter, ...options })
  const count = (id: string, times = 1): void => {
    for (let turn = 0; turn < times; turn++) sketch.increment(spotsOf(id), 0)
  }
  return { sketch, count, frequency: (id: string) => sketch.frequency(spotsOf(id), 0) }
}

/** The same by whole numbers of any size. */
function spotsByBigInt(id: string): number[] {
  const bits = (value: bigint, width: number): bigint => BigInt.asUintN(width, value)
  let hash = 0n
  for (let index = 0; index < id.length; index++) {
    hash = bits(hash * 31n + BigInt(id.charCodeAt(index)), 32)
  }
  hash = bits(((hash >> 15n) ^ hash) * 0xd168aaadn, 32)
  hash = bits(((hash >> 15n) ^ hash) * 0xaf723597n, 32)
  hash = (hash >> 15n) ^ hash
  return [0xc3a5c85c97cb3127n, 0xb492b66fbe98f273n, 0x9ae16a3b2f90404fn, 0xcbf29ce484222325n].map(
    (seed) => {
      const product = bits((BigInt.asIntN(32, hash) + seed) * seed, 64)
      return Number(BigInt.asIntN(32, product + (product >> 32n)))
    },
  )
}

describe('the sketch', () => {
  test('counts uses, as far as its counters go', () => {
    const { sketch, count, frequency } = sketchFor(100)
    count('foo')
    count('bar', 2)
    count('baz', 3)
    expect(['foo', 'bar', 'baz', 'qux'].map(frequency)).toEqual([1, 2, 3, 0])
    expect(sketch.size).toBe(6)
    const { sketch: other, count: countOther, frequency: ofOther } = sketchFor(100)
    countOther('foo', 20)
    expect([ofOther('foo'), other.size]).toEqual([15, 15])
  })

  test.each([
    [2, 3],
    [8, 255],
    [16, 65_535],
  ])('with %d bits counts up to %d', (counterBits, most) => {
    const { count, frequency } = sketchFor(1_000_000, { counterBits })
    count('foo', most - 1)
    expect(frequency('foo')).toBe(most - 1)
    count('foo', 3)
    expect(frequency('foo')).toBe(most)
  })

  test('with 32 bits counts on', () => {
    const { count, frequency } = sketchFor(1_000_000, { counterBits: 32 })
    count('foo', 70_000)
    expect(frequency('foo')).toBe(70_000)
  })

  test('halves all counts when enough was counted', () => {
    const { sketch, count, frequency } = sketchFor(100)
    const ids = Array.from({ length: 500 }, (_, index) => String(index + 1))
    for (const id of ids) count(id)
    for (const id of ids.slice(0, 499)) count(id)
    expect(sketch.size).toBe(999)
    count('500')
    expect(sketch.size).toBe(500)
    const counts = ids.map(frequency)
    expect(Math.min(...counts)).toBe(1)
    expect(counts.filter((each) => each === 1).length).toBeGreaterThan(400)
  })

  test.each([1, 2, 3])('with %d rows still never counts too few', (depth) => {
    const { count, frequency } = sketchFor(8, { depth, resetMultiplier: 1000 })
    const ids = Array.from({ length: 30 }, (_, index) => `id-${index}`)
    for (const [index, id] of ids.entries()) count(id, index % 5)
    for (const [index, id] of ids.entries()) {
      expect(frequency(id)).toBeGreaterThanOrEqual(index % 5)
    }
  })

  test('cannot be wider than its places can be numbered', () => {
    expect(sketchWidth(536_870_913, 4)).toBeUndefined()
    expect(sketchWidth(1, 1)).toBe(1)
    expect(sketchWidth(5_000, 4)).toBe(32_768)
  })
})

test('the places of an id are the same as by whole numbers of any size', () => {
  for (const id of ['', '1', '42', 'account-7', 'zebra', '日本', '😀', 'x'.repeat(200)]) {
    expect([...spotsOf(id)]).toEqual(spotsByBigInt(id))
  }
})
