/** The machine of a shard that remembers its entities, or has a lease. */
import { describe, expect, test } from 'vitest'
import { shardingSettings } from '../sharding-settings.ts'
import { ShardMachine } from './shard-machine.ts'
import type { ShardEffect, ShardInput } from './shard-inputs.ts'

const settings = shardingSettings({
  ...{ passivateIdleAfterMs: Infinity, entityBufferedMessagesMax: 10 },
  ...{ entityRestartBackoffMs: 1_000, shardFailureBackoffMs: 3_000 },
})

function words(effects: readonly ShardEffect<string>[]): string[] {
  return effects.map((effect) => {
    const parts: unknown[] = [effect.type]
    const instance = 'instance' in effect ? effect.instance : ''
    if ('entityId' in effect) parts.push(`${effect.entityId}${instance}`)
    if ('parcel' in effect) parts.push(effect.parcel)
    if ('reason' in effect) parts.push(effect.reason)
    if ('timer' in effect) parts.push(effect.timer)
    if ('change' in effect) {
      parts.push(...effect.change.started.map((id) => `+${id}`))
      parts.push(...effect.change.stopped.map((id) => `-${id}`))
    }
    if (effect.type === 'Finish' && effect.restartAfterMs !== undefined) {
      parts.push(effect.restartAfterMs)
    }
    return parts.join(' ')
  })
}

function machineWith(duties = { remembers: true, hasLease: false }) {
  const look = { mailIn: () => 0, isRecovering: () => false }
  const machine = new ShardMachine<string, string>(settings, look, duties)
  const step = (input: ShardInput<string>): string[] => words(machine.step(input))
  return {
    machine,
    step,
    send: (parcel: string, entityId = 'e') => step({ type: 'Message', entityId, parcel }),
    ended: (entityId: string, instance: number) =>
      step({ type: 'EntityTerminated', entityId, instance }),
  }
}

/** One that serves, with these remembered. */
function serving(...ids: readonly string[]) {
  const made = machineWith()
  made.step({ type: 'Begin' })
  if (ids.length > 0) made.step({ type: 'Loading', change: { started: ids, stopped: [] } })
  made.step({ type: 'Loaded' })
  return made
}

const handOff = { type: 'HandOff', isForced: false } as const

