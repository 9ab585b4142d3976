import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { type Member, asUp, joiningMember, withStatus } from '../gossip/member.ts'
import { missingInWords, missingMembers } from './forming.ts'

const member = (uid: bigint, ...roles: string[]): Member =>
  joiningMember(nodeIdOf(`n${uid}:1`, uid), { roles })
const forming = (...members: Member[]) => ({ members, lastUpNumber: 0 })
const wants = (minMembers: number, minMembersByRole: Record<string, number> = {}) => ({
  minMembers,
  minMembersByRole,
})

describe('a cluster that is being formed', () => {
  test('waits for so many members, and for so many of each role, and says for all of them', () => {
    const two = forming(member(1n, 'backend'), member(2n, 'web'))
    expect(missingMembers(two, wants(2))).toEqual([])
    expect(missingMembers(two, wants(2, { backend: 1, web: 1 }))).toEqual([])
    const missing = missingMembers(two, wants(3, { web: 3, backend: 2, cache: 1 }))
    expect(missing).toEqual([
      { role: undefined, wanted: 3, there: 2 },
      { role: 'backend', wanted: 2, there: 1 },
      { role: 'cache', wanted: 1, there: 0 },
      { role: 'web', wanted: 3, there: 1 },
    ])
    expect(missing.slice(0, 2).map(missingInWords)).toEqual([
      '2 of 3 members are there (minMembers)',
      '1 of 2 members with the role backend are there (minMembersByRole.backend)',
    ])
  })

  test('does not count those who are on their way out again', () => {
    const two = [withStatus(member(1n), 'Down'), withStatus(member(2n), 'Leaving'), member(3n)]
    expect(missingMembers(forming(...two), wants(2))).toEqual([
      { role: undefined, wanted: 2, there: 1 },
    ])
  })

  test('waits once: when the first was let in, any number is enough', () => {
    const one = { members: [asUp(member(1n), 1), member(2n)], lastUpNumber: 1 }
    expect(missingMembers(one, wants(5, { backend: 3 }))).toEqual([])
  })
})
