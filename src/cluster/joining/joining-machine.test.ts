import { describe, expect, test } from 'vitest'
import { type Address, nodeIdOf } from '../../foundation/node-id.ts'
import { type ClusterSettings, agreementOf, defaultClusterSettings } from '../cluster-settings.ts'
import { emptyGossip, putMember } from '../gossip/gossip.ts'
import { joiningMember } from '../gossip/member.ts'
import { noOrigins } from '../gossip/packed-origins.ts'
import { JoiningMachine } from './joining-machine.ts'

const self = nodeIdOf('a:1', 1n)
const b = nodeIdOf('b:1', 2n)
const seeds: readonly Address[] = ['a:1', 'b:1', 'c:1']
const welcome = {
  type: 'Welcome',
  from: b,
  gossip: putMember(emptyGossip, joiningMember(self)),
  tombstoneAgesMs: [],
  origins: noOrigins,
} as const
const founder = nodeIdOf('f:1', 6n)
const ack = { type: 'InitJoinAck', from: b, problems: [], differences: [], founder } as const
const nack = (address: Address) =>
  ({ type: 'InitJoinNack', from: nodeIdOf(address, 7n), isEnding: false }) as const
const types = (effects: readonly { readonly type: string }[]) => effects.map(({ type }) => type)

const described = { roles: ['web'], attributes: ['host of Game'], appVersion: '1.2.3' }

function joining(more: Partial<ClusterSettings> = {}, address: Address = 'a:1') {
  const settings = { ...defaultClusterSettings, ...more }
  return new JoiningMachine({ ...described, self: nodeIdOf(address, 1n), address, settings })
}

