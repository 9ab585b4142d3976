import { describe, expect, test } from 'vitest'
import { shardingSettings } from '../sharding-settings.ts'
import { ShardMachine } from './shard-machine.ts'
import type { ShardEffect } from './shard-inputs.ts'

const settings = shardingSettings({ passivateIdleAfterMs: 1_000, passivationTimeoutMs: 2_000 })

/** `mail` is what waits in every mailbox; those in `recovering` are. */
function shard(chosen = settings, mail = 0) {
  const recovering = new Set<string>()
  const machine = new ShardMachine<string, string>(chosen, {
    mailIn: () => mail,
    isRecovering: (cell) => recovering.has(cell),
  })
  const send = (parcel: string, entityId = 'e') =>
    words(machine.step({ type: 'Message', entityId, parcel }))
  const terminated = (instance: number, entityId = 'e') =>
    words(machine.step({ type: 'EntityTerminated', entityId, instance }))
  const passivate = (instance: number, entityId = 'e') =>
    words(machine.step({ type: 'Passivate', entityId, instance }))
  return { machine, send, terminated, passivate, recovering }
}

/** Effects on one line each: `Deliver e1 hello`, `StartTimer grace`. */
function words(effects: readonly ShardEffect<string>[]): string[] {
  return effects.map((effect) => {
    const instance = 'instance' in effect ? effect.instance : ''
    const who = 'entityId' in effect ? ` ${effect.entityId}${instance}` : ''
    const what =
      'parcel' in effect ? ` ${effect.parcel}` : 'timer' in effect ? ` ${effect.timer}` : ''
    return `${effect.type}${who}${what}${'reason' in effect ? ` ${effect.reason}` : ''}`
  })
}

