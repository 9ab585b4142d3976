/** A node whose actors are stopped before everything was handed over tells what is lost with it. */
import { expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { ShardMachine } from '../shard/shard-machine.ts'
import { defaultShardingSettings } from '../sharding-settings.ts'
import { RegionMachine } from './region-machine.ts'

const self = nodeIdOf('a:1', 1n)

test('messages that wait in a region for a home', () => {
  const region = new RegionMachine<string>({
    self,
    isProxy: false,
    settings: defaultShardingSettings,
  })
  region.step({ type: 'Message', shard: 7, parcel: 'early' })
  const lost = { type: 'Drop', parcel: 'early', reason: 'region-stopped' }
  expect(region.step({ type: 'Abandoned' })).toEqual([lost])
  expect(region.step({ type: 'Abandoned' })).toEqual([])
  const late = { type: 'Drop', parcel: 'late', reason: 'region-stopped' }
  expect(region.step({ type: 'Message', shard: 7, parcel: 'late' })).toEqual([late])
})

test('messages that wait in a shard for an entity that stops', () => {
  const shard = new ShardMachine<object, string>(defaultShardingSettings, {
    mailIn: () => 0,
    isRecovering: () => false,
  })
  const message = { type: 'Message', entityId: 'x', origin: undefined } as const
  shard.step({ ...message, parcel: 'first' })
  shard.step({ type: 'Passivate', entityId: 'x', instance: 1 })
  shard.step({ ...message, parcel: 'second' })
  const lost = { type: 'Drop', parcel: 'second', reason: 'region-stopped' }
  expect(shard.step({ type: 'Abandoned' })).toEqual([lost])
  expect(shard.step({ type: 'Abandoned' })).toEqual([])
})
