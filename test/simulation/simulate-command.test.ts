import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { describeFailure, runCommand } from '../../scripts/simulate/command.ts'
import type { CommandOptions } from '../../scripts/simulate/options.ts'
import { compared } from '../../scripts/simulate/compared.ts'
import type { SeedResult } from '../../src/simulation/index.ts'
import { type KnownScenario, scenarios } from '../scenarios/index.ts'
import { compiledFile } from '../processes/harness/compiled.ts'

async function run(
  words: string,
): Promise<{ code: number; lines: string[]; errors: string[]; progress: string[] }> {
  const lines: string[] = []
  const errors: string[] = []
  const progress: string[] = []
  let now = 0
  const code = await runCommand(words.split(' '), {
    print: (line) => lines.push(line),
    printError: (line) => errors.push(line),
    progress: (line) => progress.push(line),
    now: () => (now += 150),
  })
  return { code, lines, errors, progress }
}

const emptyResult: SeedResult = {
  ...{ seed: 8, violations: [], hash: '', checkpoints: [], events: 100, faults: 0, plan: [] },
  ...{ simulatedMs: 5_000, excuses: {}, places: {}, lastEvents: [] },
}

const runOptions: CommandOptions = {
  ...{ scenario: 'canary', seed: 1, seeds: 1, jobs: 1, part: undefined, until: undefined },
  ...{ isJson: false, isTwice: false, isTraced: false, mutant: undefined },
  ...{ only: undefined, isShrunk: false },
}

