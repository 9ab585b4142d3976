import { expect, test } from 'vitest'
import type { LimitedPassivation } from '../../../src/sharding/index.ts'
import { RehearsedRegion } from './rehearsed-region.ts'

const ids = 1_000_000
const rounds = 10
const regions = 10
const shards = 100

/** The hash by which these figures were found first. */
function hashOf(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) {
    hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  }
  return hash
}

function played(given: Omit<LimitedPassivation, 'activeEntityLimit'>) {
  const hosts = Array.from(
    { length: regions },
    () => new RehearsedRegion({ activeEntityLimit: 50_000, ...given }),
  )
  // A shard goes to the region with the fewest when its first message comes.
  const homes = new Map<number, RehearsedRegion>()
  for (let round = 0; round < rounds; round++) {
    for (let id = 1; id <= ids; id++) {
      const entityId = String(id)
      const shard = Math.abs(hashOf(entityId) % shards)
      const home = homes.get(shard) ?? hosts[homes.size % regions]!
      homes.set(shard, home)
      home.touch(shard, entityId)
    }
  }
  const sum = (count: 'activations' | 'passivations'): number =>
    hosts.reduce((before, host) => before + host[count], 0)
  return { activations: sum('activations'), passivations: sum('passivations') }
}

const filtered = {
  replacement: { policy: 'least-recently-used', proportions: [0.2, 0.8] },
  admission: { window: { policy: 'least-recently-used' }, filter: 'frequency-sketch' },
} as const

test.each<[string, Omit<LimitedPassivation, 'activeEntityLimit'>, number]>([
  ['least recently used', { replacement: 'least-recently-used' }, 10_000_000],
  ['most recently used', { replacement: 'most-recently-used' }, 5_500_000],
  ['window, filter and segments', filtered, 5_576_284],
  ['the same with a window that adapts', { replacement: 'adaptive' }, 5_576_284],
])('SH-060 ten million messages in a loop: %s', (_, given, activations) => {
  expect(played(given)).toEqual({ activations, passivations: activations - 500_000 })
})
