import { expect, test } from 'vitest'
import { CountedRepeats } from './counted-repeats.ts'

test('the first of a kind is told at once, the others together when the interval is over', () => {
  const repeats = new CountedRepeats<string>(1_000, 10)
  expect(repeats.add('a', 'a1', 0)).toEqual({ isFirst: true, due: [] })
  expect(repeats.add('b', 'b1', 10)).toEqual({ isFirst: true, due: [] })
  expect(repeats.add('a', 'a2', 20)).toEqual({ isFirst: false, due: [] })
  expect(repeats.add('a', 'a3', 999)).toEqual({ isFirst: false, due: [] })
  expect(repeats.add('a', 'a4', 1_000)).toEqual({
    isFirst: false,
    due: [{ count: 2, sinceMs: 1_000, last: 'a3' }],
  })
  // Whatever happens brings out what is due of others.
  expect(repeats.add('c', 'c1', 2_500)).toEqual({
    isFirst: true,
    due: [{ count: 1, sinceMs: 1_500, last: 'a4' }],
  })
})

test('a kind that was quiet for an interval is news again', () => {
  const repeats = new CountedRepeats<number>(1_000, 10)
  repeats.add('a', 1, 0)
  expect(repeats.add('a', 2, 1_000)).toEqual({ isFirst: true, due: [] })
})

test('at the end nothing stays untold', () => {
  const repeats = new CountedRepeats<number>(1_000, 10)
  for (const each of [1, 2, 3]) repeats.add('a', each, each)
  repeats.add('b', 4, 4)
  expect(repeats.end(101)).toEqual([{ count: 2, sinceMs: 100, last: 3 }])
  expect(repeats.end(101)).toEqual([])
})

test('beyond a number of kinds all others are one', () => {
  const repeats = new CountedRepeats<number>(1_000, 2)
  const isFirst = ['a', 'b', 'c', 'd', 'a'].map(
    (kind, index) => repeats.add(kind, index, 0).isFirst,
  )
  expect(isFirst).toEqual([true, true, true, false, false])
})

test('without an interval every one is told', () => {
  const repeats = new CountedRepeats<number>(0, 2)
  expect([1, 2, 3].map((each) => repeats.add('a', each, 0).isFirst)).toEqual([true, true, true])
})
