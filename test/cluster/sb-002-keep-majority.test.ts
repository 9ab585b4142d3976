import { describe, expect, test } from 'vitest'
import { type Verdict, judge } from '../../src/cluster/downing/judgement.ts'
import { keepMajority } from '../../src/cluster/downing/keep-majority.ts'
import { type Member, type MemberStatus, notYetUp } from '../../src/cluster/gossip/member.ts'
import { nodeIdOf } from '../../src/foundation/node-id.ts'

// Row by row as tabulated: `src/cluster/downing/keep-majority.test.ts`. Here every split of up to six members.

const role = undefined
const options = { strategy: keepMajority({ role }), role, indirectlyConnectedShareMax: undefined }
const statuses: readonly MemberStatus[] = ['Joining', 'Up', 'Leaving', 'Exiting', 'Down']

function memberAt(index: number, status: MemberStatus): Member {
  const upNumber = status === 'Joining' ? notYetUp : index + 1
  return {
    node: nodeIdOf(`n${index}:1`, 1n),
    status,
    roles: [],
    attributes: [],
    appVersion: '1.0.0',
    upNumber,
  }
}

/** Who is alive after `here` has decided, when it reaches nobody there. */
function survivors(here: readonly Member[], there: readonly Member[]): Member[] {
  const records = here.flatMap(({ node: observer }) =>
    there.map(({ node: subject }) => ({ observer, subject, status: 'Unreachable' as const })),
  )
  const { nodes } = judge(
    {
      members: [...here, ...there],
      unreachable: new Set(there.map(({ node }) => node)),
      records,
      seenBy: new Set(here.map(({ node }) => node)),
    },
    options,
  ) as Verdict
  return here.filter(({ node, status }) => status !== 'Down' && !nodes.has(node))
}

/** Every way to cut the list in two, neither part empty. */
function* splits(members: readonly Member[]): Generator<[Member[], Member[]]> {
  for (let bits = 1; bits < 2 ** members.length - 1; bits++) {
    const isHere = (index: number) => (bits & (1 << index)) !== 0
    yield [members.filter((_, i) => isHere(i)), members.filter((_, i) => !isHere(i))]
  }
}

describe('SB-002 keep-majority, decided by both sides', () => {
  test('of full members exactly the larger side survives, of equal ones that of the lowest address', () => {
    for (let size = 2; size <= 6; size++) {
      const members = Array.from({ length: size }, (_, index) => memberAt(index, 'Up'))
      for (const [here, there] of splits(members)) {
        const isOurs = here.length * 2 === size ? here[0] === members[0] : here.length * 2 > size
        expect(survivors(here, there)).toEqual(isOurs ? here : [])
        expect(survivors(there, here)).toEqual(isOurs ? [] : there)
      }
    }
  })

  test('never do members that count survive on both sides, whatever their status', () => {
    const size = 4
    for (let code = 0; code < statuses.length ** size; code++) {
      const members = Array.from({ length: size }, (_, index) =>
        memberAt(index, statuses[Math.floor(code / statuses.length ** index) % statuses.length]!),
      )
      for (const [here, there] of splits(members)) {
        const sides = [survivors(here, there), survivors(there, here)]
        const isUp = (side: readonly Member[]) => side.some(({ status }) => status === 'Up')
        expect(sides.every(isUp)).toBe(false)
      }
    }
  })
})
