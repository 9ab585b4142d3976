import { expect, test } from 'vitest'
import type { Address } from '../../src/foundation/node-id.ts'
import { cases } from '../how-long.ts'
import { Network, type Node } from './network.ts'

const addresses: readonly Address[] = ['a:1', 'b:1', 'c:1', 'd:1', 'e:1']

/** A cluster that is cut in two to four different ways, each within the time it takes to notice a cut. */
function changingCuts(seed: number): Network {
  const network = new Network({ seed, settings: { seedTimeoutMs: 60_000 } })
  const { random } = network
  const size = 3 + random.below(3)
  for (const address of addresses.slice(0, size)) network.start(address, addresses)
  network.runUntil('a whole cluster', () => network.isWhole, 30_000, 250)
  network.run(random.below(5_000))
  for (let cuts = 2 + random.below(3); cuts > 0; cuts--) {
    const { alive } = network
    const side: readonly Node[] = alive.filter(() => random.chance(0.5))
    if (random.chance(0.7)) network.heal()
    const others = alive.filter((node) => !side.includes(node))
    network.cut(side, others)
    network.run(random.below(9_000))
  }
  network.run(25_000)
  network.heal()
  network.run(30_000)
  return network
}

test('whoever is removed is frozen before, also where cuts change faster than they are noticed', () => {
  const seeds = cases({ short: 70, full: 600 })
  let removals = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const { checks } = changingCuts(seed)
    expect({ seed, excuses: checks.excuses }).toEqual({ seed, excuses: 0 })
    removals += checks.removals
  }
  expect(removals).toBeGreaterThan(seeds)
}, 600_000)
