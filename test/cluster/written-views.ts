/**
 * Views of a cluster as a line of text: `au bl | cj` are a (Up) and b (Leaving) in one data center and c (Joining) in another. With
 * one part all are in the default one. Who has seen it is a word, `ab`; `a!b c!a` are who cannot reach whom.
 */
import {
  type Gossip,
  emptyGossip,
  putMember,
  seenBy,
  withObservation,
} from '../../src/cluster/gossip/gossip.ts'
import { describedDataCenter } from '../../src/cluster/gossip/data-center.ts'
import { type MemberStatus, joiningMember, notYetUp } from '../../src/cluster/gossip/member.ts'
import { type NodeId, nodeIdOf } from '../../src/foundation/node-id.ts'

const statuses: Record<string, MemberStatus> = {
  u: 'Up',
  j: 'Joining',
  l: 'Leaving',
  x: 'Exiting',
  d: 'Down',
}
const dataCenters = ['one', 'two', 'three']

export const id = (name: string): NodeId => nodeIdOf(`${name}:1`, 1n)

/** The names in front of the addresses. */
export const namesOf = (nodes: Iterable<NodeId>): string =>
  [...nodes].map((node) => node[0]).join('')

const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/** Ages are as they stand. */
export function view(members: string, seen = '', rows = ''): Gossip {
  const parts = members.split('|')
  let gossip = emptyGossip
  let age = 0
  for (const [at, part] of parts.entries()) {
    const where = parts.length === 1 ? {} : describedDataCenter(dataCenters[at]!)
    for (const [name, letter] of wordsOf(part)) {
      const upNumber = letter === 'j' ? notYetUp : ++age
      const status = statuses[letter!]!
      gossip = putMember(gossip, { ...joiningMember(id(name!), where), status, upNumber })
    }
  }
  for (const [observer, , subject] of wordsOf(rows)) {
    gossip = withObservation(gossip, id(observer!), id(subject!), 'Unreachable')
  }
  return seenBy(gossip, seen.split('').map(id))
}
