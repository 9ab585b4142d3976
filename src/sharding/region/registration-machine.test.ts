import { describe, expect, test } from 'vitest'
import { RegionMachine } from './region-machine.ts'
import { candidatesAmong, RegistrationMachine } from './registration-machine.ts'
import { shardingSettings } from '../sharding-settings.ts'
import type { ToRegion } from '../sharding-messages.ts'

const options = { self: 'me', isProxy: false, numberOfShards: 8, retryIntervalMs: 2_000 }

describe('the coordinator may be', () => {
  test('on the oldest that is Up, and on those before it that leave', () => {
    const members = [
      { node: 'a', status: 'Down' },
      { node: 'b', status: 'Leaving' },
      { node: 'c', status: 'Up' },
      { node: 'd', status: 'Up' },
    ] as const
    expect(candidatesAmong(members)).toEqual(['b', 'c'])
  })

  test('on any of those that leave when nobody is Up', () => {
    const members = [
      { node: 'a', status: 'Exiting' },
      { node: 'b', status: 'Leaving' },
    ] as const
    expect(candidatesAmong(members)).toEqual(['a', 'b'])
    expect(candidatesAmong([])).toEqual([])
  })
})

test('RegistrationMachine searches anew only when the candidates have changed', () => {
  const machine = new RegistrationMachine(options)
  const see = (...candidates: string[]) =>
    machine.step({ type: 'CandidatesChanged', candidates }).map(({ type }) => type)
  expect(see('a')).toEqual(['SendToCoordinator', 'StartTimer'])
  expect(see('a')).toEqual([])
  expect(see('a', 'b')).toEqual(['SendToCoordinator', 'SendToCoordinator', 'StartTimer'])
})

test('RegionMachine tells when it is taken in, and when it is refused', () => {
  const settings = shardingSettings({ numberOfShards: 8 })
  const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
  const hear = (message: ToRegion) =>
    machine.step({ type: 'FromCoordinator', coordinator: 'k', message })
  const [greeting] = hear({ type: 'ShardHomes', term: 1, homes: [] })
  expect(greeting).toMatchObject({ to: 'k', message: { type: 'Register', region: 'me' } })
  expect(hear({ type: 'ShardHomes', term: 1, homes: [] })).toEqual([])
  expect(hear({ type: 'RegisterAck', term: 1 })).toEqual([{ type: 'Registered' }])
  const refused = { type: 'RegisterRefused', term: 1, problem: 'it counts other shards' } as const
  expect(hear(refused)).toEqual([{ type: 'Refused', problem: 'it counts other shards' }])
})

test('RegionMachine says who it is to every new coordinator that speaks, until it is confirmed', () => {
  const machine = new RegistrationMachine({ ...options, identity: { extractorId: 'x@1' } })
  machine.step({ type: 'CandidatesChanged', candidates: ['k'] })
  const hear = (term: number, isAnswer: boolean) =>
    machine.step({ type: 'Heard', coordinator: 'k', term, isAnswer })
  expect(hear(1, true)).toEqual([])
  machine.step({ type: 'Acknowledged' })
  expect(machine.isRegistered).toBe(true)
  const greeting = { type: 'Register', extractorId: 'x@1' }
  // On the same node: nobody was removed, and no candidate has changed.
  expect(hear(2, false)).toMatchObject([{ to: 'k', message: greeting }])
  expect(machine.isRegistered).toBe(false)
  expect(hear(2, false)).toEqual([])
  expect(machine.step({ type: 'Retry', isWaiting: false })).toMatchObject([{ message: greeting }])
  machine.step({ type: 'Acknowledged' })
  expect(machine.step({ type: 'Retry', isWaiting: false })).toEqual([])
})

