import { describe, expect, test } from 'vitest'
import { cases } from '../how-long.ts'
import { MemoryLimit } from './fuzz.ts'
import { handshakes } from './handshakes.ts'
import { protocol } from './protocol.ts'
import { protocolSamples } from './protocol-samples.ts'

test('mutated messages of the runtime are taken or refused, and nothing else happens', async () => {
  const rounds = cases({ short: 20_000, full: 400_000 })
  const figures = await protocol.run({ rounds, seed: 1 })
  // Both happen, or else the inputs are not worth their name.
  expect(figures['taken']).toBeGreaterThan(500)
  expect(figures['refused']).toBeGreaterThan(5_000)
})

test('T03 T04 words of a handshake that are changed on their way are believed by nobody', async () => {
  const rounds = cases({ short: 5_000, full: 200_000 })
  const figures = await handshakes.run({ rounds, seed: 1 })
  expect(figures['established']).toBeGreaterThan(500)
  expect(figures['refused']).toBeGreaterThan(500)
})

test('there is a sample of every kind of message, but for those with a ref in them', () => {
  const protocols = new Set(protocolSamples.map((sample) => sample.protocol))
  const all = [...protocols].flatMap(({ wireNames }) => wireNames)
  const sampled = new Set(protocolSamples.map(({ packed }) => packed[0]))
  expect(all.filter((name) => !sampled.has(name))).toEqual([
    'singleton.InstanceIsHere@1',
    'projection.ResetRange@1',
    'projection.GetProjectionRanges@1',
  ])
})

describe('the limit of memory', () => {
  const limitMiB = 8
  /** Small objects, twice the limit of them. */
  const fill = (): object[] =>
    Array.from({ length: (2 * limitMiB * 2 ** 20) / 64 }, (_, at) => ({ at, next: [at] }))

  test('does not count what nobody holds any more', () => {
    const memory = new MemoryLimit(limitMiB)
    const kept = [fill()]
    kept.length = 0
    expect(() => memory.check(1)).not.toThrow()
  })

  test('counts what is held', () => {
    const memory = new MemoryLimit(limitMiB)
    const kept = [fill()]
    expect(() => memory.check(7)).toThrow(/round 7: memory grew by \d+ MiB/)
    expect(kept).toHaveLength(1)
  })
})