describe('npm run simulate', () => {
  test('prints a summary, and with --json one object as its last line', async () => {
    const { code, lines, progress } = await run('--scenario ping-pong --seeds 5 --json')
    expect(code).toBe(0)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /^ping-pong: 5 seeds, 0 violations, hash [\da-f]{16}, [\d,]+ events, 0 faults, .* simulated in/,
    )
    const last = JSON.parse(lines[1]!) as Record<string, unknown>
    expect(Object.keys(last)).toEqual([
      'scenario',
      'seeds',
      'violations',
      'hash',
      'events',
      'faults',
      'simulatedMs',
      'excuses',
    ])
    expect(last).toMatchObject({ scenario: 'ping-pong', seeds: 5, violations: 0 })
    expect(progress.some((line) => /^ping-pong: \d of 5 seeds, 0 violations$/.test(line))).toBe(
      true,
    )
    expect(progress.at(-1)).toBe('')
  })

  test('fails when many seeds never come to a place that they must reach, or excuse too much', async () => {
    const known = scenarios as Map<string, KnownScenario>
    known.set('blind', {
      scenario: (simulation) => {
        simulation.reached('a place')
        if (simulation.seed === 7) simulation.excuse('S1: a flapping link')
      },
      summary: '',
      defaultSeeds: 1,
      places: ['a place', 'another place'],
      placesWithin: 3,
      rareExcuses: ['S1'],
    })
    try {
      expect((await run('--scenario blind --seeds 2')).code).toBe(0)
      const blind = await run('--scenario blind --seeds 3')
      expect(blind.code).toBe(1)
      expect(blind.lines).toContain('Fails over 3 seeds: never reached: another place')
      const excused = await run('--scenario blind --seed 7 --seeds 2')
      expect(excused.code).toBe(1)
      expect(excused.lines).toContain('Fails over 2 seeds: excused 1 times: S1: a flapping link')
    } finally {
      known.delete('blind')
    }
  })

  test('gives the same hash again, and for a part of the seeds', async () => {
    const hashOf = async (words: string): Promise<unknown> =>
      (JSON.parse((await run(words)).lines.at(-1)!) as { hash: string }).hash
    const words = '--scenario ping-pong --seeds 3 --seed 0x10 --json'
    expect(await hashOf(words)).toBe(await hashOf(words))
    expect(await hashOf(words)).not.toBe(
      await hashOf('--scenario ping-pong --seeds 3 --seed 17 --json'),
    )
  })

  test('says which places of the scenario were reached, and which were not', async () => {
    const { lines } = await run('--scenario spine-calm --seeds 1')
    const reached = lines.filter((line) => /^Reached [\d,]+ times?, under 1 seed: /.test(line))
    const missed = lines.filter((line) => line.startsWith('Never reached: '))
    const name = 'shards move for balance'
    expect([...reached, ...missed].some((line) => line.endsWith(`: ${name}`))).toBe(true)
  }, 20_000)

  test('ends at the first seed that breaks the named invariant', async () => {
    const { code, lines } = await run('--scenario canary --seeds 50 --until additions')
    expect(code).toBe(1)
    expect(lines.at(-1)).not.toContain('50 seeds')
  })

  test('gives the same hash in other processes, several of them side by side', async () => {
    const words = '--scenario workshop --seeds 5 --json'
    const program = compiledFile(new URL('../../scripts/simulate.ts', import.meta.url))
    const command = [program, ...words.split(' '), '--jobs', '2']
    const { stdout } = await promisify(execFile)(process.execPath, command)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe((await run(words)).lines.at(-1))
  }, 120_000)

  test('a part of the seeds is every Nth of them, one line each', async () => {
    const { lines } = await run('--scenario ping-pong --seeds 5 --seed 10 --part 1/2')
    const seeds = lines.map((line) => (JSON.parse(line) as SeedResult).seed)
    expect(seeds).toEqual([11, 13])
  })

  test('shows failing seeds with their events and how to replay them', async () => {
    const { code, lines } = await run('--scenario canary --seeds 5')
    expect(code).toBe(1)
    expect(lines).toContain('Seed 1 fails:')
    expect(lines).toContain('  "both additions count" is violated at 1 s: the total is 1')
    expect(lines).toContain('Replay: npm run simulate -- --scenario canary --seed 3 --seeds 1')
    for (const seed of [4, 5]) {
      expect(lines).toContain(
        `Seed ${seed} fails, too: "both additions count" is violated at 1 s: the total is 1`,
      )
    }
    expect(lines.at(-1)).toMatch(/^canary: 5 seeds, 5 violations/)
  })

  test('tells the story of entities where a violation has one, and turns to those who ask', () => {
    const lastEvents = [
      { timeMs: 1, place: 'a#1', kind: 'turn', text: 'x', at: { label: 'a#1', labelHash: 0 } },
    ]
    const told = { name: 'rich', detail: 'Wallet/bob has 1', seed: 3, timeMs: 1_000 }
    const story = ['   1.000 s  node b  Wallet/bob  pay(70)  ->  answered 1']
    const result = { ...emptyResult, seed: 3, violations: [{ ...told, story }] }
    const options = { ...runOptions, scenario: 'shop', seed: 3 }
    expect(describeFailure(options, result)).toEqual([
      'Seed 3 fails:',
      '  "rich" is violated at 1 s: Wallet/bob has 1',
      'What happened:',
      '     1.000 s  node b  Wallet/bob  pay(70)  ->  answered 1',
      'Replay: npm run simulate -- --scenario shop --seed 3 --seeds 1',
      'With --trace it shows every turn that led to it.',
      '',
    ])
    const traced = describeFailure({ ...options, isTraced: true }, { ...result, lastEvents })
    expect(traced).toContain('What happened:')
    expect(traced).toContain('The last events:')
    expect(traced.join()).not.toContain('--trace')
  })

  test('replays one seed', async () => {
    expect((await run('--scenario canary --seed 3')).lines.at(-1)).toMatch(
      /^canary: 1 seed, 1 violation,/,
    )
  })

  test('compares two runs of every seed with --twice', async () => {
    const { code, lines } = await run('--scenario workshop --seeds 3 --twice')
    expect(code).toBe(0)
    expect(lines.at(-1)).toMatch(/^workshop: 3 seeds, 0 violations/)
  })

  test('lists its scenarios and explains itself', async () => {
    expect((await run('--list')).lines.join('\n')).toMatch(/workshop[\s\S]*ping-pong[\s\S]*canary/)
    const { code, lines } = await run('--help')
    expect(code).toBe(0)
    expect(lines.join('\n')).toContain('--seeds N')
  })

  test.each([
    ['--scenario nonsense', /no scenario "nonsense"[\s\S]*workshop/],
    ['--seeds 0', /--seeds takes a whole number of at least 1, not "0"/],
    ['--seed -1', /--seed/],
    ['--seeds 1e3', /--seeds takes a whole number/],
    ['--seed 9007199254740991 --seeds 2', /--seed and --seeds go too far/],
    ['--nonsense', /--nonsense/],
    ['nonsense', /nonsense/],
  ])('refuses %s with a reason', async (words, reason) => {
    const { code, lines, errors } = await run(words)
    expect([code, lines]).toEqual([1, []])
    expect(errors.join('\n')).toMatch(reason)
    expect(errors.join('\n')).toContain('--help')
  })
})

describe('two runs of one seed', () => {
  const result = (hash: string, checkpoints: string[] = []): SeedResult => ({
    ...emptyResult,
    hash,
    checkpoints,
  })

  test('with the same hash are fine', () => {
    const first = result('a', ['x'])
    expect(compared(first, result('a', ['x']))).toBe(first)
  })

  test.each([
    [['x', 'y'], ['x', 'z'], 'between events 10000 and 20000'],
    [['x'], ['x'], 'after event 10000'],
    [[], [], 'after event 0'],
  ])('with other hashes are a violation that says where they part', (one, two, where) => {
    const { violations } = compared(result('a', one), result('b', two))
    expect(violations).toMatchObject([{ name: 'the same seed does the same', seed: 8 }])
    expect(violations[0]?.detail).toContain(where)
  })
})
