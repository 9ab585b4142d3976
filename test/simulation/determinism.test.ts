import { describe, expect, test } from 'vitest'
import { type SimulateOptions, type Simulation, simulateSeeds } from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'
import { pingPong } from '../scenarios/ping-pong.ts'
import { workshop } from '../scenarios/workshop.ts'

async function hashesOf(options: SimulateOptions): Promise<string[]> {
  const hashes: string[] = []
  for await (const { hash, violations } of simulateSeeds(options)) {
    expect(violations).toEqual([])
    hashes.push(hash)
  }
  return hashes
}

describe('the same seed does the same', () => {
  test(
    'every seed of the workshop gives the same hash twice, and no two of them alike',
    { timeout: 600_000 },
    async () => {
      const seeds = cases({ short: 40, full: 1_000 })
      const first = await hashesOf({ scenario: workshop, seeds })
      const second = await hashesOf({ scenario: workshop, seeds })
      expect(second).toEqual(first)
      expect(new Set(first).size).toBe(seeds)
    },
  )

  test('also where promise reactions need a visit to the event loop', async () => {
    const seeds = { scenario: workshop, seeds: 3 }
    expect(await hashesOf({ ...seeds, drainMode: 'hop' })).toEqual(await hashesOf(seeds))
  })

  test('and chance that was kept from before the simulation shows as another hash', async () => {
    const realRandom = Math.random
    const scenario = async (simulation: Simulation): Promise<void> => {
      simulation.after(realRandom() * 1_000, () => {})
      await simulation.run({ for: '1s' })
    }
    const [first] = await hashesOf({ scenario, seed: 1 })
    expect(await hashesOf({ scenario, seed: 1 })).not.toEqual([first])
  })

  test('also while other simulations run in the same process', async () => {
    const alone = await hashesOf({ scenario: workshop, seeds: 10 })
    const [together, , hopping] = await Promise.all([
      hashesOf({ scenario: workshop, seeds: 10 }),
      hashesOf({ scenario: pingPong, seeds: 100 }),
      hashesOf({ scenario: workshop, seeds: 3, drainMode: 'hop' }),
    ])
    expect(together).toEqual(alone)
    expect(hopping).toEqual(alone.slice(0, 3))
  })

  test('and a promise of an earlier seed belongs to no node of a later one', async () => {
    const places: string[] = []
    let latest: Simulation | undefined
    let goOn = (): void => {}
    const scenario = async (simulation: Simulation): Promise<void> => {
      latest = simulation
      const earlier = goOn
      const { environment } = simulation.node('a')
      environment.timers.after(1, () => {
        places.push(simulation.here)
        const waiting = new Promise<void>((resolve) => (goOn = resolve))
        void waiting.then(() => places.push(`then ${latest?.here}`))
        earlier()
      })
      await simulation.run({ for: '1s' })
    }
    await hashesOf({ scenario, seed: 1, seeds: 2 })
    expect(places).toEqual(['a#1', 'a#1', 'then *'])
  })
})
