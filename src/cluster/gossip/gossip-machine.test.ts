import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import type { GossipMessage, GossipNews, GossipStatus } from '../cluster-messages.ts'
import { type ClusterSettings, defaultClusterSettings } from '../cluster-settings.ts'
import type { GossipEffect } from './gossip-inputs.ts'
import { GossipMachine } from './gossip-machine.ts'
import {
  type Gossip,
  changedBy,
  dropTombstones,
  emptyGossip,
  memberOf,
  putMember,
  putMembers,
  removeMembers,
  withObservation,
} from './gossip.ts'
import { ending, moveMembers } from './member-changes.ts'
import { asUp, joiningMember } from './member.ts'
import { unpackNews } from './news.ts'
import { noOrigins } from './packed-origins.ts'

const id = (name: string): NodeId => nodeIdOf(`${name}:1`, 1n)
const first = { float: () => 0, below: () => 0, uid: () => 1n }
const quiet: ClusterSettings = { ...defaultClusterSettings, eagerGossipPeersMax: 0 }

/** Machines that all know the same, and that all know it. */
function crowd(names: string, settings = quiet): Record<string, GossipMachine> {
  const all = names.split('').map(id)
  const members = all.map((node, index) => asUp(joiningMember(node), index + 1))
  const gossip = { ...changedBy(putMembers(emptyGossip, members), all[0]!), seen: all }
  return Object.fromEntries(
    names.split('').map((name) => {
      const machine = new GossipMachine(id(name), settings, first)
      machine.step({ type: 'Adopt', gossip, origins: noOrigins, tell: [] }, 0)
      return [name, machine]
    }),
  )
}

const messagesIn = (effects: readonly GossipEffect[]): GossipMessage[] =>
  effects.map(({ message }) => message)
const change = (machine: GossipMachine, gossip: Gossip, tell: readonly NodeId[] = []) =>
  messagesIn(machine.step({ type: 'Change', gossip, tell }, 0))
const hear = (machine: GossipMachine, message: GossipMessage, now = 0) =>
  messagesIn(machine.step(message, now))
const statusOf = (machines: Record<string, GossipMachine>, from: string, to: string) => {
  const machine = machines[from]!
  const told = machine.step({ type: 'Spread' }, 0)[0]!.message as GossipNews
  const { summary } = told
  return { type: 'GossipStatus', from: id(from), to: id(to), summary, isLost: false } as const
}
/** All that two say to each other, from one status on. */
function talk(
  machines: Record<string, GossipMachine>,
  from: string,
  to: string,
  now = 0,
): GossipMessage[] {
  const said: GossipMessage[] = []
  const queue: GossipMessage[] = [statusOf(machines, from, to)]
  for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
    said.push(message)
    if (said.length > 100) throw new Error('they talk without end')
    queue.push(...hear(machines[message.to[0]!]!, message, now))
  }
  return said
}
const told = (message: GossipMessage | undefined) =>
  unpackNews((message as GossipNews).news).members.map(
    ([{ node, status }]) => `${node[0]}:${status}`,
  )
const seenBy = ({ gossip }: GossipMachine) => gossip.seen.map((node) => node[0]).join('')

describe('what is told', () => {
  test('is what the other lacks, and nothing else', () => {
    const machines = crowd('abcd')
    const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
    change(a, moveMembers(a.gossip, [id('c')], 'Leaving'))
    const [asked, news, ack, ...rest] = talk(machines, 'b', 'a')
    expect([asked?.type, news?.type, ack?.type, rest]).toEqual([
      'GossipStatus',
      'GossipNews',
      'GossipStatus',
      [],
    ])
    expect(told(news)).toEqual(['c:Leaving'])
    expect(b.gossip.version).toEqual(a.gossip.version)
    expect([seenBy(a), seenBy(b)]).toEqual(['ab', 'ab'])
    // Nothing is left to say.
    expect(talk(machines, 'b', 'a')).toHaveLength(1)
  })

  test('is asked for by who hears that there is more, and both hear what they lack', () => {
    const machines = crowd('abcd')
    const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
    change(a, moveMembers(a.gossip, [id('c')], 'Leaving'))
    change(b, moveMembers(b.gossip, [id('d')], 'Leaving'))
    const said = talk(machines, 'a', 'b').filter(({ type }) => type === 'GossipNews')
    expect(said.map(told)).toEqual([['d:Leaving'], ['c:Leaving']])
    expect(a.gossip).toEqual(b.gossip)
    expect(seenBy(a)).toBe('ab')
  })

  test('is passed on by who was told', () => {
    const machines = crowd('abcd')
    const { a, c } = machines as { a: GossipMachine; c: GossipMachine }
    change(a, moveMembers(a.gossip, [id('d')], 'Leaving'))
    talk(machines, 'a', 'b')
    talk(machines, 'b', 'c')
    expect(memberOf(c.gossip, id('d'))?.status).toBe('Leaving')
    expect(seenBy(c)).toBe('abc')
  })

  test('is told again only to those who may not know it: what all have seen is settled', () => {
    const machines = crowd('abc')
    const { a } = machines as { a: GossipMachine }
    change(a, moveMembers(a.gossip, [id('c')], 'Leaving'))
    const summarised = () => statusOf(machines, 'a', 'b').summary[2].length
    expect(summarised()).toBe(2)
    for (const [from, to] of ['ab', 'bc', 'ca', 'ab']) talk(machines, from!, to!)
    expect(seenBy(a)).toBe('abc')
    expect(summarised()).toBe(0)
  })
})

