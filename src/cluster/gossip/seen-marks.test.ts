import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { compareMembers, joiningMember } from './member.ts'
import { packSeen, unpackSeen } from './seen-marks.ts'

const crowd = (size: number) =>
  Array.from({ length: size }, (_, index) => joiningMember(nodeIdOf(`n:${index + 1}`, 7n))).sort(
    compareMembers,
  )
const marked = (size: number, isMarked: (place: number) => boolean) => {
  const members = crowd(size)
  return { members, seen: members.map(({ node }) => node).filter((_, place) => isMarked(place)) }
}

describe('marks of who has seen', () => {
  test('say who it is to whoever has the same members', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (marks) => {
        const view = marked(marks.length, (place) => marks[place]!)
        expect(unpackSeen(view.members, packSeen(view))).toEqual(view.seen)
      }),
    )
  })

  test('say nothing to who has others', () => {
    expect(unpackSeen(crowd(3), packSeen(marked(4, () => true)))).toBeUndefined()
  })

  test.each([
    ['nobody', () => false, 4],
    ['everybody', () => true, 4],
    ['one', (place: number) => place === 700, 6],
    ['all but one', (place: number) => place !== 700, 6],
    ['every second', (place: number) => place % 2 === 0, 128],
  ])('take few bytes of a thousand members: %s', (_, isMarked, bytesMax) => {
    expect(packSeen(marked(1_000, isMarked)).length).toBeLessThanOrEqual(bytesMax)
  })

  test('whatever bytes they are, they name members only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const members = crowd(bytes[0] ?? 0)
        const nodes = new Set(members.map(({ node }) => node))
        for (const node of unpackSeen(members, bytes) ?? []) expect(nodes).toContain(node)
      }),
    )
  })
})
