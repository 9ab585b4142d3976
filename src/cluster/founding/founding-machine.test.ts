/** One file because every test tells of the same store and the same record. */
import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import {
  type Gossip,
  emptyGossip,
  putMember,
  removeMembers,
  withObservation,
} from '../gossip/gossip.ts'
import { asUp, joiningMember } from '../gossip/member.ts'
import { attributeOfStore } from '../joining/shared-store.ts'
import type { FoundingEffect, FoundingInput } from './founding-inputs.ts'
import { FoundingMachine } from './founding-machine.ts'
import type { FoundingRecord } from './founding-record.ts'
import type { SplitWish } from './split-decision.ts'

const settings = defaultClusterSettings
const { foundingStillMs: T } = settings
const store = { id: 's1', name: 'the folder ./data' }
const [seed, formerSeed] = [nodeIdOf('a:1', 1n), nodeIdOf('a:1', 9n)]
const [d, e] = [nodeIdOf('d:1', 4n), nodeIdOf('e:1', 5n)]

type Answer = Extract<FoundingInput, { isHeld: boolean }>

function recordWith(founder: NodeId, ...nodes: NodeId[]): FoundingRecord {
  const members = nodes.map((node) => ({ node, identity: `process of ${node}` }))
  return { number: 1, founder, members, isPartial: false, counter: 0, stillMs: T, givenUp: [] }
}

function gossipOf(...nodes: NodeId[]): Gossip {
  const attributes = [attributeOfStore(store)]
  return nodes.reduce(
    (gossip, node, index) =>
      putMember(gossip, asUp(joiningMember(node, { attributes }), index + 1)),
    emptyGossip,
  )
}

/** A store that one can look into, and a machine that asks it; nothing is answered before somebody says so. */
class Desk {
  readonly machine: FoundingMachine
  now = 0
  revision = 0
  record: FoundingRecord | undefined
  areAllGone = false
  /** Whom the node would give up. */
  wish: SplitWish | undefined
  readonly effects: FoundingEffect[] = []
  #open: FoundingEffect[] = []

  constructor(self: NodeId) {
    this.machine = new FoundingMachine({ self, settings, store, identity: `process of ${self}` })
  }

  /** The types of what came out of it. */
  give(input: FoundingInput): string[] {
    const effects = this.machine.step(input, this.now)
    this.effects.push(...effects)
    this.#open.push(...effects.filter(({ type }) => /^(Read|Write)Founding$/.test(type)))
    return effects.map(({ type }) => type)
  }

