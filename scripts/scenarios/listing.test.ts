import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listed, testsBelow } from './listing.ts'

test('test/README.md says which tests cover which scenario; else run "npm run scenarios"', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const page = readFileSync(join(root, 'test', 'README.md'), 'utf8')
  expect(page).toBe(listed(page, testsBelow(root)))
  expect(page.match(/^\| [A-Z]{2}-\d{3} /gm)).toHaveLength(143)
})

describe('the list of scenarios', () => {
  const page = '# Page\n| AT-001 | a child fails | old |\n| SH-007 | shards move | old |\n'

  test('names the tests that have the id in their name or in the name of their file', () => {
    const tests = [
      { path: 'test/sharding/moves.test.ts', text: "test('SH-007 shards move')" },
      { path: 'src/actor/sh-007-unit.test.ts', text: '' },
    ]
    expect(listed(page, tests)).toBe(
      '# Page\n| AT-001 | a child fails | not yet |\n' +
        '| SH-007 | shards move | [sh-007-unit](../src/actor/sh-007-unit.test.ts), [moves](sharding/moves.test.ts) |\n',
    )
  })

  test('has no place for a scenario that nobody wrote down', () => {
    const tests = [{ path: 'test/a.test.ts', text: "test('SH-999 is new')" }]
    expect(() => listed(page, tests)).toThrow(
      'test/a.test.ts names SH-999, and test/README.md has no such scenario',
    )
  })
})
