import { expect, test } from 'vitest'
import { listed } from './listed.ts'

test('a list counts what it does not show, if there is anything', () => {
  const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i))
  expect(listed(numbers(8))).toBe('0, 1, 2, 3, 4, 5, 6, 7')
  expect(listed(numbers(9))).toBe('0, 1, 2, 3, 4, 5, 6, 7 and 1 more')
})
