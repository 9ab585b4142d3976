import { expect, test } from 'vitest'
import type { Question } from '../../actor/internals.ts'
import { AskTable } from './ask-table.ts'

const question = (): Question & { isOver: boolean } => ({ wireNumber: -1, isOver: false }) as never

test('a question keeps its number and is found by it, once', () => {
  const table = new AskTable()
  const asked = question()
  const number = table.register(asked)
  expect(table.register(asked)).toBe(number)
  expect(table.find(number)).toBe(asked)
  expect(table.take(number)).toBe(asked)
  expect(table.take(number)).toBeUndefined()
})

test('the answer to a former question does not reach the one that has its slot', () => {
  const table = new AskTable()
  const first = table.register(question())
  table.take(first)
  const later = question()
  expect(table.register(later)).not.toBe(first)
  expect(table.find(first)).toBeUndefined()
  expect(table.find(later.wireNumber)).toBe(later)
})

test('questions that ended without an answer give their slots back', () => {
  const table = new AskTable()
  const numbers = new Set<number>()
  for (let round = 0; round < 10_000; round++) {
    const asked = question()
    numbers.add(table.register(asked))
    asked.isOver = true
  }
  expect(numbers.size).toBe(10_000)
  expect(Math.max(...[...numbers].map((number) => number % 2 ** 20))).toBeLessThan(1_000)
})

test('a number from nowhere is nobody', () => {
  expect(new AskTable().find(12_345)).toBeUndefined()
  expect(new AskTable().find(-1)).toBeUndefined()
})
