import { expect, test } from 'vitest'
import { simulate, Simulation } from '../../src/simulation/index.ts'
import { fightingInstances } from './fighting-instances.ts'

test('two instances that fight for a stream never lose or double what they acknowledged', async () => {
  let [stored, answered] = [0, 0]
  const report = await simulate('fighting instances', {
    seeds: 40,
    scenario: async (simulation) => {
      const fight = await fightingInstances(simulation)
      stored += fight.items().length
      answered += fight.operations.filter(({ ackedAt }) => ackedAt).length
    },
  })
  expect(report.violations).toBe(0)
  // The fight is a fight: much is answered, and much is disturbed.
  expect(answered).toBeGreaterThan(2_000)
  expect(stored).toBeGreaterThan(1_000)
  expect(report.faults).toBeGreaterThan(400)
}, 60_000)

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
