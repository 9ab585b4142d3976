import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { mutants } from '../mutants/index.ts'
import { edited } from '../mutants/mutant.ts'
import { compiledFile } from '../processes/harness/compiled.ts'

test.each([...mutants.keys()])('%s still applies to the source', async (name) => {
  const sources = new Map<string, string>()
  for (const edit of mutants.get(name)?.edits ?? []) {
    const before = sources.get(edit.file) ?? (await readFile(edit.file, 'utf8'))
    sources.set(edit.file, edited(before, edit))
  }
  expect(sources.size).toBeGreaterThan(0)
})

test('an edit that applies nowhere, or twice, is an error', () => {
  const edit = { file: 'a.ts', find: 'x', replace: 'y' }
  expect(() => edited('abc', edit)).toThrow('0 times')
  expect(() => edited('x x', edit)).toThrow('2 times')
})

/** By which invariant each must be found, and a seed that does. Another seed may be the first when the code has changed. */
const finds: ReadonlyMap<string, Find> = new Map([
  ['B02', { until: 'numbers are consecutive', seed: 12 }],
  // Both halves of S4: taken while it runs, or started after it was taken.
  ['B03', { until: 'shard', seed: 50 }],
  // The home it is told of is a former life of its own: an assertion of regions, long before a call waits in vain.
  ['B05', { until: 'no error goes unnoticed', detail: 'is another node', seed: 8 }],
  ['B08', { until: 'every entity answers', seed: 22 }],
  ['B15', { until: 'coordinator', seed: 20 }],
  ['B38', { until: 'nobody writes after a later claim', seed: 42 }],
  // Without any fault: what explains a loss must have happened.
  ['B42', { until: 'given up without a fault', seed: 8, scenario: 'spine-calm' }],
  ['N01', { until: 'one thing at a time', seed: 1, scenario: 'nesting' }],
  ['N02', { until: 'one thing at a time', seed: 8, scenario: 'nesting' }],
  [
    'N03',
    { until: 'handled once or lost', detail: 'has vanished', seed: 171, scenario: 'nesting' },
  ],
])

interface Find {
  readonly until: string
  /** What the violation must say; anything when not given. */
  readonly detail?: string
  readonly seed: number
  /** The spine with faults when not given. */
  readonly scenario?: string
}

/** So that another seed finds it in time when the code has changed: those of single actors are rare, and fast. */
const SEEDS_MAX: Readonly<Record<string, number>> = {
  spine: 150,
  'spine-calm': 150,
  nesting: 2_000,
}

describe('the simulation finds', () => {
  let program = ''
  beforeAll(() => {
    program = compiledFile(new URL('../../scripts/simulate.ts', import.meta.url))
  }, 60_000)

  test.each([...mutants.keys()])('%s', { timeout: 120_000 }, async (name) => {
    const { until, detail = '', seed, scenario = 'spine' } = finds.get(name) as Find
    const words = `--scenario ${scenario} --mutant ${name} --seed ${seed} --seeds ${SEEDS_MAX[scenario]} --until`
    const { code, output } = await run([program, ...words.split(' '), until])
    const pattern = `Seed \\d+ fails:\\n(  .*\\n)*  "[^"]*${until}[^"]*" is violated.*${detail}`
    expect(output).toMatch(new RegExp(pattern))
    expect(code).toBe(1)
  })
})

function run(words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (part: Buffer) => (output += part.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}
