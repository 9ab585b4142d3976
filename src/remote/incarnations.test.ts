import { expect, test } from 'vitest'
import { Incarnations } from './incarnations.ts'

test('an incarnation that was replaced is over for good', () => {
  const incarnations = new Incarnations()
  expect(incarnations.learn('one', 1)).toBe(true)
  expect(incarnations.learn('one', 2)).toBe(false)
  expect(incarnations.learn('two', 3)).toBe(true)
  expect(incarnations.current).toBe('two')
  expect(incarnations.exclusionOf('one')).toBe('former-incarnation')
  expect(incarnations.isGone('one')).toBe(true)
  expect(incarnations.exclusionOf('two')).toBeUndefined()
})

test('a handshake that began before another was learnt does not show which is the later one', () => {
  const incarnations = new Incarnations()
  expect(incarnations.isOvertaken('one', 0)).toBe(false)
  incarnations.learn('two', 5)
  expect(incarnations.isOvertaken('one', 4)).toBe(true)
  expect(incarnations.isOvertaken('two', 4)).toBe(false)
  expect(incarnations.isOvertaken('three', 5)).toBe(false)
})

test('quarantine is for one incarnation, removal does not forbid to speak', () => {
  const incarnations = new Incarnations()
  incarnations.learn('one', 1)
  expect(incarnations.quarantine('one')).toBe(true)
  expect(incarnations.quarantine('one')).toBe(false)
  expect(incarnations.exclusionOf('one')).toBe('quarantined')
  expect(incarnations.exclusionOf('two')).toBeUndefined()
  incarnations.remove('two')
  expect([incarnations.isGone('two'), incarnations.exclusionOf('two')]).toEqual([true, undefined])
})

test('one that has given this node up is given up in return, until it is for a reason of our own', () => {
  const incarnations = new Incarnations()
  expect(incarnations.quarantineInReturn('one')).toBe(true)
  expect(incarnations.quarantineInReturn('one')).toBe(false)
  expect(incarnations.isBlank).toBe(false)
  expect(incarnations.exclusionOf('one')).toBe('quarantined-in-return')
  expect(incarnations.quarantine('one')).toBe(true)
  expect(incarnations.exclusionOf('one')).toBe('quarantined')
  expect(incarnations.quarantineInReturn('one')).toBe(false)
})

test('remembers a bounded number', () => {
  const incarnations = new Incarnations()
  for (let n = 0; n < 1_000; n++) incarnations.learn(`${n}`, n)
  expect(incarnations.isGone('0')).toBe(false)
  expect(incarnations.isGone('998')).toBe(true)
})
