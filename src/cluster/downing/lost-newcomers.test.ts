import { expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { describedDataCenter } from '../gossip/data-center.ts'
import { type Gossip, emptyGossip, putMember, seenBy, withObservation } from '../gossip/gossip.ts'
import { asAnnounced, asUp, joiningMember, type Member, withStatus } from '../gossip/member.ts'
import { LostNewcomers } from './lost-newcomers.ts'

const stableAfterMs = 5_000
const downing = { ...defaultClusterSettings.downing, stableAfterMs }
const settings = { ...defaultClusterSettings, downing }
const id = (name: string): NodeId => nodeIdOf(`${name}:1`, 1n)

const kinds: Record<string, (member: Member, age: number) => Member> = {
  j: (member) => member,
  n: asAnnounced,
  u: asUp,
  l: (member, age) => withStatus(asUp(member, age), 'Leaving'),
  d: (member) => withStatus(member, 'Down'),
  x: (member) => withStatus(asAnnounced(member), 'Down'),
}

/** `au bu | ej`: data centers `one`, `two` and `three`; all have seen it, and `a!e b!e` cannot reach each other. */
function view(centers: string, rows: string, unseen = ''): Gossip {
  let gossip = emptyGossip
  const all: NodeId[] = []
  for (const [at, center] of centers.split('|').entries()) {
    for (const [name, kind] of center.split(' ').filter((word) => word !== '')) {
      const where = describedDataCenter(['one', 'two', 'three'][at]!)
      const joining = joiningMember(id(name!), where)
      gossip = putMember(gossip, kinds[kind!]!(joining, gossip.lastUpNumber + 1))
      if (!unseen.includes(name!)) all.push(id(name!))
    }
  }
  for (const [observer, , subject] of rows.split(' ').filter((word) => word !== '')) {
    gossip = withObservation(gossip, id(observer!), id(subject!), 'Unreachable')
  }
  return seenBy(gossip, all)
}

/** Whom it gives up when it has looked at this for long. */
function givenUp(gossip: Gossip, self = 'a'): string {
  const newcomers = new LostNewcomers(id(self), settings)
  expect(newcomers.look(gossip, 0)).toEqual([])
  expect(newcomers.look(gossip, stableAfterMs - 1)).toEqual([])
  return newcomers
    .look(gossip, stableAfterMs)
    .map((node) => node[0])
    .join('')
}

test.each([
  ['au bu | ej', 'a!e', 'e'],
  ['au bu | ej fj', 'a!e f!e', 'e'],
  ['au bu | ej dd', 'a!e', 'e'],
  // Nobody of one cannot reach it.
  ['au bu | ej fj', 'f!e', ''],
  // Another data center may.
  ['au bu | ej | gu', 'a!e', ''],
  ['au bu | ej | gu', 'a!e g!e', 'e'],
  ['au bu | ej | gj', 'a!e', 'e'],
  // It may be Up, unheard; or another one of its own, which lets it in.
  ['au bu | en', 'a!e', ''],
  ['au bu | ej fn', 'a!e', ''],
  ['au bu | ej fx', 'a!e', ''],
  ['au bu | ej fu', 'a!e', ''],
  ['au bu | ej fl', 'a!e', ''],
  ['au bu | eu', 'a!e', ''],
  // Its own data center is not its business.
  ['au bj | fj', 'f!b a!b', ''],
])('%s, where %s: gives up "%s"', (centers, rows, expected) => {
  expect(givenUp(view(centers, rows))).toBe(expected)
})

test('only who leads does, in service, and when all of its data center have seen it', () => {
  const lost = 'a!e b!e'
  expect(givenUp(view('au bu | ej', lost), 'b')).toBe('')
  expect(givenUp(view('al bu | ej', lost))).toBe('e')
  expect(givenUp(view('au bu | ej', lost, 'b'))).toBe('')
  expect(givenUp(view('au bu | ej', lost, 'e'))).toBe('e')
  expect(givenUp(view('aj | ej', 'a!e'))).toBe('')
  expect(givenUp(view('au bu | ej', `${lost} a!b`))).toBe('')
})

test('one that was reached meanwhile has all its time again', () => {
  const newcomers = new LostNewcomers(id('a'), settings)
  const lost = view('au bu | ej', 'a!e')
  newcomers.look(lost, 0)
  newcomers.look(view('au bu | ej', ''), 3_000)
  newcomers.look(lost, 4_000)
  expect(newcomers.look(lost, 4_000 + stableAfterMs - 1)).toEqual([])
  expect(newcomers.look(lost, 4_000 + stableAfterMs)).toEqual([id('e')])
})
