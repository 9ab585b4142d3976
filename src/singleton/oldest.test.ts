import { expect, test } from 'vitest'
import type { Member } from '../cluster/index.ts'
import { byAge, oldestInService } from './oldest.ts'

const member = (node: string, upNumber: number, more: Partial<Member> = {}): Member => ({
  ...{ node, status: 'Up', roles: [], attributes: [], appVersion: '1.0.0', upNumber },
  ...more,
})
const a = member('a', 4)
const b = member('b', 3, { roles: ['web'] })
const c = member('c', 2, { attributes: ['host of Game'] })
const d = member('d', 1, { roles: ['web'], attributes: ['host of Game'], status: 'Exiting' })
const joining = member('e', 2 ** 31 - 1, { roles: ['web'], status: 'Joining' })
const all = [a, b, c, d, joining]

test('members are counted by role, by attribute, by both, or all of them', () => {
  expect(byAge(all, {})).toEqual([d, c, b, a])
  expect(byAge(all, { role: 'web' })).toEqual([d, b])
  expect(byAge(all, { attribute: 'host of Game' })).toEqual([d, c])
  expect(byAge(all, { role: 'web', attribute: 'host of Game' })).toEqual([d])
  // A role is no attribute, and an attribute no role.
  expect(byAge(all, { role: 'host of Game' })).toEqual([])
})

test('whoever is on its way out is not in service', () => {
  expect(oldestInService(all, { attribute: 'host of Game' })).toBe('c')
  expect(oldestInService(all, { role: 'web', attribute: 'host of Game' })).toBeUndefined()
})
