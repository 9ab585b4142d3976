import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { mutants } from '../mutants/index.ts'
import { edited } from '../mutants/mutant.ts'

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