describe('what builds on something unknown', () => {
  test('is not used, and what is lacking is asked for, once at a time', () => {
    const machines = crowd('abcd', { ...quiet, eagerGossipPeersMax: 1 })
    const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
    const [lost] = change(a, moveMembers(a.gossip, [id('c')], 'Leaving'))
    const [later] = change(a, moveMembers(a.gossip, [id('d')], 'Leaving'))
    expect([lost?.to, told(later)]).toEqual([id('b'), ['d:Leaving']])
    const before = b.gossip
    const asked = hear(b, later!)
    expect(asked).toMatchObject([{ type: 'GossipStatus', to: id('a'), isLost: false }])
    expect(b.gossip).toBe(before)
    expect(hear(b, later!)).toEqual([])
    const [answer] = hear(a, asked[0]!)
    expect(told(answer).sort()).toEqual(['c:Leaving', 'd:Leaving'])
    hear(b, answer!)
    expect(b.gossip.version).toEqual(a.gossip.version)
    // What was late, or comes twice, changes nothing.
    const { gossip } = b
    for (const message of [lost!, later!, answer!]) hear(b, message)
    expect(b.gossip).toBe(gossip)
  })

  test('and cannot be found out ends with the whole view, as a change of its own', () => {
    const machines = crowd('abc')
    const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
    // As if it had known more and forgotten it.
    const more = changedBy(moveMembers(a.gossip, [id('c')], 'Leaving'), id('c'))
    const forgetful = new GossipMachine(id('a'), quiet, first)
    forgetful.step(
      { type: 'Adopt', gossip: { ...more, seen: [id('a')] }, origins: noOrigins, tell: [] },
      0,
    )
    const said = talk({ ...machines, a: forgetful }, 'a', 'b')
    expect(said.map(({ type }) => type)).toContain('GossipEnvelope')
    expect(memberOf(b.gossip, id('c'))?.status).toBe('Leaving')
    talk({ ...machines, a: forgetful }, 'b', 'a')
    expect(b.gossip.version).toEqual(forgetful.gossip.version)
  })
})

describe('who got it wrong', () => {
  test('takes no member back, and what we know is news to it', () => {
    const machines = crowd('abc')
    const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
    change(a, moveMembers(a.gossip, [id('c')], 'Leaving'))
    talk(machines, 'a', 'b')
    change(a, moveMembers(a.gossip, [id('c')], 'Down'))
    const [, news] = talk({ ...machines, b: crowd('abc')['b']! }, 'b', 'a') as GossipNews[]
    const back = news!.news[2].map((packed) => [packed[0], 'Joining', ...packed.slice(2)])
    const wrong = { ...news!, news: news!.news.map((part, at) => (at === 2 ? back : part)) }
    hear(b, wrong as unknown as GossipMessage)
    expect(memberOf(b.gossip, id('c'))?.status).toBe('Leaving')
    expect(b.gossip.version.map(([node]) => node)).toContain(id('b'))
  })

  test('cannot make us count changes of ours that we have not made', () => {
    const machines = crowd('abc')
    const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
    change(b, moveMembers(b.gossip, [id('c')], 'Leaving'))
    const wrong = { ...a.gossip, version: [...a.gossip.version, [id('b'), 1_000] as const] }
    const other = new GossipMachine(id('a'), quiet, first)
    other.step(
      { type: 'Adopt', gossip: { ...wrong, seen: [id('a')] }, origins: noOrigins, tell: [] },
      0,
    )
    const pair = { ...machines, a: other }
    for (let round = 0; round < 5; round++) talk(pair, 'a', 'b', round * 1_000)
    expect(memberOf(other.gossip, id('c'))?.status).toBe('Leaving')
    expect(b.gossip.version).toEqual(other.gossip.version)
  })

  test('is not listened to when it does not know us, or buries us', () => {
    const machines = crowd('abc')
    const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
    const gone = removeMembers(moveMembers(a.gossip, [id('b')], 'Down'), new Set([id('b')]))
    change(a, gone)
    const before = b.gossip
    const news = messagesIn(a.step({ type: 'Spread' }, 0))[0]!
    expect(hear(b, { ...news, to: id('b') })).toEqual([])
    expect(hear(b, { ...news, from: id('z'), to: id('b') })).toEqual([])
    expect(b.gossip).toBe(before)
  })
})

