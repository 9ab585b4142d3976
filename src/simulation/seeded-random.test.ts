import { describe, expect, test } from 'vitest'
import { SeededRandom, draw } from './seeded-random.ts'

describe('SeededRandom', () => {
  const take = (random: SeededRandom, count: number): number[] =>
    Array.from({ length: count }, () => random.next())

  test('draws the same numbers for the same seed and stream', () => {
    expect(take(new SeededRandom(7, 'link'), 100)).toEqual(take(new SeededRandom(7, 'link'), 100))
  })

  test('draws other numbers for another seed, another stream, or the upper half of a seed', () => {
    const first = take(new SeededRandom(7, 'link'), 20)
    const others = [
      [8, 'link'],
      [7, 'link a'],
      [7 + 2 ** 32, 'link'],
      [-7, 'link'],
    ] as const
    for (const [seed, stream] of others) {
      const other = take(new SeededRandom(seed, stream), 20)
      expect(other.filter((value, index) => value === first[index])).toEqual([])
    }
  })

  test('is a function of seed, stream and ordinal', () => {
    const random = new SeededRandom(42, 'timer')
    for (let n = 0; n < 50; n++) expect(random.next()).toBe(draw(42, 'timer', n))
  })

  test('does not shift when another stream draws more', () => {
    const root = new SeededRandom(1, 'world')
    const before = take(root.fork('a'), 5)
    take(root.fork('b'), 100)
    take(root, 3)
    expect(take(root.fork('a'), 5)).toEqual(before)
  })

  test('spreads floats and whole numbers evenly', () => {
    const random = new SeededRandom(3, 'spread')
    const buckets = new Array<number>(10).fill(0)
    for (let n = 0; n < 100_000; n++) {
      buckets[Math.floor(random.float() * 10)]!++
      buckets[random.below(10)]!++
    }
    for (const count of buckets) expect(Math.abs(count - 20_000)).toBeLessThan(600)
  })

  test('spreads neighbouring seeds evenly, too', () => {
    let heads = 0
    for (let seed = 0; seed < 10_000; seed++)
      if (new SeededRandom(seed, 'coin').chance(0.5)) heads++
    expect(Math.abs(heads - 5_000)).toBeLessThan(200)
  })

  test('stays within its bounds', () => {
    const random = new SeededRandom(5, 'bounds')
    for (let n = 0; n < 1_000; n++) {
      expect(random.below(1)).toBe(0)
      expect(random.below(2 ** 32)).toBeLessThan(2 ** 32)
      expect(random.float()).toBeLessThan(1)
      expect(random.uid()).toBeGreaterThan(0n)
    }
    expect(() => random.below(0)).toThrow('bound')
    expect(() => new SeededRandom(0.5, 'x')).toThrow('seed')
  })

  test('always or never happens with chance 1 or 0', () => {
    const random = new SeededRandom(6, 'chance')
    for (let n = 0; n < 100; n++) {
      expect(random.chance(1)).toBe(true)
      expect(random.chance(0)).toBe(false)
    }
  })

  test('does not begin anew after 2^32 draws', () => {
    expect(draw(7, 'long', 2 ** 32)).not.toBe(draw(7, 'long', 0))
    expect(draw(7, 'long', 2 ** 32 + 1)).not.toBe(draw(7, 'long', 1))
  })
})
