import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inspect } from './tidy/inspect.ts'
import { opening, planted } from './tidy/planted.ts'
import { inWords } from './tidy/violation.ts'

test('the real tree is tidy', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  expect(inspect(root).map(inWords)).toEqual([])
})

test('finds one planted violation of each rule, all at once, by file and line', () => {
  const long = ['function long() {', ...Array<string>(59).fill('  work()'), '}']
  const files = {
    'bench/long-file.ts': [opening, ...Array<string>(400).fill('work()')],
    'bench/long-function.ts': [opening, ...long],
    'bench/misc.ts': [opening],
    'src/actor/a.ts': ['export const a = 1'],
    'src/actor/b.ts': [
      opening,
      "import { Simulation } from '../simulation/index.ts'",
      'let count = Date.now()',
      'let anything: any',
      'enum Phase { First }',
      '// TODO later',
      'export default count',
    ],
    'src/actor/b-messages.ts': [opening, "export type B = { readonly type: 'B' }"],
    'src/actor/c-machine.ts': [opening, "import { d } from './d-actor.ts'"],
    'src/testkit/e.ts': [opening, "import { Cell } from '../actor/cell.ts'"],
    'src/testkit/index.ts': [opening, "export { F } from './f-machine.ts'"],
    'test/g.ts': [opening, "import { h } from './h.test.ts'"],
  }
  expect(planted(files)).toEqual([
    'bench/long-file.ts:401 file-length',
    'bench/long-function.ts:2 function-length',
    'bench/misc.ts:1 file-name',
    'src/actor/a.ts:1 opening-comment',
    'src/actor/b-messages.ts:2 wire-sample',
    'src/actor/b.ts:2 room-direction',
    'src/actor/b.ts:3 world-access',
    'src/actor/b.ts:3 module-state',
    'src/actor/b.ts:4 module-state',
    'src/actor/b.ts:4 no-any',
    'src/actor/b.ts:5 erasable',
    'src/actor/b.ts:6 todo',
    'src/actor/b.ts:7 no-default-export',
    'src/actor/c-machine.ts:2 machine-imports',
    'src/testkit/e.ts:2 door',
    'src/testkit/index.ts:2 public-door',
    'test/g.ts:2 test-import',
  ])
})

test('looks into every file of code, wherever it is and whatever it ends with', () => {
  const files = ['bench/a.cjs', 'bench/b.cts', 'bench/c.js', 'examples/d.jsx', 'examples/e/f.mjs']
  files.push('scripts/g.mts', 'src/actor/h.tsx', 'test/i.ts')
  const texts = Object.fromEntries(files.map((path) => [path, '// TODO']))
  expect(
    planted({ ...texts, 'bench/data.json': '// TODO' }).filter((line) => /todo/.test(line)),
  ).toEqual(files.map((path) => `${path}:1 todo`))
})

test('says where, which rule, and what to do instead', () => {
  const violation = { path: 'src/actor/cell.ts', line: 7, rule: 'door', advice: 'use the door' }
  expect(inWords(violation)).toBe('src/actor/cell.ts:7 door: use the door')
})
