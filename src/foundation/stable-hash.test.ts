import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stableHash } from './stable-hash.ts'

/** Written from the definition, byte by byte with big integers: slow, and sharing nothing with ours. */
const reference = (bytes: Uint8Array, seed: number): number => {
  const word = (value: bigint): bigint => value & 0xffffffffn
  const rotate = (value: bigint, bits: bigint): bigint =>
    word((value << bits) | (value >> (32n - bits)))
  const scrambled = (k: bigint): bigint => word(rotate(word(k * 0xcc9e2d51n), 15n) * 0x1b873593n)
  let hash = BigInt(seed)
  const whole = bytes.length - (bytes.length % 4)
  for (let at = 0; at < whole; at += 4) {
    const block = BigInt(Buffer.from(bytes).readUInt32LE(at))
    hash = word(rotate(hash ^ scrambled(block), 13n) * 5n + 0xe6546b64n)
  }
  let tail = 0n
  for (let at = bytes.length - 1; at >= whole; at--) tail = (tail << 8n) | BigInt(bytes[at] ?? 0)
  hash ^= scrambled(tail)
  hash ^= BigInt(bytes.length)
  hash = word((hash ^ (hash >> 16n)) * 0x85ebca6bn)
  hash = word((hash ^ (hash >> 13n)) * 0xc2b2ae35n)
  return Number(hash ^ (hash >> 16n))
}

const expected = (text: string, seed = 0): number => reference(new TextEncoder().encode(text), seed)

describe('stableHash', () => {
  test.each<[string, number, number]>([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['a', 0, 0x3c2569b2],
    ['hello', 0, 0x248bfa47],
    ['hello, world', 0, 0x149bbb7f],
    ['The quick brown fox jumps over the lazy dog', 0, 0x2e4ff723],
    ['The quick brown fox jumps over the lazy dog', 0x9747b28c, 0x2fa826cd],
    ['Hello, world!', 0x9747b28c, 0x24884cba],
    ['aaaa', 0x9747b28c, 0x5a97808a],
    ['aaa', 0x9747b28c, 0x283e0130],
    ['ππππππππ', 0x9747b28c, 0xd58063c1],
  ])('hashes %j with seed %d as published', (text, seed, hash) => {
    expect(expected(text, seed)).toBe(hash)
    expect(stableHash(text, seed)).toBe(hash)
  })

  test.each([
    ['cart-1', 1_773_557_798],
    ['user/42', 2_679_797_342],
    ['Zürich', 694_770_001],
    ['東京', 2_529_104_194],
    ['🛒', 3_724_799_744],
  ])('gives the id %s the number it had in the first release', (id, hash) => {
    expect(stableHash(id)).toBe(hash)
  })

  test('takes a surrogate without its partner for U+FFFD', () => {
    const replaced = stableHash('\ufffd')
    expect([stableHash('\ud800'), stableHash('\udc00')]).toEqual([replaced, replaced])
    expect(stableHash('\udc00\ud800')).toBe(stableHash('\ufffd\ufffd'))
  })

  test('agrees with the reference on any text, well formed or not', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
      fc.string({ unit: fc.constantFrom('a', 'é', '東', '🛒', '\ud83d', '\uded2') }),
    )
    fc.assert(
      fc.property(anyText, fc.nat(0xffffffff), (text, seed) => {
        expect(stableHash(text, seed)).toBe(expected(text, seed))
        expect(stableHash(text)).toBe(expected(text))
      }),
      { numRuns: 1_000 },
    )
  })

  test('spreads similar ids evenly over shards', () => {
    const shards = new Array<number>(100).fill(0)
    for (let i = 0; i < 100_000; i++) shards[stableHash(`entity-${i}`) % 100]!++
    expect(Math.min(...shards)).toBeGreaterThan(850)
    expect(Math.max(...shards)).toBeLessThan(1_150)
  })
})
