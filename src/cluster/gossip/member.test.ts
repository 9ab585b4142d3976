import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { compareForLeading } from './convergence.ts'
import {
  type Member,
  type MemberStatus,
  asUp,
  canBecome,
  compareAges,
  compareMembers,
  joiningMember,
  mergeMembers,
  notYetUp,
  withStatus,
} from './member.ts'

const statuses: readonly MemberStatus[] = ['Joining', 'Up', 'Leaving', 'Exiting', 'Down']
const at = (address: string, status: MemberStatus = 'Up', upNumber = 1): Member => ({
  node: nodeIdOf(address, 1n),
  status,
  roles: [],
  attributes: [],
  appVersion: '1.0.0',
  upNumber,
})
const records = fc.record({
  node: fc.constant(nodeIdOf('a:1', 1n)),
  status: fc.constantFrom(...statuses),
  roles: fc.constant([]),
  attributes: fc.constant([]),
  appVersion: fc.constant('1.0.0'),
  upNumber: fc.constantFrom(1, 2, notYetUp),
})

describe('members', () => {
  test('move only forward, and never to where they are', () => {
    const moves = statuses.flatMap((from) =>
      statuses.filter((to) => canBecome(from, to)).map((to) => `${from}>${to}`),
    )
    expect(moves).toEqual([
      'Joining>Up',
      'Joining>Leaving',
      'Joining>Down',
      'Up>Leaving',
      'Up>Down',
      'Leaving>Exiting',
      'Leaving>Down',
      'Exiting>Down',
    ])
    expect(() => withStatus(at('a:1', 'Down'), 'Leaving')).toThrow(/does not go from Down/)
    expect(() => asUp(at('a:1', 'Leaving'), 3)).toThrow(/only a joining member/)
  })

  test('get their age when they become Up', () => {
    const joining = joiningMember(nodeIdOf('a:1', 1n), {
      roles: ['web', 'api', 'web'],
      attributes: ['hosts b', 'hosts a', 'hosts b'],
    })
    expect(joining).toMatchObject({
      upNumber: notYetUp,
      roles: ['api', 'web'],
      attributes: ['hosts a', 'hosts b'],
    })
    expect(asUp(joining, 4)).toMatchObject({ status: 'Up', upNumber: 4 })
  })

  test('merge to the status further along and keep their age', () => {
    const up = at('a:1', 'Up', 3)
    const leaving = at('a:1', 'Leaving', notYetUp)
    expect(mergeMembers(up, leaving)).toEqual({ ...leaving, upNumber: 3 })
    expect(mergeMembers(leaving, up)).toEqual({ ...leaving, upNumber: 3 })
  })

  test('merge by the laws of a lattice', () => {
    fc.assert(
      fc.property(records, records, records, (a, b, c) => {
        expect(mergeMembers(a, b)).toEqual(mergeMembers(b, a))
        expect(mergeMembers(mergeMembers(a, b), c)).toEqual(mergeMembers(a, mergeMembers(b, c)))
        expect(mergeMembers(a, a)).toEqual(a)
      }),
    )
  })

  test('CL-017 V-12 stand in the order of host and port, and of leadership by status first', () => {
    const sorted = ['host1:9000', 'host1:10000', 'host2:8000'].map((address) => at(address))
    expect([...sorted].reverse().sort(compareMembers)).toEqual(sorted)
    const forLeading = [
      at('h:8000', 'Up'),
      at('h:9000', 'Up'),
      at('h:5000', 'Joining'),
      at('h:7000', 'Joining'),
      at('h:3000', 'Exiting'),
      at('h:6000', 'Exiting'),
      at('h:2000', 'Down'),
      at('h:4000', 'Down'),
    ]
    expect([...forLeading].reverse().sort(compareForLeading)).toEqual(forLeading)
  })

  test('are older with a smaller number, and by address where that is equal', () => {
    const sorted = [at('c:1', 'Up', 1), at('a:1', 'Up', 2), at('b:1', 'Up', 2)]
    expect([...sorted].reverse().sort(compareAges)).toEqual(sorted)
  })
})