describe('JoiningMachine', () => {
  test('asks all other seeds and joins through the first that answers', () => {
    const machine = joining()
    const message = { type: 'InitJoin', from: self, agreement: agreementOf(defaultClusterSettings) }
    expect(machine.step({ type: 'JoinSeeds', seeds }, 0)).toEqual([
      { type: 'SendToAddress', to: 'b:1', message },
      { type: 'SendToAddress', to: 'c:1', message },
    ])
    const asked = { type: 'Join', from: self, ...described }
    const join = { type: 'Send', to: b, message: asked }
    expect(machine.step(ack, 10)).toEqual([join])
    expect(machine.step(ack, 20)).toEqual([])
    expect(machine.step({ type: 'Tick' }, 250)).toEqual([join])
    expect(machine.step({ ...welcome, from: nodeIdOf('c:1', 3n) }, 260)).toEqual([])
    expect(machine.step(welcome, 270)).toEqual([
      {
        ...{ type: 'Joined', through: b, founder },
        ...{ gossip: welcome.gossip, tombstoneAgesMs: [], origins: noOrigins },
      },
    ])
    expect(machine.step(welcome, 280)).toEqual([])
  })

  test('forms a cluster as first seed when all others are in none', () => {
    const machine = joining()
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    expect(machine.step(nack('b:1'), 10)).toEqual([])
    expect(types(machine.step(nack('c:1'), 10))).toEqual(['FormCluster'])
  })

  test('forms a cluster as first seed when nobody is there, not at the first refusal', () => {
    const machine = joining()
    machine.step({ type: 'JoinSeeds', seeds: ['a:1', 'b:1'] }, 0)
    const text = 'refused the connection'
    const refused = { type: 'NotConnected', address: 'b:1', isRefused: true, text } as const
    expect(machine.step(refused, 1)).toEqual([])
    expect(machine.step(refused, 501)).toEqual([])
    expect(types(machine.step(refused, 1_001))).toEqual(['FormCluster'])
  })

  test('forms a cluster as first seed when nobody answers in time', () => {
    const machine = joining()
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    expect(types(machine.step({ type: 'Tick' }, 4_900))).toEqual(['SendToAddress', 'SendToAddress'])
    expect(types(machine.step({ type: 'Tick' }, 5_000))).toEqual(['FormCluster'])
  })

  test('never forms one as another seed', () => {
    const machine = joining({}, 'c:1')
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    for (const address of ['a:1', 'b:1']) expect(machine.step(nack(address), 1)).toEqual([])
    expect(types(machine.step({ type: 'Tick' }, 100_000))).toEqual([
      'StillJoining',
      'SendToAddress',
      'SendToAddress',
    ])
  })

  test('joins itself when told its own address, and another when told that', () => {
    expect(types(joining().step({ type: 'JoinNode', address: 'a:1' }, 0))).toEqual(['FormCluster'])
    const machine = joining()
    expect(types(machine.step({ type: 'JoinNode', address: 'b:1' }, 0))).toEqual(['SendToAddress'])
    const later = types(machine.step({ type: 'Tick' }, 100_000))
    expect(later).toEqual(['StillJoining', 'SendToAddress'])
  })

  test('starts over when the welcome does not come', () => {
    const machine = joining()
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    machine.step(ack, 10)
    expect(types(machine.step({ type: 'Tick' }, 10_010))).toEqual([
      'StillJoining',
      'SendToAddress',
      'SendToAddress',
    ])
    expect(machine.step(welcome, 10_020)).toEqual([])
  })

  test('gives up when its settings are others, unless it need not agree; with another store always', () => {
    const other = { ...ack, differences: ['x is 1 here and 2 in the cluster'] }
    const strict = joining()
    strict.step({ type: 'JoinSeeds', seeds }, 0)
    expect(strict.step(other, 10)).toEqual([
      { type: 'GiveUp', reason: 'incompatible-config', problems: other.differences },
    ])
    const lenient = joining({ mustAgreeOnSettings: false })
    lenient.step({ type: 'JoinSeeds', seeds }, 0)
    const [told, join] = lenient.step(other, 10)
    expect(told).toEqual({ type: 'Disagrees', with: b, differences: other.differences })
    expect(join).toMatchObject({ type: 'Send', to: b, message: { type: 'Join' } })
    const another = joining({ mustAgreeOnSettings: false })
    another.step({ type: 'JoinSeeds', seeds }, 0)
    expect(types(another.step({ ...other, problems: ['another store'] }, 10))).toEqual(['GiveUp'])
  })

  test('gives up when the cluster is about to be stopped, by the word of a seed, and founds none beside it', () => {
    const machine = joining()
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    machine.step(nack('c:1'), 5)
    const ending = { ...nack('b:1'), isEnding: true }
    expect(machine.step({ ...nack('z:1'), isEnding: true }, 6)).toEqual([])
    const [effect] = machine.step(ending, 10)
    expect(effect).toMatchObject({ type: 'GiveUp', reason: 'join-failed' })
    expect(machine.step(ending, 20)).toEqual([])
  })

  test('gives up when it was removed before it was welcome, by the word of a seed', () => {
    const machine = joining()
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    machine.step(ack, 10)
    const removed = { type: 'Standing', from: b, question: 0, standing: 'removed' } as const
    expect(machine.step({ ...removed, from: nodeIdOf('z:1', 1n) }, 20)).toEqual([])
    expect(machine.step(removed, 20)).toMatchObject([{ type: 'GiveUp', reason: 'join-failed' }])
  })

  test('gives up when every seed fails in a way that only other settings heal', () => {
    const machine = joining({}, 'c:1')
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    const wrong = (address: Address, code = 'WRONG_SECRET') =>
      ({ type: 'NotAccepted', address, code, text: `${address} has a different secret` }) as const
    expect(machine.step(wrong('a:1'), 1)).toEqual([])
    expect(machine.step(wrong('b:1', 'WRONG_ADDRESS'), 2)).toEqual([])
    expect(machine.snapshot()).toMatchObject({ founder: 'a:1' })
    expect(types(machine.step(wrong('b:1'), 3))).toEqual(['GiveUp'])
    expect(machine.snapshot()).toMatchObject({
      troubles: ['a:1 has a different secret', 'b:1 has a different secret'],
      founder: undefined,
    })
    expect(machine.step(wrong('b:1'), 4)).toEqual([])
  })

  test('tells every five seconds what is in the way', () => {
    const machine = joining({}, 'c:1')
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    machine.step({ type: 'Connected', address: 'a:1' }, 10)
    const report = {
      type: 'StillJoining',
      seeds: ['a:1', 'b:1'],
      troubles: ['a:1 is connected and has not let this node in yet', 'b:1 has not answered yet'],
    }
    expect(types(machine.step({ type: 'Tick' }, 4_999))).not.toContain('StillJoining')
    expect(machine.step({ type: 'Tick' }, 5_000)).toContainEqual(report)
    expect(types(machine.step({ type: 'Tick' }, 5_250))).not.toContain('StillJoining')
    expect(machine.step({ type: 'Tick' }, 10_000)).toContainEqual(report)
  })

  test('gives up on settings that do not agree, and after its deadline', () => {
    const machine = joining({ joinDeadlineMs: 8_000 }, 'c:1')
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    expect(machine.step({ type: 'Tick' }, 8_000)).toEqual([
      { type: 'GiveUp', reason: 'join-failed', problems: [] },
    ])
    const other = joining()
    other.step({ type: 'JoinSeeds', seeds }, 0)
    expect(other.step({ ...ack, problems: ['x'] }, 1)).toEqual([
      { type: 'GiveUp', reason: 'incompatible-config', problems: ['x'] },
    ])
  })
})

