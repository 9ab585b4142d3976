import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { describedDataCenter } from '../gossip/data-center.ts'
import { type Gossip, emptyGossip, putMember, seenBy, withObservation } from '../gossip/gossip.ts'
import { asUp, joiningMember } from '../gossip/member.ts'
import { DowningMachine } from './downing-machine.ts'
import { keepMajority } from './keep-majority.ts'
import { downingViewOf, electorateOf } from './split-view.ts'

const id = (name: string): NodeId => nodeIdOf(`${name}:1`, 1n)
const names = (nodes: Iterable<NodeId>): string => [...nodes].map((node) => node[0]).join('')

/** `abc` in the data center of this node, the others in another; `b!a` for b cannot reach a. */
function view(members: string, rows: string): Gossip {
  let gossip = members.split('').reduce((all, name, index) => {
    const where = describedDataCenter('abc'.includes(name) ? 'one' : 'two')
    return putMember(all, asUp(joiningMember(id(name), where), index + 1))
  }, emptyGossip)
  for (const [observer, , subject] of rows.split(' ')) {
    gossip = withObservation(gossip, id(observer!), id(subject!), 'Unreachable')
  }
  return seenBy(gossip, [id('a')])
}

/** Whom the leader a gives up in the end. */
function downedBy(gossip: Gossip): string {
  const settings = defaultClusterSettings
  const machine = new DowningMachine({
    self: id('a'),
    settings,
    strategy: keepMajority({ role: undefined }),
  })
  machine.step({ type: 'ViewChanged', view: downingViewOf(gossip, id('a')) }, 0)
  const effects = machine.step({ type: 'Tick' }, machine.snapshot().actsAt ?? 10_000)
  return names(effects.flatMap((effect) => (effect.type === 'Down' ? effect.nodes : [])))
}

describe('SB-006 V-17 members of other data centers neither count nor are given up', () => {
  test.each([
    ['a!b', 'b'],
    // Two of three are more than one of three, whoever else is elsewhere.
    ['a!b a!c', 'a'],
    ['a!d a!e', ''],
    ['a!b a!d a!e', 'b'],
    // What they say about ours is theirs to say.
    ['d!a d!b e!a', ''],
  ])('%s: downed is "%s"', (rows, downed) => {
    expect(downedBy(view('abcde', rows))).toBe(downed)
  })

  test('nor do they vouch for one that slept', () => {
    const electorate = electorateOf(view('abcde', 'a!d'), id('a'))
    expect(names(electorate.map(({ node }) => node))).toBe('abc')
  })
})
