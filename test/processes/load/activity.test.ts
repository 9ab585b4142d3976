import { expect, test } from 'vitest'
import { judge } from './activity.ts'

const log = (where: string, ...lines: string[]) => ({
  where,
  text: lines.map((line) => `${line}000000\n`).join(''),
})

test('one home after the other is well, also when the first comes back as another instance', () => {
  const { acts, doubles } = judge([
    log('a.1', 'north 1.1 1', 'north 1.1 5', 'east 1.2 9', 'north 1.3 11'),
    log('b.2', 'north 2.1 6', 'north 2.1 10', 'west 2.2 7'),
  ])
  expect({ acts, doubles }).toEqual({ acts: 7, doubles: [] })
})

test('an act between two of another instance is found', () => {
  const { doubles, longestDoubleMs } = judge([
    log('a.1', 'north 1.1 1', 'north 1.1 5', 'north 1.1 9'),
    log('b.2', 'north 2.1 4'),
    log('c.3', 'north 3.1 7', 'north 3.1 20', 'east 3.2 3'),
  ])
  expect(doubles).toEqual([
    'north was active in a.1 and b.2 at once, for 0.0 ms',
    'north was active in a.1 and c.3 at once, for 2.0 ms',
  ])
  expect(longestDoubleMs).toBe(2)
})

test('a line that was cut when its process was killed does not count', () => {
  const { acts } = judge([{ where: 'a.1', text: 'north 1.1 1000000\nnorth 1.1 20' }])
  expect(acts).toBe(1)
})
