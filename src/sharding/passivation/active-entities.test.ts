import { expect, test } from 'vitest'
import { ActiveEntities } from './active-entities.ts'
import { makeStrategy } from './make-strategy.ts'
import type { LimitedPassivation } from './passivation-options.ts'
import type { Victims } from './passivation-strategy.ts'
import { Tracked } from './tracked.ts'

const names = (victims: Victims): string => victims.map(({ entityId }) => entityId).join('')

function fill(letters: string, given: Omit<LimitedPassivation, 'activeEntityLimit'>) {
  const active = new ActiveEntities(makeStrategy(given), letters.length)
  for (const letter of letters) active.add(new Tracked(letter))
  return active
}

const add = (active: ActiveEntities, letter: string): string =>
  names(active.add(new Tracked(letter)))

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

test('one that had to go may be taken out once more', () => {
  const active = new ActiveEntities(makeStrategy({ replacement: 'least-recently-used' }), 1)
  const a = new Tracked('a')
  active.add(a)
  expect(add(active, 'b')).toBe('a')
  active.remove(a)
  expect(add(active, 'c')).toBe('b')
})