describe('JoiningMachine, where the store keeps the founding', () => {
  function asking(address: Address = 'a:1', more: Partial<ClusterSettings> = {}) {
    const settings = { ...defaultClusterSettings, ...more }
    const asksStore = true
    const id = nodeIdOf(address, 1n)
    return new JoiningMachine({ ...described, self: id, address, settings, asksStore })
  }
  const asked = (effects: readonly { readonly type: string }[]) =>
    effects.flatMap((effect) => ('to' in effect ? [effect.to] : []))

  test('says once that it would form a cluster, seeks on, and forms it when it may', () => {
    const machine = asking()
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    machine.step(nack('b:1'), 10)
    expect(machine.step(nack('c:1'), 10)).toEqual([{ type: 'WouldForm' }])
    expect(machine.step(nack('c:1'), 20)).toEqual([])
    expect(types(machine.step({ type: 'Tick' }, 5_500))).toEqual([
      'StillJoining',
      'SendToAddress',
      'SendToAddress',
    ])
    expect(machine.step({ type: 'Founded' }, 5_600)).toEqual([{ type: 'FormCluster' }])
    expect(machine.step({ type: 'Founded' }, 5_700)).toEqual([])
  })

  test('gives up only when it could have founded: it may have to wait longer than it is set to', () => {
    const machine = asking('a:1', { joinDeadlineMs: 30_000 })
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    machine.step({ type: 'MustWait', ms: 60_000 }, 10)
    expect(types(machine.step({ type: 'Tick' }, 89_000))).not.toContain('GiveUp')
    expect(types(machine.step({ type: 'Tick' }, 90_000))).toContain('GiveUp')
  })

  test('a node told to join itself would form a cluster at once', () => {
    expect(asking().step({ type: 'JoinNode', address: 'a:1' }, 0)).toEqual([{ type: 'WouldForm' }])
  })

  test('asks members that are no seeds, and joins through one of them', () => {
    const machine = asking('c:1')
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    const recorded = { type: 'Recorded', addresses: ['b:1', 'd:1'] } as const
    expect(asked(machine.step(recorded, 10))).toEqual(['d:1'])
    expect(asked(machine.step({ type: 'Tick' }, 600))).toEqual(['a:1', 'b:1', 'd:1'])
    const d = nodeIdOf('d:1', 4n)
    expect(machine.step({ ...ack, from: d }, 610)).toEqual([{ type: 'Invited', founder, by: d }])
  })

  test('asks to be let in only when it is cleared, and seeks on when it is not', () => {
    const machine = asking('c:1')
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    machine.step(ack, 10)
    expect(machine.step({ type: 'Tick' }, 250)).toEqual([])
    machine.step({ type: 'NotCleared' }, 260)
    expect(machine.step({ type: 'Cleared' }, 265)).toEqual([])
    expect(types(machine.step(ack, 1_270))).toEqual(['Invited'])
    expect(types(machine.step({ type: 'Cleared' }, 1_280))).toEqual(['Send'])
    expect(types(machine.step({ type: 'Tick' }, 1_500))).toEqual(['Send'])
  })

  test('hears the others when those of a cluster that it may not join always answer first', () => {
    const machine = asking('c:1')
    machine.step({ type: 'JoinSeeds', seeds }, 0)
    const a = nodeIdOf('a:1', 8n)
    const heard = [10, 510].map((now) => {
      const acks = [ack, { ...ack, from: a, founder: a }]
      const effects = acks.flatMap((each) => machine.step(each, now))
      machine.step({ type: 'NotCleared' }, now + 1)
      return effects
    })
    expect(heard).toEqual([
      [{ type: 'Invited', founder, by: b }],
      [{ type: 'Invited', founder: a, by: a }],
    ])
    expect(types(machine.step(ack, 1_300))).toEqual(['Invited'])
  })
})

