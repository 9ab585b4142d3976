import { describe, expect, test } from 'vitest'
import { ActiveEntities } from '../passivation/active-entities.ts'
import { makeStrategy } from '../passivation/make-strategy.ts'
import type { LimitedPassivation } from '../passivation/passivation-options.ts'
import { shardingSettings } from '../sharding-settings.ts'
import type { ShardEffect, ShardInput } from './shard-inputs.ts'
import { ShardMachine } from './shard-machine.ts'

/** A shard that may have so many active entities, spoken to by letters. */
function shard(limit: number, given: Omit<LimitedPassivation, 'activeEntityLimit'> = {}) {
  const { replacement = 'least-recently-used' } = given
  const active = new ActiveEntities(makeStrategy({ ...given, replacement }), limit)
  const look = { mailIn: () => 0, isRecovering: () => false }
  const settings = shardingSettings({ passivateIdleAfterMs: Infinity })
  const machine = new ShardMachine<string, string>(settings, look, { active })
  const step = (input: ShardInput<string>): string[] => words(machine.step(input))
  const send = (entityId: string, parcel = 'hi') => step({ type: 'Message', entityId, parcel })
  const ended = (entityId: string, instance: number) =>
    step({ type: 'EntityTerminated', entityId, instance })
  return { machine, step, send, ended }
}

/** Effects but those of timers, on one line each: `Deliver e1 hello`. */
function words(effects: readonly ShardEffect<string>[]): string[] {
  return effects.flatMap((effect) => {
    if ('timer' in effect) return []
    const who = 'instance' in effect ? ` ${effect.entityId}${effect.instance}` : ''
    return `${effect.type}${who}${'parcel' in effect ? ` ${effect.parcel}` : ''}`
  })
}

describe('a shard with a limit', () => {
  test('asks one to stop behind its mail when there is no room; what comes meanwhile waits for its next life', () => {
    const { machine, send, ended } = shard(2)
    send('a')
    send('b')
    expect(machine.touch('a')?.entityId).toBe('a')
    expect(send('c')).toEqual(['StartEntity c3', 'Deliver c3 hi', 'StopEntity b2'])
    expect(machine.touch('b')).toBeUndefined()
    expect(send('b', 'later')).toEqual([])
    expect(ended('b', 2)).toEqual(['StartEntity b4', 'Deliver b4 later', 'StopEntity a1'])
  })

  test('does not count one that asked for rest, or ended by itself', () => {
    const { send, step, ended } = shard(2)
    send('a')
    send('b')
    expect(step({ type: 'Passivate', entityId: 'a', instance: 1 })).toEqual(['StopEntity a1'])
    expect(send('c')).toEqual(['StartEntity c3', 'Deliver c3 hi'])
    expect(ended('b', 2)).toEqual([])
    expect(send('d')).toEqual(['StartEntity d4', 'Deliver d4 hi'])
    expect(send('e')).toEqual(['StartEntity e5', 'Deliver e5 hi', 'StopEntity c3'])
  })

  test('counts one that does not stop in good time until it has ended', () => {
    const { send, step, ended } = shard(3)
    for (const letter of 'abc') send(letter)
    expect(send('d')).toContain('StopEntity a1')
    expect(step({ type: 'TimerFired', timer: 'grace' })).toEqual([
      'HurryEntity a1',
      'StopEntity b2',
    ])
    expect(ended('b', 2)).toEqual([])
    expect(send('e')).toContain('StopEntity c3')
    expect(ended('c', 3)).toEqual([])
    expect(ended('a', 1)).toEqual([])
    expect(send('f')).toEqual(['StartEntity f6', 'Deliver f6 hi'])
  })

  test('one that is not worth a place gets its message before it stops', () => {
    const { send } = shard(1, { admission: { filter: 'frequency-sketch' } })
    send('a')
    expect(send('b')).toEqual(['StartEntity b2', 'Deliver b2 hi', 'StopEntity b2'])
  })

  test('holds a smaller limit at once', () => {
    const { send, step } = shard(4)
    for (const letter of 'abcd') send(letter)
    expect(step({ type: 'LimitActiveEntities', limit: 2 })).toEqual([
      'StopEntity a1',
      'StopEntity b2',
    ])
    expect(step({ type: 'LimitActiveEntities', limit: 2 })).toEqual([])
  })

  test('asks nobody to stop while it is frozen, and makes up for it, behind what waited', () => {
    const { send, step } = shard(3)
    for (const letter of 'abc') send(letter)
    step({ type: 'Frozen' })
    expect(step({ type: 'LimitActiveEntities', limit: 2 })).toEqual([])
    expect(send('a', 'waits')).toEqual([])
    expect(send('d')).toEqual([])
    // There is room for two, and d is new: a and b have to rest, and a not before it got its message.
    expect(step({ type: 'Thawed' })).toEqual([
      'Deliver a1 waits',
      'StartEntity d4',
      'Deliver d4 hi',
      'StopEntity a1',
      'StopEntity b2',
    ])
  })

  test('holds a limit that it was told while it waited for its lease', () => {
    const active = new ActiveEntities(makeStrategy({ replacement: 'least-recently-used' }), 9)
    const look = { mailIn: () => 0, isRecovering: () => false }
    const duties = { hasLease: true, active }
    const machine = new ShardMachine<string, string>(shardingSettings(), look, duties)
    machine.step({ type: 'Begin' })
    machine.step({ type: 'LimitActiveEntities', limit: 1 })
    machine.step({ type: 'LeaseAcquired' })
    machine.step({ type: 'Message', entityId: 'a', parcel: 'hi' })
    const effects = words(machine.step({ type: 'Message', entityId: 'b', parcel: 'hi' }))
    expect(effects).toEqual(['StartEntity b2', 'Deliver b2 hi', 'StopEntity a1'])
  })

  test('asks nobody to stop for a limit while it is handed off', () => {
    const { send, step, ended } = shard(2)
    for (const letter of 'ab') send(letter)
    expect(step({ type: 'HandOff', isForced: false })).toEqual(['StopEntity a1', 'StopEntity b2'])
    expect(step({ type: 'LimitActiveEntities', limit: 1 })).toEqual([])
    expect([...ended('a', 1), ...ended('b', 2)]).toEqual(['Finish'])
  })
})
