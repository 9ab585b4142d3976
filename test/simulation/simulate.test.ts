import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  type Simulation,
  SimulationFailed,
  SimulationMisuse,
  simulate,
  simulateSeeds,
} from '../../src/simulation/index.ts'
import { compiledFile } from '../processes/harness/compiled.ts'
import { canary } from '../scenarios/canary.ts'
import { pingPong } from '../scenarios/ping-pong.ts'

describe('simulate', () => {
  test('runs a scenario under many seeds and reports', async () => {
    const report = await simulate('ping-pong', { scenario: pingPong, seeds: 20 })
    expect(report).toMatchObject({ seeds: 20, violations: 0, faults: 0 })
    expect(report.events).toBeGreaterThan(2_000)
    expect(report.hash).toMatch(/^[\da-f]{16}$/)
    expect(await simulate('ping-pong', { scenario: pingPong, seeds: 20 })).toEqual(report)
    expect((await simulate('ping-pong', { scenario: pingPong, seeds: 20, seed: 2 })).hash).not.toBe(
      report.hash,
    )
  })

  test('catches the canary under every seed', async () => {
    for await (const { violations } of simulateSeeds({ scenario: canary, seeds: 50 })) {
      expect(violations.map(({ name }) => name)).toEqual(['both additions count'])
    }
  })

  test('fails with seed, violation and how to meet it again', async () => {
    const failure: unknown = await simulate('my canary', { scenario: canary, seed: 17 }).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(SimulationFailed)
    const { message, seed } = failure as SimulationFailed
    expect(seed).toBe(17)
    expect(message).toContain(`"my canary" fails under seed 17`)
    expect(message).toContain(`simulate('my canary', { seed: 17, … })`)
    expect(message).toContain('"both additions count" is violated at 1 s: the total is 1')
    expect(message).toContain('The last events:')
  })

  test('does not take a run that nobody awaits for a good end', async () => {
    const forgetful = (simulation: Simulation): void => void simulation.run({ for: '1s' })
    const failure = simulate('forgetful', { scenario: forgetful, seeds: 1 })
    await expect(failure).rejects.toThrow('A run is still in progress. Await it.')
  })

  test.each([0, -1, NaN, 2.5, '5', null])(
    'refuses to take %j seeds for a good end',
    async (seeds) => {
      const run = simulate('none', { scenario: pingPong, seeds: seeds as number })
      await expect(run).rejects.toThrow(SimulationMisuse)
      await expect(run).rejects.toThrow('seeds is a whole number of at least 1')
    },
  )

  test('turns an error of the scenario itself into a violation with its seed', async () => {
    const scenario = (): void => {
      throw new Error('assertion of the test')
    }
    const run = simulate('broken', { scenario, seeds: 3 })
    await expect(run).rejects.toThrow(/seed 1[\s\S]*assertion of the test/)
  })

  test('fails only under the seeds that meet the bug', async () => {
    const failing: number[] = []
    const scenario = (simulation: {
      random: { chance(p: number): boolean }
      check(n: string, ok: boolean): void
    }): void => simulation.check('lucky', !simulation.random.chance(0.1))
    for await (const { seed, violations } of simulateSeeds({ scenario, seeds: 200 })) {
      if (violations.length > 0) failing.push(seed)
    }
    expect(failing.length).toBeGreaterThan(5)
    expect(failing.length).toBeLessThan(50)
    const [seed] = failing
    await expect(simulate('unlucky', { scenario, seed: seed! })).rejects.toThrow(`seed ${seed}`)
  })
})

test('works under node:test as it does here', async () => {
  const fixture = compiledFile(new URL('fixtures/under-node-test.ts', import.meta.url))
  const words = ['--test', '--test-reporter=tap', fixture]
  // The runner of a test that runs a test would otherwise take itself for a child of node:test.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, words, { env })
  expect(stdout).toContain('# pass 2')
  expect(stdout).toContain('# fail 0')
})
