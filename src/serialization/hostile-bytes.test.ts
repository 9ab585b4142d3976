import { expect, test } from 'vitest'
import { cases } from '../../test/how-long.ts'
import { values } from '../../test/fuzz/values.ts'
import { CannotDeserialize } from './serialization-errors.ts'
import { ValueCodec } from './value-codec.ts'

const rounds = cases({ short: 6_000, full: 200_000 })

test(`whatever comes, ${rounds} times: a value or a refusal, and nothing else happens`, async () => {
  const before = Object.getOwnPropertyNames(Object.prototype).join()
  const figures = await values.run({ rounds, seed: 20_261_115 })
  expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before)
  // Both happen, or else the inputs are not worth their name.
  expect(figures['read']).toBeGreaterThan(rounds / 50)
  expect(figures['refused']).toBeGreaterThan(rounds / 3)
}, 600_000)

test('lies about length cost no memory', () => {
  const reader = new ValueCodec({ use: 'stored' })
  const heads = [0xdd, 0xdf, 0xdb, 0xc6].map((tag) => Uint8Array.of(tag, 0x0f, 255, 255, 255, 0))
  const before = process.memoryUsage()
  for (let round = 0; round < 5_000; round++) {
    for (const head of heads) expect(() => reader.decode(head)).toThrow(CannotDeserialize)
  }
  const after = process.memoryUsage()
  expect(after.rss + after.external - before.rss - before.external).toBeLessThan(100 * 2 ** 20)
})
