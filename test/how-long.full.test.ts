import { expect, test } from 'vitest'
import { cases } from './how-long.ts'

test('where every file runs, every case does', () => {
  expect(cases({ short: 1, full: 2 })).toBe(2)
})