test('RegionMachine that is refused by the next coordinator sends nothing more itself, and serves others', () => {
  const settings = shardingSettings({ numberOfShards: 8 })
  const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
  const step = (input: Parameters<typeof machine.step>[0]) =>
    machine.step(input).map((effect) => (effect.type === 'Drop' ? effect.reason : effect.type))
  const hear = (message: ToRegion) => step({ type: 'FromCoordinator', coordinator: 'k', message })
  const message = (parcel: string, shard = 7) => ({ type: 'Message', shard, parcel }) as const
  hear({ type: 'RegisterAck', term: 1 })
  hear({ type: 'HostShard', shard: 7, home: 'me', epoch: 1, term: 1, turn: 1 })
  hear({ type: 'ShardHome', shard: 3, home: 'other', epoch: 2, term: 1, turn: 2 })
  expect(step(message('a'))).toEqual(['Deliver'])
  expect(step(message('a', 3))).toEqual(['SendToPeer'])
  expect(hear({ type: 'RegisterRefused', term: 2, problem: 'another rule' })).toContain('Refused')
  expect(machine.table.homeOf(7)).toBeUndefined()
  expect(step(message('b'))).toEqual(['region-refused'])
  expect(step(message('b', 3))).toEqual(['region-refused'])
  const forwarded = { type: 'Forwarded', shard: 7, stamp: 1, parcel: 'c' } as const
  expect(step({ type: 'FromRegion', region: 'other', message: forwarded })).toEqual(['Deliver'])
  // Nobody has said otherwise yet, and it knows homes.
  step({ type: 'NodeRemoved', node: 'k' })
  expect(step(message('c'))).toEqual(['region-refused'])
  hear({ type: 'RegisterAck', term: 3 })
  expect(step(message('d'))).toEqual(['Deliver'])
})

test('RegionMachine that is refused keeps what others sent to a shard here that is not ready yet', () => {
  const settings = shardingSettings({ numberOfShards: 8 })
  const given = { self: 'me', isProxy: false, settings, isReadyAtOnce: false }
  const machine = new RegionMachine<string>(given)
  const step = (input: Parameters<typeof machine.step>[0]) =>
    machine
      .step(input)
      .map((effect) => ('parcel' in effect ? `${effect.type} ${effect.parcel}` : effect.type))
  const hear = (message: ToRegion) => step({ type: 'FromCoordinator', coordinator: 'k', message })
  hear({ type: 'RegisterAck', term: 1 })
  hear({ type: 'HostShard', shard: 7, home: 'me', epoch: 1, term: 1, turn: 1 })
  const forwarded = { type: 'Forwarded', shard: 7, stamp: 1, parcel: 'theirs' } as const
  step({ type: 'FromRegion', region: 'other', message: forwarded })
  step({ type: 'Message', shard: 7, parcel: 'ours' })
  // Given back, it would come again at once: its home is still here.
  const refused = { type: 'RegisterRefused', term: 1, problem: 'another rule' } as const
  expect(hear(refused)).toEqual(['Refused', 'Drop ours'])
  expect(step({ type: 'ShardReady', shard: 7, isReady: true })).toEqual(['Deliver theirs'])
})

test('RegionMachine that was refused leaves at once: nobody gives it a shard', () => {
  const settings = shardingSettings({ numberOfShards: 8 })
  const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
  const message = { type: 'RegisterRefused', term: 1, problem: 'it counts other shards' } as const
  machine.step({ type: 'FromCoordinator', coordinator: 'k', message })
  const effects = machine.step({ type: 'GracefulShutdown', isMember: true })
  expect(effects.map(({ type }) => type)).toContain('Finish')
})

test('RegionMachine that stays for others routes until they are done too', () => {
  const settings = shardingSettings({ numberOfShards: 8 })
  const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
  const typesOf = (effects: readonly { readonly type: string }[]) => effects.map(({ type }) => type)
  const leave = { type: 'GracefulShutdown', isMember: true, staysForOthers: true } as const
  expect(typesOf(machine.step(leave))).toContain('Emptied')
  expect(typesOf(machine.step({ type: 'Message', shard: 1, parcel: 'x' }))).not.toContain('Drop')
  const home = { type: 'ShardHome', term: 1, shard: 1, home: 'k', epoch: 1, turn: 1 } as const
  machine.step({ type: 'FromCoordinator', coordinator: 'k', message: home })
  const released = { type: 'GracefulShutdownAck', term: 1 } as const
  const after = machine.step({ type: 'FromCoordinator', coordinator: 'k', message: released })
  expect(typesOf(after)).not.toContain('Finish')
  machine.step({ type: 'OthersEmptied' })
  const dropped = machine.step({ type: 'Message', shard: 1, parcel: 'y' })
  expect(typesOf(dropped)).toContain('Drop')
})
