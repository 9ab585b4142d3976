import { expect, test } from 'vitest'
import {
  isAnything,
  isCount,
  isNumber,
  isText,
  listOf,
  maybe,
  oneOf,
  recordOf,
  tableOf,
} from './shape.ts'

test('a record has its fields, and may have more', () => {
  const shape = recordOf({ name: isText, size: maybe(isCount) })
  expect(shape({ name: 'a' })).toBe(true)
  expect(shape({ name: 'a', size: 1, more: true })).toBe(true)
  expect(shape({ name: 1 })).toBe(false)
  expect(shape({ name: 'a', size: -1 })).toBe(false)
  for (const value of [null, undefined, 'a', ['a'], 7]) expect(shape(value)).toBe(false)
})

test('inherited fields do not count', () => {
  expect(recordOf({ name: isText })(Object.create({ name: 'a' }))).toBe(false)
  expect(recordOf({ toString: isAnything })({})).toBe(false)
})

test('lists and tables are checked to the end, and bounded', () => {
  expect(listOf(isCount)([0, 1])).toBe(true)
  expect(listOf(isCount)([0, '1'])).toBe(false)
  expect(listOf(isCount, 1)([0, 1])).toBe(false)
  expect(tableOf(isText)({ a: 'b' })).toBe(true)
  expect(tableOf(isText)({ a: 1 })).toBe(false)
  expect(tableOf(isText, 1)({ a: 'b', c: 'd' })).toBe(false)
})

test.each([NaN, Infinity, '1', 1n, null])('%s is not a number', (value) => {
  expect(isNumber(value)).toBe(false)
  expect(isCount(value)).toBe(false)
})

test('a choice is one of its texts', () => {
  expect(oneOf('a', 'b')('b')).toBe(true)
  expect(oneOf('a', 'b')('c')).toBe(false)
})
