import { afterEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../scripts/simulate/command.ts'
import { parseCommand } from '../../scripts/simulate/options.ts'
import { numbersInWords, shrink } from '../../scripts/simulate/shrink.ts'
import { smallestPart } from '../../scripts/simulate/smallest-part.ts'
import { type SeedResult, type Simulation, simulateSeeds } from '../../src/simulation/index.ts'
import { type KnownScenario, scenarios } from '../scenarios/index.ts'
import { planFaults } from '../scenarios/planned-faults.ts'

const limits = { runsMax: 200, timeMaxMs: 60_000, now: () => 0 }

/** Twenty faults and more, each a number that it draws; two of them together break it. */
async function fragile(simulation: Simulation): Promise<void> {
  const came: number[] = []
  const times = { leastMs: 10, moreMs: 100 }
  const kinds = [0, 1, 2, 3, 4]
  planFaults(simulation, { kinds, times }, (kind, random) => {
    const number = 5 * random.below(1_000) + kind
    simulation.fault(`number ${number}`)
    came.push(number)
    const isBroken = came.some((each) => each % 5 === 3) && kind === 1 && came.length > 1
    simulation.check('3 and then 1 are too much', !isBroken, came.join())
  })
  await simulation.run({ for: '5s' })
}

async function resultOf(seed: number, only?: readonly number[]): Promise<SeedResult> {
  const options = { scenario: fragile, seed, seeds: 1, ...(only && { only }) }
  for await (const result of simulateSeeds(options)) return result
  throw new Error('no seed was run')
}

describe('the smallest part of a list', () => {
  const needs =
    (...needed: readonly number[]) =>
    (kept: readonly number[]): Promise<boolean> =>
      Promise.resolve(needed.every((each) => kept.includes(each)))
  const list = Array.from({ length: 100 }, (_, index) => index)

  test.each([[[]], [[7]], [[0, 99]], [[13, 14, 77]]])('that has %j', async (needed) => {
    expect(await smallestPart(list, needs(...needed), () => true)).toEqual(needed)
  })

  test('is as small as there is time for', async () => {
    let runs = 0
    const kept = await smallestPart(list, needs(3), () => ++runs <= 4)
    expect(kept).toContain(3)
    expect(kept.length).toBeLessThan(100)
    expect(kept.length).toBeGreaterThan(1)
  })
})

describe('a plan of faults', () => {
  test('can be carried out in part: each fault does what it does in the whole', async () => {
    const whole = await resultOf(4)
    expect(whole.plan.length).toBeGreaterThan(3)
    const [, second, third] = whole.plan
    const part = await resultOf(4, [2, 3])
    expect(part.plan).toEqual([second, third])
    expect((await resultOf(4, [2, 3])).hash).toBe(part.hash)
    expect((await resultOf(4, [])).plan).toEqual([])
  })

  test('shrinks to what it needs to fail in the same way', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const result = await resultOf(seed)
      const shrunk = (await shrink(fragile, result, limits)) ?? { plan: result.plan, runs: 0 }
      expect(shrunk.plan).toHaveLength(2)
      expect(shrunk.runs).toBeLessThan(60)
      const again = await resultOf(
        seed,
        shrunk.plan.map(({ number }) => number),
      )
      expect(again.violations[0]?.name).toBe(result.violations[0]?.name)
      expect(again.plan).toEqual(shrunk.plan)
    }
  })

  test('is left as it is where no time is left, or nothing fails', async () => {
    const result = await resultOf(2)
    expect(await shrink(fragile, result, { ...limits, runsMax: 0 })).toBeUndefined()
    expect(await shrink(fragile, { ...result, violations: [] }, limits)).toBeUndefined()
    expect(await shrink(fragile, { ...result, plan: [] }, limits)).toBeUndefined()
  })
})

describe('npm run simulate', () => {
  const known = scenarios as Map<string, KnownScenario>
  afterEach(() => void known.delete('fragile'))

  async function run(words: string): Promise<readonly string[]> {
    known.set('fragile', { scenario: fragile, summary: '', defaultSeeds: 1 })
    const lines: string[] = []
    let now = 0
    await runCommand(words.split(' '), {
      print: (line) => lines.push(line),
      printError: (line) => lines.push(line),
      now: () => now++,
    })
    return lines
  }

  test('shows the smallest plan of the first seed that fails, and a command that fails in the same way', async () => {
    const lines = await run('--scenario fragile --seed 1 --seeds 2')
    const at = lines.findIndex((line) =>
      /^Of \d+ planned faults 2 are needed \(\d+ runs\):$/.test(line),
    )
    expect(lines[at + 1]).toMatch(/^ +\d+ +[\d.]+ m?s  number \d*[38]$/)
    expect(lines[at + 2]).toMatch(/^ +\d+ +[\d.]+ m?s  number \d*[16]$/)
    const [, words = ''] = /^Replay: npm run simulate -- (.*)$/.exec(lines[at + 3] ?? '') ?? []
    expect(words).toMatch(/^--scenario fragile --seed 1 --seeds 1 --only [\d,-]+$/)
    expect(lines.filter((line) => line.startsWith('Of '))).toHaveLength(1)
    const again = await run(words)
    expect(again.join('\n')).toContain('"3 and then 1 are too much" is violated')
    expect(again).toContain(`Replay: npm run simulate -- ${words}`)
  })

  test.each(['--no-shrink', '--until never'])('does not with %s', async (option) => {
    const lines = await run(`--scenario fragile --seed 1 --seeds 1 ${option}`)
    expect(lines.some((line) => line.includes('is violated'))).toBe(true)
    expect(lines.some((line) => line.startsWith('Of '))).toBe(false)
  })

  test('reads numbers as it writes them', () => {
    const numbers = [1, 3, 4, 5, 9, 10]
    expect(numbersInWords(numbers)).toBe('1,3-5,9-10')
    expect(numbersInWords([])).toBe('none')
    for (const each of [numbers, []]) {
      const command = parseCommand(['--scenario', 'canary', '--only', numbersInWords(each)])
      expect(command).toMatchObject({ type: 'Run', options: { only: each } })
    }
    const wrong = parseCommand(['--scenario', 'canary', '--only', '5-3'])
    expect(wrong).toMatchObject({ type: 'Mistake' })
  })
})
