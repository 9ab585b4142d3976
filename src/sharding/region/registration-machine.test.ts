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
  expect(hear({ type: 'ShardHomes', term: 1, homes: [] })).toEqual([])
  expect(hear({ type: 'RegisterAck', term: 1 })).toEqual([{ type: 'Registered' }])
  const refused = { type: 'RegisterRefused', term: 1, problem: 'it counts other shards' } as const
  expect(hear(refused)).toEqual([{ type: 'Refused', problem: 'it counts other shards' }])
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
