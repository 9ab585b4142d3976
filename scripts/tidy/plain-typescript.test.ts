import { describe, expect, test } from 'vitest'
import { found } from './planted.ts'

describe('no-any', () => {
  test.each([
    ['export function a(b: any): void {}'],
    ['const a = b as any'],
    ['const a = new Map<string, any>()'],
    ['const a = <any>b'],
    ['export type A = any[]'],
    ['// @ts-ignore: it works'],
    ['// @ts-nocheck'],
  ])('reports %s', (line) => {
    expect(found('src/actor/a.ts', line)).toContain('src/actor/a.ts:2 no-any')
  })

  test('leaves the word alone elsewhere', () => {
    const lines = ['// any time: any as any', "const a = Promise.any(b) ? 'any' : { any: 1 }"]
    expect(found('src/actor/a.ts', ...lines)).toEqual([])
  })
})

describe('todo', () => {
  test.each([
    ['// TODO later'],
    ['// todo: later'],
    ['/** FIXME: later. */'],
    ['work() // XXX'],
    ['// HACK(12)'],
    ['// TODO(#12) and TODO'],
  ])('reports %s', (line) => {
    expect(found('test/a.test.ts', line)).toEqual(['test/a.test.ts:2 todo'])
  })

  test('names the line inside a long comment', () => {
    expect(found('bench/a.ts', '/**', ' * First.', ' * TODO second.', ' */')).toEqual([
      'bench/a.ts:4 todo',
    ])
  })

  test('leaves those alone that name an issue, and words in strings', () => {
    const lines = ['// TODO(#12): faster', '// A todo list is data.', "const a = 'TODO'"]
    expect(found('bench/a.ts', ...lines)).toEqual([])
  })
})

describe('no-default-export', () => {
  test.each([['export default class A {}'], ['export { a as default }']])('reports %s', (line) => {
    expect(found('src/actor/a.ts', line)).toEqual(['src/actor/a.ts:2 no-default-export'])
  })

  test('leaves switches and defaults of others alone', () => {
    const lines = ["import { default as a } from './b.ts'", 'switch (a) {', '  default:', '}']
    expect(found('src/actor/a.ts', ...lines)).toEqual([])
  })
})

describe('erasable', () => {
  test.each([
    ['export enum Phase { A }'],
    ['export const enum Phase { A }'],
    ['namespace Phase { export const a = 1 }'],
    ['@sealed class A {}'],
  ])('reports %s', (line) => {
    expect(found('src/actor/a.ts', line)).toEqual(['src/actor/a.ts:2 erasable'])
  })

  test('leaves properties of that name alone', () => {
    const lines = [
      "const a = { enum: 1, namespace: '@' } // @sealed",
      'const b = a.enum + a.namespace',
    ]
    expect(found('src/actor/a.ts', ...lines)).toEqual([])
  })
})
