import { describe, expect, test } from 'vitest'
import { found, opening, planted } from './planted.ts'

describe('file-length', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `// ${index}`)

  test('reports a file of more than 400 lines', () => {
    expect(found('bench/long.ts', ...lines(399))).toEqual([])
    expect(found('bench/long.ts', ...lines(400))).toEqual(['bench/long.ts:401 file-length'])
  })

  test('lets a file that says why it is one thing have 600, and wants it said at the top', () => {
    const reason = '/** A table. One file because each row refers to the next. */'
    expect(planted({ 'bench/long.ts': [reason, ...lines(599)] })).toEqual([])
    expect(planted({ 'bench/long.ts': [reason, ...lines(600)] })).toEqual([
      'bench/long.ts:601 file-length',
    ])
    expect(found('bench/long.ts', reason, ...lines(400))).toEqual(['bench/long.ts:401 file-length'])
  })
})

describe('function-length', () => {
  const long = (head: string, tail = '}') => [head, ...Array<string>(59).fill('  work()'), tail]
  const short = (head: string, tail = '}') => [head, ...Array<string>(58).fill('  work()'), tail]

  test.each([
    ['export function work() {'],
    ['export async function* work<T extends { id: 1 }>(a: () => void): AsyncIterable<{ a: T }> {'],
    ['const work = (): void => {'],
    ['const work = async x => {'],
  ])('reports a function of more than 60 lines: %s', (head) => {
    expect(found('bench/a.ts', '', ...long(head))).toEqual(['bench/a.ts:3 function-length'])
    expect(found('bench/a.ts', '', ...short(head))).toEqual([])
  })

  test.each([
    ['const work = () => [', ']'],
    ['const work = async () => await a.b(', ')'],
    ['const work = (a) => new A({', '})'],
    ['const work = () => a + b', '  .c({}) as D'],
  ])('reports an arrow of more than 60 lines that is one expression: %s', (head, tail) => {
    const body = (count: number) => Array<string>(count).fill('  + work()')
    const next = ['const next = {', ...body(60), '}']
    expect(found('bench/a.ts', head, ...body(59), tail, ...next)).toEqual([
      'bench/a.ts:2 function-length',
    ])
    expect(found('bench/a.ts', head, ...body(58), tail, ...next)).toEqual([])
  })

  test.each([
    ['const work = () => a', 'await a({'],
    ['const work = () => a', 'void a({'],
    ['const work = () => a', 'new A({'],
    ['type Work = () => void', 'a({'],
    ['  work: () => void', '  rows: {'],
  ])('does not take what follows an arrow for a part of it: %s, %s', (arrow, next) => {
    expect(found('bench/a.ts', arrow, next, ...Array<string>(60).fill('  b,'), '})')).toEqual([])
  })

  test.each([
    ['  constructor(a = {}) {'],
    ['  async #work(a: string): Promise<void> {'],
    ["  get 'work'(): { a: string } | undefined {"],
    ['  work<T>(a: T): asserts a is T & { b: 1 } {'],
    ['  [Symbol.dispose](): void {'],
  ])('reports a method of more than 60 lines: %s', (head) => {
    const rest = ['  next(): void', '}']
    expect(found('bench/a.ts', 'class A {', ...long(head, '  }'), ...rest)).toEqual([
      'bench/a.ts:3 function-length',
    ])
    expect(found('bench/a.ts', 'class A {', ...short(head, '  }'), ...rest)).toEqual([])
  })

  test('is not confused by braces in text or by long things that are no functions', () => {
    const confusing = ["  const a = '{' + `{ ${'{'} ` + /[/{]\\/{/.source // {", '  /* { */']
    expect(found('bench/a.ts', ...short('function a() {').toSpliced(1, 2, ...confusing))).toEqual(
      [],
    )
    expect(found('bench/a.ts', ...long('class A {'), ...long('const a = {'))).toEqual([])
    expect(found('bench/a.ts', ...long('for await (const a of b) {'), ...long('if (a) {'))).toEqual(
      [],
    )
  })

  test('does not count describe blocks of tests, but does count tests', () => {
    const suite = [...long("describe.each([1])('a', () => {", '})')]
    expect(planted({ 'src/actor/a.test.ts': suite })).toEqual([])
    expect(planted({ 'test/contracts/a.ts': [opening, ...suite] })).toEqual([])
    const wrapped = ['export function contract() {', ...suite, '}']
    expect(planted({ 'test/contracts/a.ts': [opening, ...wrapped] })).toEqual([])
    const inside = ["describe('a', () => {", ...long("test('b', () => {", '})'), '})']
    expect(planted({ 'src/actor/a.test.ts': inside })).toEqual([
      'src/actor/a.test.ts:2 function-length',
    ])
  })
})
