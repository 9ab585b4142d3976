import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compiledFile } from '../test/processes/harness/compiled.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A script that runs every night must not be green because it did nothing. */
test.each([
  ['bench/run.ts', '--json', 'Name a benchmark.'],
  ['scripts/fuzz.ts', '--rounds 10', 'Name a fuzzer.'],
  ['scripts/passivation.ts', '--limit 10', 'Name one trace.'],
])('fails when there is nothing to do: %s %s', { timeout: 120_000 }, (program, words, problem) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [compiledFile(new URL(`../${program}`, import.meta.url)), ...words.split(' ')],
    { cwd: root, encoding: 'utf8' },
  )
  expect({ status, stdout, problem: stderr.split('\n')[0] }).toEqual({
    status: 1,
    stdout: '',
    problem,
  })
})