  /** Of what was asked last. */
  get openNumber(): number {
    return (this.#open.at(-1) as { number: number }).number
  }

  put(record: FoundingRecord): void {
    this.record = record
    this.revision++
  }

  /** The store answers all that it was asked, and all that follows from it. */
  answer(isHeld = false): string[] {
    const { wish } = this
    const types: string[] = []
    for (let asked = this.#open.shift(); asked !== undefined; asked = this.#open.shift()) {
      types.push(...this.give({ ...this.#answerTo(asked), isHeld, wish } as Answer))
    }
    return types
  }

  fail(problem = 'it is away'): string[] {
    return this.#open.splice(0).flatMap((asked) => {
      const { number } = asked as { number: number }
      return asked.type === 'ReadFounding'
        ? this.give({
            type: 'FoundingNotRead',
            number,
            problem,
            isUnreadable: false,
            isHeld: false,
          })
        : this.give({ type: 'FoundingNotWritten', number, problem, isHeld: false })
    })
  }

  /** Ticks on, with a store that answers or does not. */
  pass(ms: number, how: 'answers' | 'fails' | 'hangs' = 'answers'): string[] {
    const types: string[] = []
    for (const end = this.now + ms; this.now < end;) {
      this.now += 250
      types.push(...this.give({ type: 'Tick' }))
      if (how === 'answers') types.push(...this.answer())
      if (how === 'fails') types.push(...this.fail())
    }
    return types.filter((type) => !/^(Read|Write)Founding$/.test(type))
  }

  #answerTo(asked: FoundingEffect): object {
    if (asked.type === 'ReadFounding') {
      const { record, revision, areAllGone } = this
      return { type: 'FoundingRead', number: asked.number, revision, record, areAllGone }
    }
    if (asked.type !== 'WriteFounding') throw new Error(asked.type)
    const { number } = asked
    if (asked.expectedRevision !== this.revision) return { type: 'FoundingChanged', number }
    this.put(asked.record)
    return { type: 'FoundingWritten', number, revision: this.revision }
  }
}

function firstSeed(record?: FoundingRecord): Desk {
  const desk = new Desk(seed)
  if (record !== undefined) desk.put(record)
  desk.give({ type: 'JoinBegan', firstSeed: 'a:1', isAlone: false })
  return desk
}

/** A member of the founding of `a` that is no seed, with `members` in its view. */
function member(self: NodeId, members: readonly NodeId[], founder = seed): Desk {
  const desk = new Desk(self)
  desk.put(recordWith(founder, ...members.filter((node) => node !== self)))
  desk.give({ type: 'JoinBegan', firstSeed: 'a:1', isAlone: false })
  desk.answer()
  desk.give({ type: 'Invited', founder, by: founder })
  expect(desk.answer()).toContain('Cleared')
  expect(desk.give({ type: 'Entered', founder })).toEqual([])
  desk.give({ type: 'ViewChanged', gossip: gossipOf(...members) })
  return desk
}

describe('a node that would found a cluster', () => {
  test('looks first, and founds when its claim is stored', () => {
    const desk = firstSeed()
    expect(desk.give({ type: 'WouldForm' })).toEqual([])
    expect(desk.answer()).toEqual(['WriteFounding', 'Founded'])
    expect(desk.record).toEqual({ ...recordWith(seed, seed), stillMs: T })
    expect(desk.give({ type: 'Entered', founder: seed })).toEqual([])
  })

  test('does not wait when the last founding has ended, or all of its members are proven gone', () => {
    const ended = firstSeed({ ...recordWith(d), number: 7 })
    ended.give({ type: 'WouldForm' })
    expect(ended.answer()).toContain('Founded')
    expect(ended.record).toMatchObject({ number: 8, founder: seed })
    const gone = firstSeed(recordWith(formerSeed, formerSeed, d))
    gone.areAllGone = true
    gone.give({ type: 'WouldForm' })
    expect(gone.answer()).toContain('Founded')
  })

  test('dials recorded members, and founds only when the record has stood still for long', () => {
    const desk = firstSeed(recordWith(formerSeed, d, e))
    desk.give({ type: 'WouldForm' })
    expect(desk.answer()).toEqual(['Recorded', 'WaitingToFound'])
    expect(desk.effects).toContainEqual({ type: 'Recorded', addresses: ['d:1', 'e:1'] })
    expect(desk.pass(T - 500)).toEqual([])
    expect(desk.pass(750)).toEqual(['Founded'])
  })

  test('waits anew whenever somebody carries the record on', () => {
    const desk = firstSeed(recordWith(formerSeed, d))
    desk.give({ type: 'WouldForm' })
    desk.answer()
    for (let counter = 1; counter < 5; counter++) {
      expect(desk.pass(T - 1_000)).toEqual([])
      desk.put({ ...recordWith(formerSeed, d), counter })
    }
  })

  test('waits anew when it has slept, and never founds while the store does not answer', () => {
    const desk = firstSeed(recordWith(formerSeed, d))
    desk.give({ type: 'WouldForm' })
    desk.answer()
    desk.pass(T - 2_000)
    desk.now += 30_000
    expect(desk.pass(1_000)).toEqual([])
    expect(desk.pass(3 * T, 'fails')).toEqual([])
    expect(desk.machine.snapshot().troubles).toEqual(['the store does not answer: it is away'])
    expect(desk.pass(T - 1_000)).toEqual([])
    expect(desk.pass(1_500)).toEqual(['Founded'])
  })

  test('founds also where every answer of the store takes long', () => {
    const desk = firstSeed(recordWith(formerSeed, d))
    desk.give({ type: 'WouldForm' })
    const types: string[] = []
    for (let look = 0; look < 4; look++) types.push(...desk.pass(3_000, 'hangs'), ...desk.answer())
    expect(types).not.toContain('Founded')
    types.push(...desk.pass(3_000, 'hangs'), ...desk.answer())
    expect(types).toContain('Founded')
  })

  test('looks again when somebody was quicker, and takes its own claim for stored when it finds it', () => {
    const desk = firstSeed()
    desk.answer()
    desk.give({ type: 'WouldForm' })
    desk.put(recordWith(d, d))
    expect(desk.answer()).toEqual(['ReadFounding', 'Recorded', 'WaitingToFound'])
    const unsure = firstSeed()
    unsure.answer()
    unsure.give({ type: 'WouldForm' })
    unsure.fail()
    unsure.put(recordWith(seed, seed))
    expect(unsure.pass(1_250)).toEqual(['Founded'])
  })

  test('waits as long as the founding before it asked for', () => {
    const desk = firstSeed({ ...recordWith(formerSeed, d), stillMs: 2 * T })
    desk.give({ type: 'WouldForm' })
    desk.answer()
    expect(desk.pass(2 * T - 500)).toEqual([])
    expect(desk.pass(750)).toEqual(['Founded'])
  })

  test('does not found over a record that it cannot read', () => {
    const desk = firstSeed()
    desk.give({ type: 'WouldForm' })
    const unreadable = { type: 'FoundingNotRead', isUnreadable: true, isHeld: false } as const
    expect(desk.give({ ...unreadable, number: 1, problem: 'x' })).toEqual(['Unreadable'])
  })
})

describe('a node without seeds', () => {
  function alone(record: FoundingRecord): Desk {
    const desk = new Desk(e)
    desk.put(record)
    desk.give({ type: 'JoinBegan', firstSeed: 'e:1', isAlone: true })
    desk.give({ type: 'WouldForm' })
    return desk
  }

  test('is frozen when it slept over the answer to its claim: another may have founded since', () => {
    const desk = new Desk(d)
    desk.give({ type: 'JoinBegan', firstSeed: 'd:1', isAlone: true })
    desk.answer()
    desk.give({ type: 'WouldForm' })
    const number = desk.openNumber
    desk.now += 3 * T
    desk.give({ type: 'Overslept' })
    desk.record = { ...recordWith(e, e), number: 2 }
    desk.revision = 2
    desk.give({ type: 'FoundingWritten', number, revision: 1, isHeld: false })
    expect(desk.effects.at(-1)).toEqual({ type: 'Founded' })
    expect(desk.give({ type: 'Entered', founder: d })).toEqual(['Freeze'])
    expect(desk.pass(1_000)).toEqual(['Succeeded'])
  })

  test('says where the cluster is when a member answers', () => {
    const desk = alone(recordWith(seed, seed, d))
    desk.answer()
    desk.give({ type: 'Invited', founder: seed, by: d })
    const addresses = ['d:1', 'a:1']
    expect(desk.effects.at(-1)).toEqual({ type: 'LivesElsewhere', addresses })
    expect(desk.pass(2 * T)).toEqual([])
  })

  test('says so when the record is carried on', () => {
    const desk = alone(recordWith(seed, seed))
    expect(desk.answer()).toEqual(['Recorded', 'WaitingToFound'])
    desk.put({ ...recordWith(seed, seed), counter: 1 })
    expect(desk.pass(1_250)).toContain('LivesElsewhere')
  })

  test('founds when the last members take themselves out meanwhile', () => {
    const desk = alone(recordWith(seed, seed, d))
    desk.answer()
    desk.put(recordWith(seed, d))
    expect(desk.pass(1_250)).toEqual(['Recorded'])
    desk.put(recordWith(seed))
    expect(desk.pass(1_250)).toEqual(['Recorded', 'Founded'])
  })
})

describe('a node that was invited', () => {
  test('puts itself into the record before it joins', () => {
    const desk = member(d, [seed, d, e])
    expect(desk.record?.members.map(({ node }) => node)).toEqual([seed, e, d])
  })

  test('does not join a cluster beside the one that the store knows, unless that is over', () => {
    const desk = firstSeed(recordWith(formerSeed, e))
    desk.answer()
    expect(desk.give({ type: 'Invited', founder: d, by: d })).toEqual(['ReadFounding'])
    expect(desk.answer()).toEqual(['NotCleared'])
    desk.areAllGone = true
    desk.give({ type: 'Invited', founder: d, by: d })
    expect(desk.answer()).toEqual(['Cleared'])
  })

  test('looks anew for a founding that it has not heard of', () => {
    const desk = firstSeed()
    desk.answer()
    desk.now += 500
    desk.put(recordWith(d, d))
    desk.give({ type: 'Invited', founder: d, by: d })
    expect(desk.answer()).toEqual(['Recorded', 'WriteFounding', 'Cleared'])
    expect(desk.record?.members.map(({ node }) => node)).toEqual([d, seed])
  })
})

describe('a member', () => {
  test('carries the record on when it leads, and only then', () => {
    const leader = member(d, [d, e])
    leader.pass(5_000)
    expect(leader.record?.counter).toBe(5)
    const other = member(e, [d, e])
    other.pass(1_500)
    expect(other.record?.counter).toBe(0)
  })

  test('carries it on no more often because others look in between', () => {
    const leader = member(d, [d, e])
    leader.pass(1_000)
    for (let look = 0; look < 100; look++) {
      leader.give({ type: 'LookNow' })
      leader.answer()
    }
    expect(leader.record?.counter).toBe(1)
    leader.pass(2_000)
    expect(leader.record?.counter).toBe(3)
  })

  test('stands in for a leader that does not get through to the store', () => {
    const desk = member(e, [d, e])
    desk.pass(4_500)
    expect(desk.record?.counter).toBeGreaterThan(0)
  })

  test('does not carry it on while it is frozen by others', () => {
    const desk = member(d, [d, e])
    for (let second = 0; second < 5; second++) {
      desk.now += 1_000
      desk.give({ type: 'Tick' })
      desk.answer(true)
    }
    expect(desk.record?.counter).toBe(0)
  })

  test('takes out who was removed, and who has a later life at its address', () => {
    const desk = member(d, [d, e])
    const restarted = nodeIdOf('e:1', 55n)
    desk.put(recordWith(seed, e, d, restarted))
    desk.pass(1_250)
    expect(desk.record?.members.map(({ node }) => node)).toEqual([e, d, restarted])
    desk.give({ type: 'ViewChanged', gossip: gossipOf(d) })
    desk.pass(1_250)
    expect(desk.record?.members.map(({ node }) => node)).toEqual([d, restarted])
    const removal = member(d, [d, e])
    removal.give({ type: 'ViewChanged', gossip: removeMembers(gossipOf(d, e), new Set([e])) })
    removal.pass(1_250)
    expect(removal.record?.members.map(({ node }) => node)).toEqual([d])
  })

  test('keeps for a while whom gossip does not know yet', () => {
    const desk = member(d, [d, e])
    desk.give({ type: 'ViewChanged', gossip: gossipOf(d) })
    desk.pass(T - 500)
    expect(desk.record?.members).toHaveLength(2)
    desk.pass(2_000)
    expect(desk.record?.members).toHaveLength(1)
  })

  test('freezes before others can have waited long enough, and goes on when it gets through again', () => {
    const desk = member(d, [d, e])
    desk.pass(1_000)
    expect(desk.pass(0.8 * T - 1_500, 'fails')).toEqual([])
    expect(desk.pass(1_500, 'fails')).toEqual(['Freeze'])
    expect(desk.pass(2_000)).toEqual(['Thaw'])
  })

  test('freezes also when nothing answers, and when it looks at the clock late', () => {
    const desk = member(d, [d, e])
    desk.now += T
    expect(desk.give({ type: 'Look' })).toEqual(['Freeze'])
  })

  test('goes on while the first seed answers, and counts from its question', () => {
    const desk = member(d, [seed, d])
    for (let second = 0; second < 30; second++) {
      expect(desk.pass(1_000, 'hangs').filter((type) => type !== 'Send')).toEqual([])
      const asked = desk.effects.findLast((effect) => effect.type === 'Send')
      const question = asked?.message.question ?? 0
      desk.give({ type: 'Standing', from: seed, question, standing: 'member' })
    }
    expect(desk.pass(T, 'hangs')).toContain('Freeze')
  })

  test('freezes where anybody may found, the founder itself too: nobody who answers shows that no other founding has begun', () => {
    for (const self of [seed, d]) {
      const desk = new Desk(self)
      desk.put(recordWith(seed, ...[seed, d].filter((node) => node !== self)))
      desk.give({ type: 'JoinBegan', firstSeed: undefined, isAlone: false })
      desk.answer()
      desk.give({ type: 'Invited', founder: seed, by: seed })
      desk.answer()
      desk.give({ type: 'Entered', founder: seed })
      desk.give({ type: 'ViewChanged', gossip: gossipOf(seed, d) })
      desk.pass(1_000)
      expect(desk.pass(T, 'hangs')).toEqual(['Freeze'])
    }
  })

  test('goes on without the store when it is the first seed itself', () => {
    const desk = member(seed, [seed, d], formerSeed)
    expect(desk.pass(3 * T, 'fails')).toEqual([])
  })

  test('is frozen after a sleep until a look that began since shows its founding', () => {
    const desk = member(d, [seed, d])
    desk.now += 3_000
    desk.give({ type: 'Tick' })
    expect(desk.give({ type: 'Overslept' })).toEqual(['ReadFounding', 'Freeze'])
    expect(desk.answer()).toContain('Thaw')
  })

  test('ends when it was succeeded', () => {
    const desk = member(d, [seed, d])
    desk.put({ ...recordWith(formerSeed, formerSeed), number: 2 })
    expect(desk.pass(1_250)).toEqual(['Freeze', 'Succeeded'])
    expect(desk.pass(5_000)).toEqual([])
  })

  test('puts itself in again when it was taken out, and is frozen meanwhile', () => {
    const desk = member(d, [seed, d])
    desk.put({ ...recordWith(seed, seed), counter: 9 })
    expect(desk.pass(1_250)).toEqual(['Freeze', 'Thaw'])
    expect(desk.record?.members.map(({ node }) => node)).toEqual([seed, d])
  })
})

describe('a member of a cluster that is split', () => {
  const claimMs = 1_750
  const tell = (types: readonly string[]) => types.filter((type) => !type.endsWith('Founding'))

  test('has others given up by a write, and shows that it stands there', () => {
    const desk = member(d, [seed, d])
    desk.wish = { nodes: [seed], claimMs: 0 }
    desk.give({ type: 'LookSoon', withinMs: 0 })
    expect(tell(desk.pass(250))).toEqual(['GivenUpShown'])
    expect(desk.record?.givenUp).toEqual([seed])
    expect(desk.effects.at(-1)).toEqual({ type: 'GivenUpShown', nodes: [seed] })
    // Told once.
    expect(tell(desk.pass(5_000))).toEqual([])
  })

  test('does so also while it is frozen, but for nothing else', () => {
    const desk = member(d, [seed, d])
    const { revision } = desk
    const look = () => {
      desk.now += 1_000
      desk.give({ type: 'Tick' })
      desk.answer(true)
    }
    for (let each = 0; each < 3; each++) look()
    expect(desk.revision).toBe(revision)
    desk.wish = { nodes: [seed], claimMs: 0 }
    look()
    expect(desk.record?.givenUp).toEqual([seed])
  })

  test('looks again when somebody was quicker, and writes nothing when it was given up meanwhile', () => {
    const desk = member(d, [seed, d])
    desk.wish = { nodes: [seed], claimMs: 0 }
    desk.give({ type: 'LookSoon', withinMs: 0 })
    desk.now += 250
    desk.give({ type: 'Tick' })
    const before = desk.record as FoundingRecord
    desk.put({ ...before, counter: before.counter + 1, givenUp: [d] })
    expect(tell(desk.answer())).toEqual(['Freeze', 'GivenUp'])
    expect(desk.record?.givenUp).toEqual([d])
    expect(desk.pass(5_000)).toEqual([])
  })

  test('claims first where it has to, and decides when the claim has stood', () => {
    const desk = member(d, [seed, d])
    desk.wish = { nodes: [seed], claimMs }
    desk.give({ type: 'LookSoon', withinMs: 0 })
    desk.pass(250)
    expect(desk.record).toMatchObject({ givenUp: [], claim: { by: d, nodes: [seed] } })
    const claimedAt = desk.now
    while (desk.record?.givenUp.length === 0) {
      desk.give({ type: 'LookSoon', withinMs: 0 })
      desk.pass(250)
    }
    expect(desk.now - claimedAt).toBe(claimMs)
    expect(desk.record).not.toHaveProperty('claim')
  })

  test('is not shown that it may act while somebody claims against it', () => {
    const desk = member(d, [seed, d])
    desk.pass(2_000)
    const { shownAt } = desk.machine
    expect(desk.now - shownAt).toBeLessThanOrEqual(1_000)
    desk.put({ ...(desk.record as FoundingRecord), claim: { by: seed, nodes: [d] } })
    desk.pass(3_000)
    expect(desk.machine).toMatchObject({ isClaimed: true })
    expect(desk.machine.shownAt).toBeLessThanOrEqual(shownAt + 1_000)
    desk.put({ ...recordWith(seed, seed, d), counter: 99 })
    desk.pass(2_000)
    expect(desk.machine).toMatchObject({ isClaimed: false })
    expect(desk.machine.shownAt).toBeGreaterThan(shownAt + 3_000)
  })

  test('takes the claim of a member away that is gone', () => {
    const desk = member(d, [seed, d])
    desk.put({ ...(desk.record as FoundingRecord), claim: { by: e, nodes: [d] } })
    desk.pass(4_000)
    expect(desk.record).not.toHaveProperty('claim')
  })

  test('takes the claim of one away that it reaches again, and that has lost the store since', () => {
    const desk = member(d, [seed, d])
    desk.put({ ...(desk.record as FoundingRecord), claim: { by: seed, nodes: [d] } })
    desk.pass(4_000)
    expect(desk.record?.claim).toEqual({ by: seed, nodes: [d] })
    desk.pass(6_000)
    expect(desk.record).not.toHaveProperty('claim')
  })

  test('leaves the claim of one alone that it does not reach: that may be about to decide', () => {
    const desk = member(d, [seed, d])
    const gossip = withObservation(gossipOf(seed, d), d, seed, 'Unreachable')
    desk.give({ type: 'ViewChanged', gossip })
    desk.put({ ...(desk.record as FoundingRecord), claim: { by: seed, nodes: [d] } })
    desk.pass(20_000)
    expect(desk.record?.claim).toEqual({ by: seed, nodes: [d] })
  })

  test('writes down whom the cluster has downed without the store, once it speaks for it', () => {
    const desk = member(d, [seed, d])
    desk.give({ type: 'Downed', node: seed })
    desk.give({ type: 'ViewChanged', gossip: removeMembers(gossipOf(seed, d), new Set([seed])) })
    desk.now += 2_000
    desk.give({ type: 'Tick' })
    desk.answer(true)
    expect(desk.record?.givenUp).toEqual([])
    desk.pass(3_000)
    expect(desk.record).toMatchObject({ givenUp: [seed], members: [{ node: d }] })
  })

  test('puts itself back, also while it is held, when others missed it for long and took it out', () => {
    const desk = member(d, [seed, d])
    desk.put({ ...recordWith(seed, seed), counter: 7 })
    desk.now += 2_000
    desk.give({ type: 'Tick' })
    desk.answer(true)
    expect(desk.record?.members.map(({ node }) => node)).toEqual([seed, d])
  })

  test('does not write down one that has left and taken itself out', () => {
    const desk = member(d, [seed, d])
    desk.put(recordWith(seed, d))
    desk.give({ type: 'Downed', node: seed })
    desk.pass(3_000)
    expect(desk.record?.givenUp).toEqual([])
  })
})

describe('a founding that was never recorded', () => {
  function unrecorded(record?: FoundingRecord): Desk {
    const desk = new Desk(d)
    if (record !== undefined) desk.put(record)
    desk.give({ type: 'JoinBegan', firstSeed: 'a:1', isAlone: false })
    desk.answer()
    desk.give({ type: 'Invited', founder: seed, by: seed })
    desk.answer()
    desk.give({ type: 'Entered', founder: seed })
    return desk
  }

  test('is recorded by the first of its members that uses the store; until then it is frozen', () => {
    const desk = unrecorded()
    expect(desk.machine.snapshot().isFrozen).toBe(true)
    const gossip = putMember(gossipOf(d, e), asUp(joiningMember(seed), 3))
    desk.give({ type: 'ViewChanged', gossip })
    expect(desk.pass(1_250)).toEqual(['Thaw'])
    expect(desk.record).toMatchObject({ founder: seed, members: [{ node: d }] })
  })

  test('gives way to one that lives', () => {
    const desk = unrecorded(recordWith(e))
    desk.give({ type: 'ViewChanged', gossip: gossipOf(d) })
    desk.put({ ...recordWith(e, e), number: 2 })
    expect(desk.pass(1_250)).toEqual(['Succeeded'])
  })
})
