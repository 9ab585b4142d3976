import { describe, expect, test } from 'vitest'
import { found, planted } from './planted.ts'

describe('module-state', () => {
  test.each([
    ['let count = 0'],
    ['export let count: number'],
    ['var count = 0'],
    ['let { a, b } = c'],
    ['const seen = new Map<string, number>()'],
    ['export const seen: Set<string> = new Set()'],
    ['const seen = new WeakMap()'],
    ['const scratch = new Uint8Array(64)'],
    ['const names: string[] = []'],
    ["const names = ['a']"],
    ['const cache = {}'],
    ['class A { static count = 0 }'],
    ['class A { static #count: number = 0 }'],
  ])('reports %s', (line) => {
    expect(found('src/actor/a.ts', line)).toEqual(['src/actor/a.ts:2 module-state'])
  })

  test('reports a constant object that is changed', () => {
    const lines = ['const counts = { total: 0 }', 'function a() {', '  counts.total++', '}']
    expect(found('src/actor/a.ts', ...lines)).toEqual(['src/actor/a.ts:4 module-state'])
    expect(found('src/actor/a.ts', 'const a = make()', "a.b['c'] = 1")).toEqual([
      'src/actor/a.ts:3 module-state',
    ])
  })

  test('leaves alone what cannot change, and what lives in functions and objects', () => {
    const lines = [
      "const names: readonly string[] = ['a']",
      "const phases = ['a', 'b'] as const",
      'const known: ReadonlyMap<string, () => void> = new Map()',
      'const sealed = Object.freeze([1, 2])',
      'const settings: Settings = { limit: 1 }',
      'const isSame = settings.limit === 1 && settings.limit <= 2',
      'export function a() {',
      '  let count = 0',
      '  const seen = new Map()',
      '  seen.size = count',
      '}',
      'class A {',
      '  static readonly limit = 1',
      '  static of(a: number): A {',
      '    return new A(a)',
      '  }',
      '}',
    ]
    expect(found('src/actor/a.ts', ...lines)).toEqual([])
    expect(planted({ 'src/actor/a.test.ts': 'let count = 0' })).toEqual([])
  })
})
