import { describe, expect, test } from 'vitest'
import { found, opening, planted } from './planted.ts'

describe('file-name', () => {
  test.each([
    ['src/actor/ActorCell.ts'],
    ['src/actor/actor_cell.ts'],
    ['bench/Cases/tell.ts'],
    ['src/actor/util.ts'],
    ['src/actor/string-utils.ts'],
    ['test/common/clock.ts'],
    ['src/actor/test-helper.test.ts'],
    ['src/actor/cell-manager.ts'],
    ['src/actor/cell-impl.ts'],
    ['scripts/misc.mjs'],
  ])('reports %s', (path) => {
    expect(found(path)).toEqual([`${path}:1 file-name`])
  })

  test('leaves names alone that only contain such a word', () => {
    expect(found('src/actor/uncommon-utility.ts')).toEqual([])
  })
})

describe('type-name', () => {
  const verdict = [opening, 'export interface Verdict {}']

  test('reports the second type of a name', () => {
    const files = { 'src/actor/a.ts': verdict, 'src/cluster/b.ts': [...verdict, ''] }
    expect(planted(files)).toEqual(['src/cluster/b.ts:2 type-name'])
  })

  test('leaves a type alone that shares its name with a value beside it, or with something in a test', () => {
    const files = {
      'src/actor/a.ts': [...verdict, 'export type Mark = 1', 'export const Mark = 1'],
      'src/cluster/b.test.ts': verdict,
      'src/cluster/c.ts': [opening, 'interface Verdict {}', "export type { Mark } from './d.ts'"],
    }
    expect(planted(files)).toEqual([])
  })
})

describe('opening-comment', () => {
  test.each([
    ['const a = 1'],
    ['// A line.'],
    ['/* No promise. */'],
    ['/** */'],
    ['\n/** Late. */'],
    [''],
  ])('reports a file that opens with %j', (text) => {
    expect(planted({ 'bench/a.ts': text })).toEqual(['bench/a.ts:1 opening-comment'])
  })

  test('lets tests open at once, and programs with a hashbang', () => {
    const files = {
      'src/actor/a.test.ts': 'work()',
      'scripts/a.mjs': `#!/usr/bin/env node\n${opening}`,
    }
    expect(planted(files)).toEqual([])
  })
})