describe('a shard that remembers', () => {
  test('loads first, and starts what it has loaded, as far as it is told to', () => {
    const { machine, step } = machineWith()
    expect(step({ type: 'Begin' })).toEqual(['LoadRemembered', 'StartTimer store'])
    step({ type: 'Loading', change: { started: ['a', 'b', 'c'], stopped: [] } })
    step({ type: 'Loading', change: { started: [], stopped: ['b'] } })
    expect(machine.isServing).toBe(false)
    expect(step({ type: 'Loaded' })).toEqual(['CancelTimer store', 'Ready', 'RecoverEntities'])
    expect([...machine.nextAsleep(10)].sort()).toEqual(['a', 'c'])
    expect(step({ type: 'Recover', entityIds: ['a', 'c'] })).toEqual([
      ...['StartEntity a1', 'StartEntity c2'],
    ])
    expect(machine.nextAsleep(10)).toEqual([])
  })

  test('starts very many that failed together some at a time', () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => `e${index}`)
    const { machine, step, ended } = serving(...ids)
    step({ type: 'Recover', entityIds: machine.nextAsleep(5_000) })
    for (const id of ids) ended(id, machine.entityOf(id)?.instance ?? 0)
    const started: number[] = []
    // The first one's time had begun when the others failed.
    for (let turn = 0; turn < 4; turn++) {
      const effects = step({ type: 'TimerFired', timer: 'restart' })
      started.push(effects.filter((effect) => effect.startsWith('StartEntity')).length)
      expect(effects.includes('StartTimer restart')).toBe(turn < 3)
    }
    expect(started).toEqual([1, 2_000, 2_000, 999])
  })

  test('stores a start before the entity exists and before its first message', () => {
    const { step, send, machine } = serving()
    expect(send('1')).toEqual(['StoreRemembered +e', 'StartTimer store'])
    expect(send('2')).toEqual([])
    expect(machine.touch('e')).toBeUndefined()
    expect(step({ type: 'Stored' })).toEqual([
      ...['CancelTimer store', 'StartEntity e1', 'Deliver e1 1', 'Deliver e1 2'],
    ])
    expect(send('3')).toEqual(['Deliver e1 3'])
  })

  test('starts one that was loaded with its first message at once: it is remembered already', () => {
    const { send } = serving('e')
    expect(send('1')).toEqual(['StartEntity e1', 'Deliver e1 1'])
  })

  test('SH-034 has one write under way, and the next takes everything that gathered', () => {
    const { step, send, ended } = serving()
    send('1', 'a')
    step({ type: 'Stored' })
    expect(send('1', 'b')).toEqual(['StoreRemembered +b', 'StartTimer store'])
    expect([send('1', 'c'), send('1', 'd')]).toEqual([[], []])
    step({ type: 'Passivate', entityId: 'a', instance: 1 })
    expect(ended('a', 1)).toEqual([])
    expect(step({ type: 'Stored' })).toEqual([
      ...['CancelTimer store', 'StoreRemembered +c +d -a', 'StartTimer store'],
      ...['StartEntity b2', 'Deliver b2 1'],
    ])
  })

  test('messages to running entities never wait for the store', () => {
    const { step, send, machine } = serving()
    send('1', 'a')
    step({ type: 'Stored' })
    Object.assign(machine.entityOf('a') ?? {}, { cell: 'cell' })
    send('1', 'b')
    expect(machine.touch('a')?.cell).toBe('cell')
  })

  test('SH-030 forgets one that was passivated, after it has ended', () => {
    const { step, send, ended, machine } = serving('e')
    send('1')
    expect(step({ type: 'Passivate', entityId: 'e', instance: 1 })).toContain('StopEntity e1')
    expect(ended('e', 1)).toEqual(['StoreRemembered -e', 'StartTimer store'])
    expect(step({ type: 'Stored' })).toEqual(['CancelTimer store'])
    expect(machine.entities.ids).toEqual([])
    expect(send('2')).toEqual(['StoreRemembered +e', 'StartTimer store'])
  })

  test('starts one anew that a message waits for when its stop has been stored', () => {
    const { step, send, ended } = serving('e')
    send('1')
    step({ type: 'Passivate', entityId: 'e', instance: 1 })
    ended('e', 1)
    expect(send('2')).toEqual([])
    expect(step({ type: 'Stored' })).toEqual([
      ...['CancelTimer store', 'StoreRemembered +e', 'StartTimer store'],
    ])
    expect(step({ type: 'Stored' })).toContain('Deliver e2 2')
  })

  test('lets one that ended by itself rest, and starts it again after a while, without a write', () => {
    const { step, send, ended, machine } = serving('e')
    send('1')
    expect(ended('e', 1)).toEqual(['StartTimer restart'])
    expect(machine.entities.ids).toEqual([])
    expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual(['StartEntity e2'])
    expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual([])
  })

  test('starts one that rests with its next message, and not once more when its time is over', () => {
    const { step, send, ended } = serving('e')
    send('1')
    ended('e', 1)
    expect(send('2')).toEqual(['StartEntity e2', 'Deliver e2 2'])
    step({ type: 'Passivate', entityId: 'e', instance: 2 })
    expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual([])
    expect(ended('e', 2)).toEqual(['StoreRemembered -e', 'StartTimer store'])
  })

  test('starts one once that failed twice while the rest of another went on', () => {
    const { step, send, ended } = serving('other', 'e')
    send('1', 'other')
    send('1')
    ended('other', 1)
    ended('e', 2)
    send('2')
    ended('e', 3)
    expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual([
      ...['StartEntity other4', 'StartTimer restart'],
    ])
    expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual(['StartEntity e5'])
    expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual([])
  })

  test('lets one that a message started, and that failed again, rest anew', () => {
    const { step, send, ended } = serving('e')
    send('1')
    ended('e', 1)
    send('2')
    ended('e', 2)
    expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual(['StartTimer restart'])
    expect(step({ type: 'TimerFired', timer: 'restart' })).toEqual(['StartEntity e3'])
  })

  test('SH-037 stores an entity that shall start without a message, and answers then', () => {
    const { step } = serving()
    const asker = {}
    expect(step({ type: 'StartEntity', entityId: 'e', asker })).toContain('StoreRemembered +e')
    expect(step({ type: 'StartEntity', entityId: 'e', asker: {} })).toEqual([])
    expect(step({ type: 'Stored' })).toEqual([
      ...['CancelTimer store', 'StartEntity e1', 'EntityIsStarted e', 'EntityIsStarted e'],
    ])
    expect(step({ type: 'StartEntity', entityId: 'e', asker })).toEqual(['EntityIsStarted e'])
  })

  test('SH-038 forgets what belongs to another shard after it was started there', () => {
    const { step, machine } = serving('a', 'b')
    step({ type: 'BelongElsewhere', entityIds: ['b'] })
    expect(machine.nextAsleep(10)).toEqual(['a'])
    expect([...machine.remembered]).toEqual(['a', 'b'])
    expect(step({ type: 'MovedAway', entityIds: ['b'] })).toContain('StoreRemembered -b')
    expect(step({ type: 'MovedAway', entityIds: ['b'] })).toEqual([])
  })

  test('tells its store all that is remembered, and nothing else', () => {
    const { send, step, ended, machine } = serving('asleep', 'runs', 'rests', 'gone')
    for (const id of ['runs', 'rests', 'gone']) send('1', id)
    ended('rests', 2)
    step({ type: 'Passivate', entityId: 'gone', instance: 3 })
    ended('gone', 3)
    send('1', 'new')
    expect([...machine.remembered].sort()).toEqual(['asleep', 'rests', 'runs'])
  })
})

