import { describe, expect, test } from 'vitest'
import type { ToRegion } from '../sharding-messages.ts'
import { shardingSettings } from '../sharding-settings.ts'
import type { RegionEffect, RegionInput } from './region-inputs.ts'
import { RegionMachine } from './region-machine.ts'

const settings = shardingSettings({ numberOfShards: 16 })

/** A region that hosts shard 7, and what it says. */
function hosting() {
  const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
  const step = (input: RegionInput<string>) => machine.step(input).map(word)
  const hear = (message: ToRegion, coordinator = 'k') =>
    step({ type: 'FromCoordinator', coordinator, message })
  step({ type: 'Started', candidates: ['k'] })
  hear({ type: 'RegisterAck', term: 1 })
  hear({ type: 'HostShard', shard: 7, home: 'me', epoch: 1, term: 1, turn: 1 })
  return { machine, step, hear }
}

function word(effect: RegionEffect<string>): string {
  if (effect.type === 'SendToCoordinator') return `${effect.to} ${effect.message.type}`
  return effect.type === 'StopShard'
    ? `StopShard ${effect.shard}${effect.isForced ? ' by force' : ''}`
    : effect.type
}

describe('a region before the stop of the whole cluster', () => {
  test('tells the coordinator until it has confirmed, and the next one again', () => {
    const { step, hear } = hosting()
    expect(step({ type: 'PrepareForShutdown' })).toEqual(['k PrepareForShutdown'])
    const retry = () => step({ type: 'TimerFired', timer: 'retry' })
    expect(retry()).toContain('k PrepareForShutdown')
    expect(hear({ type: 'ShutdownPrepared', term: 1 })).toEqual(['Prepared'])
    expect(retry()).not.toContain('k PrepareForShutdown')
    expect(hear({ type: 'RegisterAck', term: 2 }, 'l')).toContain('l PrepareForShutdown')
  })

  test('goes on, and stops in good order where it is when it is told to', () => {
    const { machine, step, hear } = hosting()
    hear({ type: 'ShutdownPrepared', term: 1 })
    expect(machine.snapshot()).toMatchObject({ phase: 'serving', isPreparing: true })
    expect(step({ type: 'Message', shard: 7, parcel: 'm' })).toEqual(['Deliver'])
    const told = step({ type: 'GracefulShutdown', isMember: true })
    expect(told).toEqual(['StartTimer', 'StopShard 7'])
    // It takes nothing new.
    const other = { shard: 8, home: 'me', epoch: 2, term: 1, turn: 2 }
    expect(hear({ type: 'HostShard', ...other })).toContain('k ShardStopped')
    const done = step({ type: 'ShardTerminated', shard: 7 })
    expect(done.slice(-2)).toEqual(['k RegionStopped', 'Finish'])
  })

  test('is forced when time is up, and says what it left', () => {
    const { step, hear } = hosting()
    hear({ type: 'ShutdownPrepared', term: 1 })
    step({ type: 'GracefulShutdown', isMember: true })
    expect(step({ type: 'TimerFired', timer: 'shutdown' })).toEqual([
      ...['LeftBehind', 'StopShard 7 by force'],
    ])
  })

  test('ends its hand-over when it hears of it meanwhile', () => {
    const { step, hear } = hosting()
    expect(step({ type: 'GracefulShutdown', isMember: true })).toContain('k GracefulShutdownReq')
    expect(hear({ type: 'ShutdownPrepared', term: 1 })).toEqual(['Prepared', 'StopShard 7'])
  })

  describe('with entities of other types on its node', () => {
    const leave = { type: 'GracefulShutdown', isMember: true, staysForOthers: true } as const
    const elsewhere = { shard: 3, home: 'other', epoch: 4, term: 1, turn: 4 }

    test('goes on routing when nothing lives here any more, until they have ended', () => {
      const { machine, step, hear } = hosting()
      hear({ type: 'ShutdownPrepared', term: 1 })
      expect(step(leave)).toEqual(['StartTimer', 'StopShard 7', 'k GracefulShutdownReq'])
      expect(step({ type: 'ShardTerminated', shard: 7 })).toContain('Emptied')
      // It waits, and is sent on: it was dropped before.
      expect(step({ type: 'Message', shard: 3, parcel: 'm' })).toContain('k GetShardHome')
      expect(hear({ type: 'ShardHome', ...elsewhere })).toContain('SendToPeer')
      expect(machine.snapshot().phase).toBe('ending')
      expect(step({ type: 'OthersEmptied' }).slice(-2)).toEqual(['k RegionStopped', 'Finish'])
    })

    test('says at once what nobody else could take', () => {
      const { step, hear } = hosting()
      hear({ type: 'ShutdownPrepared', term: 1 })
      step(leave)
      step({ type: 'ShardTerminated', shard: 7 })
      step({ type: 'Message', shard: 3, parcel: 'm' })
      expect(hear({ type: 'NoOtherRegion', term: 1 })).toEqual(['Drop'])
    })

    test('does not stay when time is up', () => {
      const { step, hear } = hosting()
      hear({ type: 'ShutdownPrepared', term: 1 })
      step(leave)
      expect(step({ type: 'EndNow' })).toContain('StopShard 7 by force')
      expect(step({ type: 'ShardTerminated', shard: 7 })).toContain('Finish')
    })

    test('stays also when it hears of it while it leaves', () => {
      const { step, hear } = hosting()
      expect(step(leave)).toContain('k GracefulShutdownReq')
      expect(hear({ type: 'ShutdownPrepared', term: 1 })).toContain('StopShard 7')
      expect(step({ type: 'ShardTerminated', shard: 7 })).not.toContain('Finish')
      expect(step({ type: 'OthersEmptied' })).toContain('Finish')
    })
  })
})
