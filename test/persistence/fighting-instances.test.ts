import { expect, test } from 'vitest'
import { simulate, Simulation } from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'
import { fightingInstances } from './fighting-instances.ts'

test('two instances that fight for a stream never lose or double what they acknowledged', async () => {
  const seeds = cases({ short: 12, full: 120 })
  let [stored, answered] = [0, 0]
  const report = await simulate('fighting instances', {
    seeds,
    scenario: async (simulation) => {
      const fight = await fightingInstances(simulation)
      stored += fight.items().length
      answered += fight.operations.filter(({ ackedAt }) => ackedAt).length
    },
  })
  expect(report.violations).toBe(0)
  // The fight is a fight: much is answered, and much is disturbed.
  expect(answered).toBeGreaterThan(seeds * 50)
  expect(stored).toBeGreaterThan(seeds * 25)
  expect(report.faults).toBeGreaterThan(seeds * 10)
}, 600_000)

test('the same seed fights the same fight', async () => {
  const hashes: string[] = []
  for (let run = 0; run < 2; run++) {
    const simulation = new Simulation({ seed: 7 })
    await fightingInstances(simulation)
    hashes.push(simulation.hash)
    simulation[Symbol.dispose]()
  }
  expect(hashes[0]).toBe(hashes[1])
})
