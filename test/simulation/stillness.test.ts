import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Simulation } from '../../src/simulation/index.ts'

/** Far longer than a scenario may wait for an actor. */
const longMs = 60_000

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

beforeEach(() => {
  // The simulation keeps the timers that it finds when it is loaded.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.resetModules()
})

afterEach(() => void vi.useRealTimers())

test('a scenario that waits where nobody moves fails, and says what to write', async () => {
  const { simulate } = await import('../../src/simulation/index.ts')
  const { promise: atRest, resolve: rest } = deferred()
  const scenario = async (simulation: Simulation): Promise<void> => {
    const { system } = simulation.node('a')
    await simulation.run({ for: '1s' })
    rest()
    await system.terminate()
  }
  const failure = simulate('still', { scenario, seed: 1 }).catch((error: unknown) => error)
  await atRest
  await vi.advanceTimersByTimeAsync(longMs)
  expect(String(await failure)).toContain(
    'The scenario waits, and nothing moves: actors run only inside of run, runUntil, runUntilIdle and settle.',
  )
})

test('a scenario may take its time before its first node', async () => {
  const { simulate } = await import('../../src/simulation/index.ts')
  const { promise: loaded, resolve: load } = deferred()
  const scenario = async (simulation: Simulation): Promise<void> => {
    await loaded
    simulation.node('a')
    await simulation.run({ for: '1s' })
  }
  const report = simulate('slow to load', { scenario, seed: 1 })
  await vi.advanceTimersByTimeAsync(longMs)
  load()
  expect(await report).toMatchObject({ seeds: 1, violations: 0 })
})