describe('a store that fails', () => {
  test('SH-040 ends a shard that loads, which begins anew after a while', () => {
    const { step } = machineWith()
    step({ type: 'Begin' })
    const failed = step({ type: 'StoreFailed' })
    expect([failed[0], failed.at(-1)]).toEqual(['Unready', 'Finish 3000'])
    expect(step({ type: 'Loaded' })).toEqual([])
  })

  test('SH-040 or is silent for too long', () => {
    const { step } = machineWith()
    step({ type: 'Begin' })
    expect(step({ type: 'TimerFired', timer: 'store' }).at(-1)).toBe('Finish 3000')
  })

  test('SH-040 ends all entities and drops what waits, with a reason', () => {
    const { step, send, ended } = serving('a')
    send('1', 'a')
    send('2', 'b')
    const failed = step({ type: 'StoreFailed' })
    expect(failed).toContain('ForceStop a1')
    expect(failed).toContain('Drop 2 shard-failed')
    expect(failed).not.toContain('Finish 3000')
    expect(send('3', 'a')).toEqual(['Drop 3 shard-failed'])
    expect(ended('a', 1)).toEqual(['CancelTimer force-stop', 'Finish 3000'])
    expect(step({ type: 'Stored' })).toEqual([])
  })
})

describe('a hand-off of a shard that remembers', () => {
  test('B12 ends one that loads at once', () => {
    const { step } = machineWith()
    step({ type: 'Begin' })
    expect(step(handOff)).toEqual(['CancelTimer force-stop', 'Finish'])
    expect(step({ type: 'Loaded' })).toEqual([])
  })

  test('stores nothing of those that end by it, or that rest', () => {
    const { step, send, ended } = serving('a', 'b')
    send('1', 'a')
    send('1', 'b')
    ended('b', 2)
    expect(step(handOff)).toContain('StopEntity a1')
    expect(ended('a', 1)).toEqual(['CancelTimer force-stop', 'Finish'])
  })

  test('waits for the write that messages wait for, delivers them, and stops behind that', () => {
    const { step, send, ended } = serving()
    send('1', 'a')
    send('1', 'b')
    expect(step(handOff)).toEqual(['StartTimer force-stop'])
    expect(step({ type: 'Stored' })).toEqual([
      ...['CancelTimer store', 'StoreRemembered +b', 'StartTimer store'],
      ...['StartEntity a1', 'Deliver a1 1', 'StopEntity a1', 'StartTimer grace'],
    ])
    ended('a', 1)
    expect(step({ type: 'Stored' })).toContain('StopEntity b2')
    expect(ended('b', 2)).toEqual(['CancelTimer force-stop', 'Finish'])
  })

  test('B12 does not wait for a store that does not answer longer than entities may take to stop', () => {
    const { step, send } = serving()
    send('1', 'a')
    step(handOff)
    expect(step({ type: 'TimerFired', timer: 'force-stop' })).toEqual([
      ...['Drop 1 hand-off-timeout', 'CancelTimer force-stop', 'Finish'],
    ])
  })

  test('ends with a stop stored that was on its way', () => {
    const { step, send, ended } = serving('a')
    send('1', 'a')
    step({ type: 'Passivate', entityId: 'a', instance: 1 })
    ended('a', 1)
    expect(step(handOff)).toEqual(['StartTimer force-stop', 'StartTimer grace'])
    expect(step({ type: 'Stored' })).toEqual([
      ...['CancelTimer store', 'CancelTimer force-stop', 'Finish'],
    ])
  })
})

