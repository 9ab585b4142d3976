/** A shard that remembers its entities and has room for some of them only, which its definition has to choose. */
import { expect, test } from 'vitest'
import { ActiveEntities } from '../passivation/active-entities.ts'
import { makeStrategy } from '../passivation/make-strategy.ts'
import { shardingSettings } from '../sharding-settings.ts'
import type { ShardEffect, ShardInput } from './shard-inputs.ts'
import { ShardMachine } from './shard-machine.ts'

/** Effects but those of timers, on one line each. */
function words(effects: readonly ShardEffect<string>[]): string[] {
  return effects.flatMap((effect) => {
    if ('timer' in effect) return []
    const who = 'instance' in effect ? ` ${effect.entityId}${effect.instance}` : ''
    const { started = [], stopped = [] } = 'change' in effect ? effect.change : {}
    const change = [...started.map((id) => ` +${id}`), ...stopped.map((id) => ` -${id}`)].join('')
    return `${effect.type}${who}${change}${'parcel' in effect ? ` ${effect.parcel}` : ''}`
  })
}

/** One that serves, with room for so many, and with these remembered. */
function serving(limit: number, ...ids: readonly string[]) {
  const active = new ActiveEntities(makeStrategy({ replacement: 'least-recently-used' }), limit)
  const look = { mailIn: () => 0, isRecovering: () => false }
  const settings = shardingSettings({ passivateIdleAfterMs: Infinity })
  const machine = new ShardMachine<string, string>(settings, look, { remembers: true, active })
  const step = (input: ShardInput<string>): string[] => words(machine.step(input))
  step({ type: 'Begin' })
  step({ type: 'Loading', change: { started: ids, stopped: [] } })
  step({ type: 'Loaded' })
  return {
    machine,
    step,
    send: (entityId: string, parcel = 'hi') => step({ type: 'Message', entityId, parcel }),
    ended: (entityId: string, instance: number) =>
      step({ type: 'EntityTerminated', entityId, instance }),
  }
}

test('one that has to rest for another is forgotten when it has ended, and not before', () => {
  const { send, step, ended } = serving(1, 'a')
  expect(step({ type: 'Recover', entityIds: ['a'] })).toEqual(['StartEntity a1'])
  expect(send('b')).toEqual(['StoreRemembered +b'])
  expect(step({ type: 'Stored' })).toEqual(['StartEntity b2', 'Deliver b2 hi', 'StopEntity a1'])
  expect(ended('a', 1)).toEqual(['StoreRemembered -a'])
  expect(step({ type: 'Stored' })).toEqual([])
})

test('one that gets a message while it stops for want of room stays remembered, without a write', () => {
  const { machine, send, step, ended } = serving(1, 'a')
  step({ type: 'Recover', entityIds: ['a'] })
  send('b')
  step({ type: 'Stored' })
  expect(send('a', 'late')).toEqual([])
  expect(ended('a', 1)).toEqual(['StartEntity a3', 'Deliver a3 late', 'StopEntity b2'])
  expect(ended('b', 2)).toEqual(['StoreRemembered -b'])
  step({ type: 'Stored' })
  expect([...machine.remembered]).toEqual(['a'])
})

test('of more than there is room for, some are started and rest again, and then as many are remembered as run', () => {
  const { machine, step, ended } = serving(2, 'a', 'b', 'c', 'd')
  const effects = step({ type: 'Recover', entityIds: ['a', 'b', 'c', 'd'] })
  expect(effects).toEqual([
    ...['StartEntity a1', 'StartEntity b2', 'StartEntity c3', 'StopEntity a1'],
    ...['StartEntity d4', 'StopEntity b2'],
  ])
  expect(ended('a', 1)).toEqual(['StoreRemembered -a'])
  expect(ended('b', 2)).toEqual([])
  expect(step({ type: 'Stored' })).toEqual(['StoreRemembered -b'])
  expect(step({ type: 'Stored' })).toEqual([])
  expect([...machine.remembered].sort()).toEqual(['c', 'd'])
})

test('one that fails keeps no place, and finds one when it is started again', () => {
  const { step, send, ended } = serving(1, 'a')
  step({ type: 'Recover', entityIds: ['a'] })
  expect(ended('a', 1)).toEqual([])
  send('b')
  expect(step({ type: 'Stored' })).toEqual(['StartEntity b2', 'Deliver b2 hi'])
  expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual([
    'StartEntity a3',
    'StopEntity b2',
  ])
})
