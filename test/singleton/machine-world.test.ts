import { describe, expect, test } from 'vitest'
import { SeededRandom } from '../../src/simulation/internals.ts'
import { MachineWorld } from './machine-world.ts'

/** Runs one seed; a failure names it. */
function run(seed: number, areNumbersReused = false): MachineWorld {
  const random = new SeededRandom(seed, 'singleton')
  const world = new MachineWorld(random, 2 + (seed % 3), areNumbersReused)
  try {
    for (let step = 0; step < 400; step++) world.disturb()
    world.settle()
    const { oldest, hosts } = world.outcome()
    expect(hosts).toEqual(oldest === undefined ? [] : [oldest])
  } catch (error) {
    throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
  }
  return world
}

describe('machines of a singleton in a world of faults', () => {
  test('never two instances, growing terms, and in the end one on the oldest: 2,000 seeds', () => {
    let lives = 0
    const hosts = new Set<string>()
    for (let seed = 1; seed <= 2_000; seed++) {
      const world = run(seed)
      lives += world.lives.length
      for (const { node } of world.lives) hosts.add(`${seed} ${node}`)
    }
    // Otherwise the world was too quiet to show anything.
    expect(lives).toBeGreaterThan(8_000)
    expect(hosts.size).toBeGreaterThan(5_000)
  })

  test('the same when a number is given again, with terms that grow among those who are members', () => {
    let lives = 0
    for (let seed = 1; seed <= 1_000; seed++) lives += run(seed, true).lives.length
    expect(lives).toBeGreaterThan(4_000)
  })
})