test('one that is told that it is Down believes it, also by whom it holds for unreachable', () => {
  const machines = crowd('abc')
  const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
  change(b, withObservation(b.gossip, id('b'), id('a'), 'Unreachable'))
  change(a, moveMembers(a.gossip, [id('c')], 'Leaving'))
  const [kill] = change(a, moveMembers(a.gossip, [id('b')], 'Down'), [id('b')])
  // It builds on what was not heard here, and nobody would answer a question.
  hear(b, kill!)
  expect(memberOf(b.gossip, id('b'))?.status).toBe('Down')
})

describe('what was done by one that is gone', () => {
  /** a has removed d, whose last change only b has heard of. */
  const without = () => {
    const machines = crowd('abcd')
    const { a, b, d } = machines as { a: GossipMachine; b: GossipMachine; d: GossipMachine }
    change(d, moveMembers(d.gossip, [id('c')], 'Leaving'))
    talk(machines, 'd', 'b')
    change(a, removeMembers(moveMembers(a.gossip, [id('d')], 'Down'), new Set([id('d')])))
    return { machines, a, b }
  }

  test('is done by who knows of it, since the others may not', () => {
    const { machines, a, b } = without()
    const c = machines['c']!
    talk(machines, 'a', 'c')
    talk(machines, 'c', 'b')
    expect(memberOf(b.gossip, id('d'))).toBeUndefined()
    expect(b.gossip.version.map(([node]) => node)).not.toContain(id('d'))
    talk(machines, 'b', 'a')
    for (const { gossip } of [a, c]) expect(memberOf(gossip, id('c'))?.status).toBe('Leaving')
    expect(a.gossip.version).toEqual(b.gossip.version)
  })

  test('is not lost on who hears of it after the removal', () => {
    const { machines, a, b } = without()
    const said = messagesIn(b.step({ type: 'Spread' }, 0)).find(({ to }) => to === id('a'))
    expect(told(said)).toEqual(['c:Leaving'])
    hear(a, said!)
    expect(memberOf(a.gossip, id('c'))?.status).toBe('Leaving')
    expect(memberOf(a.gossip, id('d'))).toBeUndefined()
    // What it knows already is no reason for another version.
    const { version } = a.gossip
    hear(a, said!)
    expect(a.gossip.version).toBe(version)
    talk(machines, 'b', 'a')
    expect(a.gossip.version).toEqual(b.gossip.version)
  })
})

describe('that the whole cluster is about to be stopped', () => {
  const endingOf = (machines: Record<string, GossipMachine>) =>
    Object.values(machines).map(({ gossip }) => gossip.isEnding)

  test('is told with whatever is told, and never taken back', () => {
    const machines = crowd('abc')
    const { a, c } = machines as { a: GossipMachine; c: GossipMachine }
    change(a, ending(a.gossip))
    change(c, moveMembers(c.gossip, [id('b')], 'Leaving'))
    talk(machines, 'a', 'b')
    talk(machines, 'c', 'b')
    talk(machines, 'b', 'a')
    expect(endingOf(machines)).toEqual([true, true, true])
    for (const { gossip } of [a, c]) expect(memberOf(gossip, id('b'))?.status).toBe('Leaving')
  })

  /** d has said so to b alone, and a has removed d. */
  const saidByTheGone = () => {
    const machines = crowd('abcd')
    const { a, b, d } = machines as { a: GossipMachine; b: GossipMachine; d: GossipMachine }
    change(d, ending(d.gossip))
    talk(machines, 'd', 'b')
    delete machines['d']
    change(a, removeMembers(moveMembers(a.gossip, [id('d')], 'Down'), new Set([id('d')])))
    return { machines, a, b }
  }

  test('is not lost with who has said it: who knows says it', () => {
    const { machines } = saidByTheGone()
    talk(machines, 'a', 'c')
    talk(machines, 'c', 'b')
    talk(machines, 'b', 'a')
    talk(machines, 'a', 'c')
    expect(endingOf(machines)).toEqual([true, true, true])
  })

  test('is not lost on who hears it after the removal', () => {
    const { machines, a, b } = saidByTheGone()
    const said = messagesIn(b.step({ type: 'Spread' }, 0)).find(({ to }) => to === id('a'))
    hear(a, said!)
    expect(a.gossip.isEnding).toBe(true)
    talk(machines, 'b', 'a')
    talk(machines, 'a', 'c')
    expect(endingOf(machines)).toEqual([true, true, true])
  })
})

