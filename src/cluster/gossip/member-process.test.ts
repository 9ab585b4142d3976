import { expect, test } from 'vitest'
import { attributesOfProcess, processOf } from './member-process.ts'

test('shows its process among other attributes, and nothing where there is no identity', () => {
  const attributes = [
    'host of Counter',
    ...attributesOfProcess('boot/1/2 345 6789'),
    'uses store x',
  ]
  expect(processOf({ attributes })).toBe('boot/1/2 345 6789')
  expect(processOf({ attributes: ['host of process ', 'uses store x'] })).toBe(undefined)
  expect(attributesOfProcess(undefined)).toEqual([])
})

test('leaves out an identity that would not fit into the gossip', () => {
  expect(attributesOfProcess('x'.repeat(500))).toHaveLength(1)
  expect(attributesOfProcess('x'.repeat(501))).toEqual([])
  expect(attributesOfProcess('')).toEqual([])
})
