import { expect, test } from 'vitest'
import { found, planted } from './planted.ts'

test.each([
  ['test/sharding/scene.ts', "import { World } from './world.test.ts'"],
  ['test/sharding/scene.ts', "export type { World } from './world.test.ts'"],
  ['bench/run.ts', "const { World } = await import('../test/world.test.ts')"],
])('test-import is reported in %s: %s', (path, line) => {
  expect(found(path, line)).toEqual([`${path}:2 test-import`])
})

test('test-import is reported in tests, too, and helpers of tests may be imported', () => {
  const lines = ["import { World } from './b.test.ts'", "import { scene } from './scene.ts'"]
  expect(planted({ 'test/a.test.ts': lines })).toEqual(['test/a.test.ts:1 test-import'])
})