describe('JoiningMachine by discovery', () => {
  const contacts = (...addresses: Address[]) => ({ type: 'Contacts', addresses }) as const
  const asked = (effects: ReturnType<JoiningMachine['step']>) =>
    effects.flatMap((effect) => (effect.type === 'SendToAddress' ? [effect.to] : []))

  test('asks whoever is found, news at once and all again and again, and forgets who is not found any more', () => {
    const machine = joining()
    expect(machine.step({ type: 'JoinDiscovered' }, 0)).toEqual([])
    expect(asked(machine.step(contacts('b:1'), 10))).toEqual(['b:1'])
    expect(asked(machine.step(contacts('b:1', 'c:1'), 20))).toEqual(['c:1'])
    expect(asked(machine.step({ type: 'Tick' }, 500))).toEqual(['b:1', 'c:1'])
    machine.step(contacts('c:1'), 510)
    expect(asked(machine.step({ type: 'Tick' }, 1_000))).toEqual(['c:1'])
    expect(machine.step(ack, 1_010)).toEqual([])
    expect(machine.snapshot().seeds).toEqual(['c:1'])
  })

  test('keeps what is known of those that are found again', () => {
    const machine = joining()
    machine.step({ type: 'JoinDiscovered' }, 0)
    machine.step(contacts('b:1'), 0)
    machine.step(nack('b:1'), 10)
    machine.step(contacts('b:1', 'c:1'), 20)
    expect(machine.snapshot().troubles).toEqual([
      'b:1 is not in a cluster itself',
      'c:1 has not answered yet',
    ])
  })

  test('never forms a cluster by itself, however many are in none and however long it takes', () => {
    const machine = joining()
    machine.step({ type: 'JoinDiscovered' }, 0)
    machine.step(contacts('b:1'), 0)
    for (let now = 0; now < 60_000; now += 250) {
      const effects = [...machine.step(nack('b:1'), now), ...machine.step({ type: 'Tick' }, now)]
      expect(types(effects)).not.toContain('FormCluster')
    }
  })

  test('forms one when it is elected, but not when it is already invited', () => {
    const elected = joining()
    elected.step({ type: 'JoinDiscovered' }, 0)
    expect(types(elected.step({ type: 'Elected' }, 10))).toEqual(['FormCluster'])
    const invited = joining()
    invited.step({ type: 'JoinDiscovered' }, 0)
    invited.step(contacts('b:1'), 0)
    expect(types(invited.step(ack, 10))).toEqual(['Send'])
    expect(invited.step({ type: 'Elected' }, 20)).toEqual([])
  })

  test('where the store keeps the founding it asks once, is given the time for it, and seeks on', () => {
    const settings = { ...defaultClusterSettings, joinDeadlineMs: 5_000, foundingStillMs: 10_000 }
    const machine = new JoiningMachine({
      ...{ ...described, self, address: 'a:1', settings, asksStore: true },
    })
    machine.step({ type: 'JoinDiscovered' }, 0)
    machine.step(contacts('b:1'), 0)
    expect(types(machine.step({ type: 'Elected' }, 4_000))).toEqual(['WouldForm'])
    expect(machine.step({ type: 'Elected' }, 4_250)).toEqual([])
    expect(types(machine.step({ type: 'Tick' }, 14_000))).not.toContain('GiveUp')
    expect(types(machine.step({ type: 'Founded' }, 14_100))).toEqual(['FormCluster'])
  })
})