test('who is told only that a tombstone was dropped knows of the removal', () => {
  const machines = crowd('abcd')
  const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
  change(a, removeMembers(moveMembers(a.gossip, [id('d')], 'Down'), new Set([id('d')])))
  change(a, dropTombstones(a.gossip, new Set([id('d')])))
  talk(machines, 'a', 'b')
  expect(b.gossip.members).toEqual(a.gossip.members)
  expect(b.gossip.version).toEqual(a.gossip.version)
})

describe('how often a word is said', () => {
  /** Ticks of 250 ms in which something is said, of so many. */
  const words = (machine: GossipMachine, ticks: number): number => {
    let count = 0
    for (let tick = 1; tick <= ticks; tick++) {
      count += machine.step({ type: 'Tick' }, tick * 250).length
    }
    return count
  }

  test('is once a second at rest', () => {
    expect(words(crowd('abcde')['a']!, 40)).toBe(10)
  })

  test('is every tick while somebody has not seen it for whom the leader waits', () => {
    const machines = crowd('abcde')
    const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
    change(a, moveMembers(a.gossip, [id('c')], 'Down'))
    talk(machines, 'a', 'b')
    expect(words(b, 40)).toBe(40)
  })

  test('of the leader goes to all for whom it waits, and to nobody else besides', () => {
    const machines = crowd('abcdef')
    const { a } = machines as { a: GossipMachine }
    change(a, withObservation(a.gossip, id('a'), id('f'), 'Unreachable'))
    change(a, moveMembers(a.gossip, [id('c'), id('f')], 'Down'))
    const asked = () => new Set(messagesIn(a.step({ type: 'Tick' }, 0)).map(({ to }) => to[0]))
    expect(asked()).toEqual(new Set('bde'))
    talk(machines, 'a', 'd')
    expect(asked()).toEqual(new Set('be'))
    for (const peer of 'be') talk(machines, 'a', peer)
    // As it is at rest: not before its time.
    expect(asked()).toEqual(new Set())
  })

  test('is once a second when all have seen it that can, also when somebody is Down', () => {
    const machines = crowd('abcde')
    const { a } = machines as { a: GossipMachine }
    change(a, withObservation(a.gossip, id('a'), id('e'), 'Unreachable'))
    change(a, moveMembers(a.gossip, [id('d')], 'Down'))
    for (const peer of 'bc') talk(machines, 'a', peer)
    // e is out of reach and not given up: there is nothing to hurry for.
    expect(seenBy(a)).toBe('abc')
    expect(words(a, 40)).toBe(10)
  })
})

test('a newcomer passes on what its welcome brought', () => {
  const machines = crowd('ab')
  const { a, b } = machines as { a: GossipMachine; b: GossipMachine }
  change(a, moveMembers(a.gossip, [id('b')], 'Leaving'))
  change(a, putMember(a.gossip, joiningMember(id('n'))))
  const n = new GossipMachine(id('n'), quiet, first)
  n.step({ type: 'Adopt', gossip: a.gossip, origins: a.origins, tell: [] }, 0)
  // b has not heard of it, and answers nobody it does not know; but a has told it so much.
  talk({ ...machines, n }, 'a', 'b')
  change(n, withObservation(n.gossip, id('n'), id('a'), 'Unreachable'))
  const said = talk({ ...machines, n }, 'n', 'b').filter(({ type }) => type === 'GossipNews')
  expect(said.map(told)).toEqual([[]])
  expect(b.gossip.reachability).toMatchObject([{ observer: id('n') }])
})

test('nobody answers what is for another, or for a former life', () => {
  const machines = crowd('ab')
  const status: GossipStatus = statusOf(machines, 'a', 'b')
  for (const to of [id('c'), nodeIdOf('b:1', 2n)]) {
    expect(hear(machines['b']!, { ...status, to, isLost: true })).toEqual([])
  }
})
