import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { joiningMember } from './member.ts'
import { ShortNames, shortNameOf } from './short-names.ts'

const id = (name: string): NodeId => nodeIdOf(`${name}:1`, 1n)
const view = (members: string, tombstones = '') => ({
  members: members.split('').map((name) => joiningMember(id(name))),
  tombstones: tombstones.split('').map(id),
})

describe('short names', () => {
  test('mean members, and those that were removed as long as that is known', () => {
    const names = new ShortNames()
    const b = shortNameOf(id('b'))
    expect(names.nodeOf(b, view('a'))).toBeUndefined()
    expect(names.nodeOf(b, view('ab'))).toBe(id('b'))
    expect(names.nodeOf(b, view('ac', 'b'))).toBe(id('b'))
    expect(names.nodeOf(b, view('ac'))).toBeUndefined()
    expect(names.nodeOf(shortNameOf(id('c')), view('ac'))).toBe(id('c'))
  })

  test('mean nobody while two have the same, whichever came first', () => {
    const names = new ShortNames((node) => (node.startsWith('a') ? 0 : 1))
    expect(names.nodeOf(1, view('ab'))).toBe(id('b'))
    expect(names.nodeOf(1, view('abc'))).toBeUndefined()
    expect(names.nodeOf(1, view('abcd'))).toBeUndefined()
    expect(names.nodeOf(1, view('abd', 'c'))).toBeUndefined()
    expect(names.nodeOf(1, view('ad', 'c'))).toBeUndefined()
    expect(names.nodeOf(1, view('ad'))).toBe(id('d'))
    expect(names.nodeOf(0, view('ad'))).toBe(id('a'))
  })
})