describe('ShardMachine', () => {
  test('starts an entity with its first message and finds it from then on', () => {
    const { machine, send } = shard()
    expect(machine.touch('e')).toBeUndefined()
    expect(send('hello')).toEqual(['StartEntity e1', 'Deliver e1 hello'])
    expect(send('again')).toEqual(['Deliver e1 again'])
    expect(machine.touch('e')?.instance).toBe(1)
  })

  test('SH-003 keeps messages for a stopping entity and gives them to the next instance in order', () => {
    const { machine, send, terminated, passivate } = shard()
    send('a')
    expect(passivate(1)).toEqual(['StopEntity e1', 'StartTimer grace'])
    expect(machine.touch('e')).toBeUndefined()
    expect(send('b')).toEqual([])
    expect(send('c')).toEqual([])
    expect(terminated(1)).toEqual(['StartEntity e2', 'Deliver e2 b', 'Deliver e2 c'])
    expect(machine.entities.waitingCount).toBe(0)
  })

  test('answers one that was found before as long as it takes messages, and no longer', () => {
    const { machine, send, terminated, passivate } = shard()
    send('a')
    const found = machine.entityOf('e')!
    expect(machine.touchKnown(found)).toBe(found)
    machine.step({ type: 'Frozen' })
    expect(machine.touchKnown(found)).toBeUndefined()
    machine.step({ type: 'Thawed' })
    expect(machine.touchKnown(found)).toBe(found)
    passivate(1)
    expect(machine.touchKnown(found)).toBeUndefined()
    terminated(1)
    expect(machine.touchKnown(found)).toBeUndefined()
    send('b')
    // Another life of it.
    expect(machine.touchKnown(found)).toBeUndefined()
    expect(machine.touch('e')?.instance).toBe(2)
  })

  test('drops what a full mailbox has no room for', () => {
    const { machine, send } = shard(shardingSettings({ mailboxMessagesMax: 2 }), 2)
    expect(send('first')).toEqual(['StartEntity e1', 'Deliver e1 first'])
    Object.assign(machine.entityOf('e') ?? {}, { cell: 'cell' })
    expect(machine.touch('e')).toBeUndefined()
    expect(send('third')).toEqual(['Drop third mailbox-full'])
  })

  test('gives the next instance as much of what waited as its mailbox takes', () => {
    const { send, terminated, passivate } = shard(shardingSettings({ mailboxMessagesMax: 2 }))
    send('a')
    passivate(1)
    for (const parcel of ['b', 'c', 'd']) send(parcel)
    expect(terminated(1)).toEqual([
      ...['StartEntity e2', 'Deliver e2 b', 'Deliver e2 c', 'Drop d mailbox-full'],
    ])
  })

  test('asks an entity to stop only once', () => {
    const { send, passivate } = shard()
    send('a')
    passivate(1)
    expect(passivate(1)).toEqual([])
  })

  test('SH-018 forgets an entity that stopped by itself, and only that one', () => {
    const { machine, send, terminated } = shard()
    send('a', 'one')
    send('a', 'two')
    expect(terminated(1, 'one')).toEqual([])
    expect(machine.entities.ids).toEqual(['two'])
    expect(send('b', 'one')).toEqual(['StartEntity one3', 'Deliver one3 b'])
  })

  test('SH-019 ignores news of an earlier instance', () => {
    const { machine, send, terminated, passivate } = shard()
    send('a')
    passivate(1)
    terminated(1)
    send('b')
    expect(passivate(1)).toEqual([])
    expect(terminated(1)).toEqual([])
    expect(machine.touch('e')?.instance).toBe(2)
  })

  test('SH-054 stops an entity after its idle time, not before, and after any touch', () => {
    const { machine, send } = shard()
    const sweep = () => words(machine.step({ type: 'Sweep' }))
    send('a')
    expect(sweep()).toEqual([])
    expect(sweep()).toEqual([])
    machine.touch('e')
    expect([sweep(), sweep()]).toEqual([[], []])
    expect(sweep()).toEqual(['StopEntity e1', 'StartTimer grace'])
    expect(send('b')).toEqual([])
  })

  test('SH-054 does not stop one that is being recovered; its idle time begins afterwards', () => {
    const { machine, send, recovering } = shard()
    send('a')
    Object.assign(machine.entityOf('e') ?? {}, { cell: 'cell' })
    recovering.add('cell')
    const sweep = () => words(machine.step({ type: 'Sweep' }))
    for (let round = 0; round < 20; round++) expect(sweep()).toEqual([])
    recovering.clear()
    const quiet: string[][] = []
    while (quiet.flat().length === 0) quiet.push(sweep())
    expect(quiet).toEqual([[], [], ['StopEntity e1', 'StartTimer grace']])
  })

  test('SH-054 never stops idle entities when told so', () => {
    const { machine, send } = shard(shardingSettings({ passivateIdleAfterMs: Infinity }))
    send('a')
    for (let count = 0; count < 1_000; count++) {
      expect(machine.step({ type: 'Sweep' })).toEqual([])
    }
  })

  test('forces an entity that does not stop when passivated', () => {
    const { machine, send, passivate } = shard()
    send('a')
    passivate(1)
    const swept = Array.from({ length: 6 }, () => words(machine.step({ type: 'Sweep' })))
    expect(swept).toEqual([[], [], [], [], ['ForceStop e1'], []])
  })

  test('forces it also when the node was frozen at the sweep that would have', () => {
    const { machine, send, passivate } = shard()
    const sweep = () => words(machine.step({ type: 'Sweep' }))
    send('a')
    passivate(1)
    expect([sweep(), sweep(), sweep(), sweep()]).toEqual([[], [], [], []])
    machine.step({ type: 'Frozen' })
    expect(sweep()).toEqual([])
    machine.step({ type: 'Thawed' })
    expect([sweep(), sweep()]).toEqual([['ForceStop e1'], []])
  })

  test('does not count the time of a freeze as idle', () => {
    const { machine, send } = shard()
    const sweep = () => words(machine.step({ type: 'Sweep' }))
    send('a')
    machine.step({ type: 'Frozen' })
    for (let count = 0; count < 10; count++) sweep()
    machine.step({ type: 'Thawed' })
    expect([sweep(), sweep()]).toEqual([[], []])
    expect(sweep()).toEqual(['StopEntity e1', 'StartTimer grace'])
  })

  test('drops what is too much for entities that are stopping', () => {
    const { send, passivate } = shard({ ...settings, entityBufferedMessagesMax: 1 })
    send('a')
    passivate(1)
    send('b')
    expect(send('c')).toEqual(['Drop c entity-buffer-full'])
  })

  test('SH-013 stops every entity before it finishes', () => {
    const { machine, send, terminated } = shard()
    send('a', 'x')
    send('a', 'y')
    const effects = machine.step({ type: 'HandOff', isForced: false })
    expect(words(effects)).toEqual([
      'StartTimer force-stop',
      'StopEntity x1',
      'StopEntity y2',
      'StartTimer grace',
    ])
    expect([effects[0], effects[3]]).toMatchObject([{ delayMs: 7_000 }, { delayMs: 3_000 }])
    expect(terminated(1, 'x')).toEqual([])
    expect(terminated(2, 'y')).toEqual(['CancelTimer force-stop', 'Finish'])
  })

  test('finishes at once when it has no entities, and once', () => {
    const { machine } = shard()
    const handOff = () => words(machine.step({ type: 'HandOff', isForced: false }))
    expect(handOff()).toEqual(['StartTimer force-stop', 'CancelTimer force-stop', 'Finish'])
    expect(handOff()).toEqual([])
  })

  test('must get no messages during a hand-off', () => {
    const { machine, send } = shard()
    send('a')
    machine.step({ type: 'HandOff', isForced: false })
    expect(() => send('b')).toThrow('sends nothing to a shard that stops')
  })

  test('delivers what waited for a passivating entity before it hands off', () => {
    const { machine, send, terminated, passivate } = shard()
    send('a')
    passivate(1)
    send('b')
    expect(words(machine.step({ type: 'HandOff', isForced: false }))).toEqual([
      'StartTimer force-stop',
      'StartTimer grace',
    ])
    expect(terminated(1)).toEqual(['StartEntity e2', 'Deliver e2 b', 'StopEntity e2'])
    expect(terminated(2)).toEqual(['CancelTimer force-stop', 'Finish'])
  })

  test('forces what has not stopped in time, and drops what waited behind it', () => {
    const { machine, send, terminated, passivate } = shard()
    send('a')
    passivate(1)
    send('b')
    machine.step({ type: 'HandOff', isForced: false })
    const timer = { type: 'TimerFired', timer: 'force-stop' } as const
    expect(words(machine.step(timer))).toEqual(['ForceStop e1'])
    expect(terminated(1)).toEqual(['Drop b hand-off-timeout', 'CancelTimer force-stop', 'Finish'])
  })

  test('hurries those that have not stopped by the end of the grace, before it forces them', () => {
    const { machine, send, terminated } = shard()
    send('a', 'quick')
    send('a', 'slow')
    machine.step({ type: 'HandOff', isForced: false })
    terminated(1, 'quick')
    expect(words(machine.step({ type: 'TimerFired', timer: 'grace' }))).toEqual([
      'HurryEntity slow2',
    ])
    expect(machine.step({ type: 'TimerFired', timer: 'grace' })).toEqual([])
    expect(words(machine.step({ type: 'TimerFired', timer: 'force-stop' }))).toEqual([
      'ForceStop slow2',
    ])
  })

  test('hurries an entity that does not stop when passivated, and not its next instance', () => {
    const { machine, send, terminated, passivate } = shard()
    const grace = () => words(machine.step({ type: 'TimerFired', timer: 'grace' }))
    send('a', 'slow')
    send('a', 'back')
    passivate(1, 'slow')
    expect(passivate(2, 'back')).toEqual(['StopEntity back2'])
    expect(grace()).toEqual(['HurryEntity slow1', 'StartTimer grace'])
    send('b', 'back')
    terminated(2, 'back')
    expect(grace()).toEqual([])
  })

  test('gives those that are passivated and those that move one time, from the hand-off on', () => {
    const { machine, send, passivate } = shard()
    send('a', 'idle')
    send('a', 'busy')
    passivate(1, 'idle')
    const effects = words(machine.step({ type: 'HandOff', isForced: false }))
    expect(effects).toEqual(['StartTimer force-stop', 'StopEntity busy2', 'StartTimer grace'])
    expect(words(machine.step({ type: 'TimerFired', timer: 'grace' }))).toEqual([
      'HurryEntity idle1',
      'HurryEntity busy2',
    ])
  })

  test('starts no timer once it has finished', () => {
    const { machine, send, terminated, passivate } = shard()
    send('a')
    passivate(1)
    terminated(1)
    const effects = words(machine.step({ type: 'HandOff', isForced: false }))
    expect(effects).toEqual(['StartTimer force-stop', 'CancelTimer force-stop', 'Finish'])
  })

  test('delivers and starts nothing while frozen', () => {
    const { machine, send, terminated, passivate } = shard()
    send('a', 'runs')
    send('a', 'stops')
    passivate(2, 'stops')
    machine.step({ type: 'Frozen' })
    expect([send('b', 'runs'), send('b', 'stops'), send('b', 'new')]).toEqual([[], [], []])
    expect(machine.touch('runs')).toBeUndefined()
    expect(terminated(2, 'stops')).toEqual([])
    expect(words(machine.step({ type: 'Thawed' }))).toEqual([
      'Deliver runs1 b',
      'StartEntity stops3',
      'Deliver stops3 b',
      'StartEntity new4',
      'Deliver new4 b',
    ])
  })
})
