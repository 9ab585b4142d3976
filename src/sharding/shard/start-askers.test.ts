import { describe, expect, test } from 'vitest'
import { shardingSettings } from '../sharding-settings.ts'
import type { ShardEffect, ShardInput } from './shard-inputs.ts'
import { ShardMachine } from './shard-machine.ts'

/** One that remembers and serves, with these asleep. */
function serving(...asleep: readonly string[]) {
  const look = { mailIn: () => 0, isRecovering: () => false }
  const settings = shardingSettings({ passivateIdleAfterMs: Infinity })
  const machine = new ShardMachine<string, string>(settings, look, { remembers: true })
  const step = (input: ShardInput<string>): string[] => machine.step(input).map(word)
  step({ type: 'Begin' })
  step({ type: 'Loading', change: { started: asleep, stopped: [] } })
  step({ type: 'Loaded' })
  const start = (entityIds: readonly string[], asker: object = {}) =>
    step({ type: 'StartEntities', entityIds, asker })
  return { step, start }
}

function word(effect: ShardEffect<string>): string {
  if (effect.type === 'StoreRemembered') return `Store ${effect.change.started.join()}`
  if ('entityIds' in effect) return `${effect.type} ${effect.entityIds.join()}`
  return 'entityId' in effect ? `${effect.type} ${effect.entityId}` : effect.type
}

describe('entities that shall start without a message', () => {
  test('SH-037 are stored first, and answered for then', () => {
    const { step, start } = serving()
    expect(start(['e'])).toEqual(['Store e', 'StartTimer'])
    expect(start(['e'])).toEqual([])
    expect(step({ type: 'Stored' })).toEqual([
      ...['CancelTimer', 'StartEntity e', 'EntitiesAreStarted e', 'EntitiesAreStarted e'],
    ])
    expect(start(['e'])).toEqual(['EntitiesAreStarted e'])
  })

  test('SH-037 share a write, and an answer to each who asked', () => {
    const { step, start } = serving('asleep')
    expect(start(['a', 'asleep', 'b', 'c'])).toEqual([
      ...['StartEntity asleep', 'Store a,b,c', 'StartTimer', 'EntitiesAreStarted asleep'],
    ])
    start(['b'])
    const answers = step({ type: 'Stored' }).filter((text) => text.startsWith('EntitiesAre'))
    expect(answers).toEqual(['EntitiesAreStarted a,b,c', 'EntitiesAreStarted b'])
  })

  test('are not answered for when they were stored while nothing may start', () => {
    const { step, start } = serving()
    start(['e'])
    step({ type: 'Frozen' })
    expect(step({ type: 'Stored' })).toEqual(['CancelTimer'])
    expect(step({ type: 'Thawed' })).toEqual(['RecoverEntities'])
    // Nobody is kept from the time before.
    expect(start(['e'])).toEqual(['StartEntity e', 'EntitiesAreStarted e'])
  })
})
