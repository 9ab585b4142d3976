import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { isFull } from '../how-long.ts'
import { mutants } from '../mutants/index.ts'
import { edited, type Mutant, seedsToTry } from '../mutants/mutant.ts'
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

describe('the simulation finds', () => {
  const program = compiledFile(new URL('../../scripts/simulate.ts', import.meta.url))
  // A short run sees that the checkers of some scenarios have eyes; which bugs they find is for the full one.
  const scenarios = new Set<string>()
  const isFirst = ({ found }: Mutant): boolean =>
    found.isSlow !== true && scenarios.size < scenarios.add(found.scenario).size
  const ofEach = [...mutants].filter(([, mutant]) => isFull || isFirst(mutant))
  const sought = isFull ? ofEach : ofEach.slice(0, 6)

  test.each(sought)('%s', { timeout: 300_000 }, async (name, { found }) => {
    const { by, detail = '', seed, scenario } = found
    const words = `--scenario ${scenario} --mutant ${name} --seed ${seed} --seeds ${seedsToTry(found)} --until`
    const { code, output } = await run([program, ...words.split(' '), by])
    const pattern = `Seed \\d+ fails:\\n(  .*\\n)*  "[^"]*${by}[^"]*" is violated.*${detail}`
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