describe('a shard that remembers, on a node that is frozen', () => {
  test('stores and starts nothing until the thaw', () => {
    const { step, send, machine } = serving('a', 'b')
    step({ type: 'Frozen' })
    expect([send('1', 'a'), send('1', 'new'), machine.nextAsleep(10)]).toEqual([[], [], []])
    expect(step({ type: 'Recover', entityIds: ['b'] })).toEqual([])
    expect(step({ type: 'Thawed' })).toEqual([
      ...['StartEntity a1', 'Deliver a1 1', 'StoreRemembered +new', 'StartTimer store'],
      'RecoverEntities',
    ])
  })

  test('starts after the thaw what was stored meanwhile', () => {
    const { step, send } = serving()
    send('1', 'a')
    step({ type: 'Frozen' })
    expect(step({ type: 'Stored' })).toEqual(['CancelTimer store'])
    expect(step({ type: 'Thawed' })).toEqual(['StartEntity a1', 'Deliver a1 1'])
  })

  test('starts one again after the thaw that ended while messages waited', () => {
    const { step, send, ended } = serving('a')
    send('1', 'a')
    step({ type: 'Frozen' })
    send('2', 'a')
    expect(ended('a', 1)).toEqual([])
    expect(step({ type: 'Thawed' })).toEqual(['StartEntity a2', 'Deliver a2 2'])
  })
})

describe('a shard with a lease', () => {
  const leased = () => machineWith({ remembers: false, hasLease: true })

  test('SH-052 does nothing before it has the lease, and asks again for one that it did not get', () => {
    const { step } = leased()
    expect(step({ type: 'Begin' })).toEqual(['AcquireLease'])
    expect(step({ type: 'LeaseRefused' })).toEqual(['StartTimer lease'])
    expect(step({ type: 'TimerFired', timer: 'lease' })).toEqual(['AcquireLease'])
    expect(step({ type: 'LeaseAcquired' })).toEqual(['CancelTimer store', 'Ready'])
  })

  test('loads only when it has it', () => {
    const { step } = machineWith({ remembers: true, hasLease: true })
    expect(step({ type: 'Begin' })).toEqual(['AcquireLease'])
    expect(step({ type: 'LeaseAcquired' })).toEqual(['LoadRemembered', 'StartTimer store'])
  })

  test('B12 hands off at once while it waits for the lease, which it gives back', () => {
    const { step } = leased()
    step({ type: 'Begin' })
    expect(step(handOff)).toEqual(['CancelTimer force-stop', 'ReleaseLease'])
    expect(step({ type: 'LeaseAcquired' })).toEqual([])
    expect(step({ type: 'LeaseReleased' })).toEqual(['Finish'])
  })

  test('B19 gives it back before it says that it has ended', () => {
    const { step, send, ended } = leased()
    step({ type: 'Begin' })
    step({ type: 'LeaseAcquired' })
    send('1')
    step(handOff)
    expect(ended('e', 1)).toEqual(['CancelTimer force-stop', 'ReleaseLease'])
    expect(step({ type: 'LeaseReleased' })).toEqual(['Finish'])
  })

  test('SH-053 ends its entities at once without a stop message when it is lost, and begins anew', () => {
    const { step, send, ended } = leased()
    step({ type: 'Begin' })
    step({ type: 'LeaseAcquired' })
    send('1')
    const lost = step({ type: 'LeaseLost' })
    expect(lost).toContain('ForceStop e1')
    expect(lost.filter((word) => word.startsWith('StopEntity'))).toEqual([])
    expect(ended('e', 1)).toEqual(['CancelTimer force-stop', 'ReleaseLease'])
    expect(step({ type: 'LeaseReleased' })).toEqual(['Finish 0'])
  })

  test('SH-053 also while it loads, or hands off', () => {
    const loading = machineWith({ remembers: true, hasLease: true })
    loading.step({ type: 'Begin' })
    loading.step({ type: 'LeaseAcquired' })
    expect(loading.step({ type: 'LeaseLost' })).toContain('ReleaseLease')
    const leaving = leased()
    leaving.step({ type: 'Begin' })
    leaving.step({ type: 'LeaseAcquired' })
    leaving.send('1')
    leaving.step(handOff)
    expect(leaving.step({ type: 'LeaseLost' })).toContain('ForceStop e1')
  })
})
