import { expect, test } from 'vitest'
import { ActiveEntities } from './active-entities.ts'
import { makeStrategy } from './make-strategy.ts'
import type { LimitedPassivation } from './passivation-options.ts'

/** a has seat 1. */
const seatOf = (letter: string): number => letter.charCodeAt(0) - 96

const names = (seats: readonly number[]): string =>
  seats.map((seat) => String.fromCharCode(seat + 96)).join('')

const add = (active: ActiveEntities, letter: string): string =>
  names(active.add(seatOf(letter), letter))

function fill(letters: string, given: Omit<LimitedPassivation, 'activeEntityLimit'>) {
  const active = new ActiveEntities(makeStrategy(given), letters.length)
  for (const letter of letters) add(active, letter)
  return active
}

test('one that does not stop takes a place until it has ended', () => {
  const active = fill('abcd', { replacement: 'least-recently-used' })
  expect(add(active, 'e')).toBe('a')
  active.overstays(1)
  expect(names(active.settle())).toBe('b')
  expect(names(active.settle())).toBe('')
  expect(add(active, 'f')).toBe('c')
  active.ended(1)
  expect(names(active.settle())).toBe('')
  expect(add(active, 'g')).toBe('')
  expect(add(active, 'h')).toBe('d')
})

test('one place is left, however many do not stop', () => {
  const active = fill('abcd', {})
  for (const instance of [1, 2, 3, 4, 5]) active.overstays(instance)
  expect(names(active.settle())).toHaveLength(3)
  expect(add(active, 'e')).toHaveLength(1)
})

test('a limit is carried out when it is asked for, and only then', () => {
  const active = fill('abcd', { replacement: 'least-recently-used' })
  active.limitTo(1)
  active.limitTo(2)
  expect(names(active.settle())).toBe('ab')
  active.limitTo(2)
  expect(names(active.settle())).toBe('')
})
