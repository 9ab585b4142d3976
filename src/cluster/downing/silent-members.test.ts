import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { type MemberStatus, notYetUp } from '../gossip/member.ts'
import { keepMajority } from './keep-majority.ts'
import { lossToTheSilent } from './silent-members.ts'

const id = (name: string) => nodeIdOf(`${name}:1`, 1n)

function loses(names: string, self: string, silent: string, status: MemberStatus = 'Up') {
  const members = names.split('').map((name, index) => ({
    node: id(name),
    status: name === self ? status : ('Up' as const),
    roles: [],
    attributes: [],
    appVersion: '1.0.0',
    upNumber: status === 'Joining' && name === self ? notYetUp : index + 1,
  }))
  const others = new Set(silent.split('').map(id))
  const strategy = keepMajority({ role: undefined })
  return lossToTheSilent({ self: id(self), members, silent: others }, strategy) === 'by-rule'
}

describe('lossToTheSilent', () => {
  test.each([
    ['abc', 'a', '', false],
    ['abc', 'a', 'b', false],
    ['abc', 'a', 'bc', true],
    ['abcde', 'e', 'ab', false],
    ['abcde', 'a', 'bcd', true],
    // Of two halves that of the lowest address lives on.
    ['ab', 'a', 'b', false],
    ['ab', 'b', 'a', true],
    ['a', 'a', '', false],
  ])('of %s, %s without %s: %s', (members, self, silent, expected) => {
    expect(loses(members, self, silent)).toBe(expected)
  })

  test('only where something may live', () => {
    expect(loses('abc', 'a', 'bc', 'Leaving')).toBe(true)
    expect(loses('abc', 'a', 'bc', 'Joining')).toBe(false)
    expect(loses('abc', 'a', 'bc', 'Exiting')).toBe(false)
  })
})
