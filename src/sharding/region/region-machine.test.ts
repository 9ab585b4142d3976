/** One file because all of it speaks to one region, in the same words. */
import { describe, expect, test } from 'vitest'
import type { BetweenRegions, ToRegion } from '../sharding-messages.ts'
import { shardingSettings } from '../sharding-settings.ts'
import { RegionMachine } from './region-machine.ts'
import type { RegionEffect, RegionInput } from './region-inputs.ts'

const settings = shardingSettings({ numberOfShards: 16, bufferedMessagesMax: 3 })

type HomeType = 'ShardHome' | 'HostShard'

/** The region of node `me`, registered with the coordinator on `k`; its effects as words: `b Forwarded 7 hello`. */
function region({ isProxy = false } = {}) {
  const machine = new RegionMachine<string>({ self: 'me', isProxy, settings })
  const step = (input: RegionInput<string>) => words(machine.step(input))
  const hear = (message: ToRegion) => step({ type: 'FromCoordinator', coordinator: 'k', message })
  const home = (node: string, epoch: number, turn = epoch, type: HomeType = 'ShardHome') =>
    hear({ type, shard: 7, home: node, epoch, term: 1, turn })
  const begin = (node: string, epoch: number, turn: number) =>
    hear({ type: 'BeginHandOff', shard: 7, home: node, epoch, term: 1, turn })
  const handOff = (epoch: number, turn: number) =>
    hear({ type: 'HandOff', shard: 7, home: 'me', epoch, term: 1, turn })
  const send = (parcel: string) => step({ type: 'Message', shard: 7, parcel })
  const from = (node: string, message: BetweenRegions<string>) =>
    step({ type: 'FromRegion', region: node, message })
  const forwarded = (node: string, parcel: string, stamp = 1) =>
    from(node, { type: 'Forwarded', shard: 7, stamp, parcel })
  step({ type: 'Started', candidates: ['k'] })
  hear({ type: 'RegisterAck', term: 1 })
  return { machine, step, hear, home, begin, handOff, send, from, forwarded }
}

/** The same before a coordinator has spoken. */
function unknownRegion() {
  const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
  const step = (input: RegionInput<string>) => words(machine.step(input))
  step({ type: 'Started', candidates: ['k'] })
  return { step }
}

/** Its coordinator has refused it, and may have given up itself. */
function refusedRegion() {
  const { step, hear } = region()
  hear({ type: 'RegisterRefused', term: 1, problem: 'it counts other shards' })
  return { step }
}

function words(effects: readonly RegionEffect<string>[]): string[] {
  return effects.map((effect) => {
    switch (effect.type) {
      case 'SendToPeer': {
        const { message, to } = effect
        const parcels = 'parcels' in message ? message.parcels.join() : ''
        const parcel = 'parcel' in message ? message.parcel : parcels
        return `${to} ${message.type} ${parcel || message.stamp}`
      }
      case 'SendToCoordinator':
        return `${effect.to} ${effect.message.type}`
      case 'Deliver':
        return `Deliver ${effect.parcel}`
      case 'Drop':
        return `Drop ${effect.parcel} ${effect.reason}`
      case 'StartShard':
      case 'StopShard':
        return `${effect.type} ${effect.shard}`
      case 'StartTimer':
        return `StartTimer ${effect.timer} ${effect.delayMs}`
      default:
        return effect.type
    }
  })
}

describe('RegionMachine finds the coordinator', () => {
  test('registers at once, then after growing delays, then at the steady pace', () => {
    const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
    const step = (input: RegionInput<string>) => words(machine.step(input))
    const register = ['k Register', 'l Register']
    expect(step({ type: 'Started', candidates: ['k', 'l'] })).toEqual([
      'StartTimer retry 2000',
      ...register,
      'StartTimer register 250',
    ])
    const again = () => step({ type: 'TimerFired', timer: 'register' })
    expect(again()).toEqual([...register, 'StartTimer register 500'])
    expect(again()).toEqual([...register, 'StartTimer register 1000'])
    expect(again()).toEqual(register)
    expect(step({ type: 'TimerFired', timer: 'retry' })).toEqual([
      'StartTimer retry 2000',
      ...register,
    ])
  })

  test('asks for homes of what waited as soon as it is registered', () => {
    const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
    machine.step({ type: 'Started', candidates: ['k'] })
    expect(words(machine.step({ type: 'Message', shard: 7, parcel: 'x' }))).toEqual([])
    const message = { type: 'RegisterAck', term: 1 } as const
    expect(words(machine.step({ type: 'FromCoordinator', coordinator: 'k', message }))).toEqual([
      ...['k GetShardHome', 'Registered'],
    ])
  })

  test('follows the coordinator of a newer term and is deaf to the older', () => {
    const { machine, step, home } = region()
    const message = { type: 'RegisterAck', term: 2 } as const
    step({ type: 'FromCoordinator', coordinator: 'new', message })
    expect(home('b', 1)).toEqual([])
    expect(machine.snapshot()).toMatchObject({ coordinator: 'new', term: 2 })
    expect(machine.explain(7).home).toBeUndefined()
  })

  test('looks for another coordinator when the node of this one was removed', () => {
    const { step } = region()
    expect(step({ type: 'NodeRemoved', node: 'k' })).toContain('k Register')
  })
})

describe('RegionMachine routes', () => {
  test('asks once, keeps what comes, and lets it go in order when it learns the home', () => {
    const { machine, send, home } = region()
    expect(send('a')).toEqual(['k GetShardHome'])
    expect(send('b')).toEqual([])
    expect(home('b', 1)).toEqual(['b Forwarded a', 'b Forwarded b'])
    expect(machine.table.homeOf(7)).toMatchObject({ node: 'b' })
    expect(send('c')).toEqual(['b Forwarded c'])
  })

  test('asks again at every retry as long as something waits', () => {
    const { step, send, home } = region()
    send('a')
    const retry = () => step({ type: 'TimerFired', timer: 'retry' })
    expect(retry()).toContain('k GetShardHome')
    home('b', 1)
    expect(retry()).not.toContain('k GetShardHome')
  })

  test('drops what is too much, with a reason', () => {
    const { send } = region()
    for (const parcel of ['a', 'b', 'c']) send(parcel)
    expect(send('d')).toEqual(['Drop d shard-buffer-full'])
  })

  test('ignores a home of an older epoch, or older than what it has heard', () => {
    const { machine, home, begin } = region()
    home('b', 5, 8)
    begin('b', 5, 9)
    expect(home('b', 5, 8)).toEqual([])
    expect(home('c', 4, 10)).toEqual([])
    expect(machine.table.homeOf(7)).toBeUndefined()
  })

  test('forgets the homes of a removed node and does not learn them again from an echo', () => {
    const { step, send, home } = region()
    home('b', 1)
    step({ type: 'NodeRemoved', node: 'b' })
    expect(send('a')).toEqual(['k GetShardHome'])
    expect(home('b', 1)).toEqual([])
    expect(home('c', 2)).toEqual(['c Forwarded a'])
  })

  test('does not learn a removed node as home from a later word that was under way', () => {
    const { step, send, home, machine } = region()
    step({ type: 'NodeRemoved', node: 'b' })
    expect(home('b', 1, 5)).toEqual([])
    expect(machine.table.homeOf(7)).toBeUndefined()
    expect(send('a')).toEqual(['k GetShardHome'])
    expect(home('me', 2, 6, 'HostShard')).toEqual(['StartShard 7', 'k ShardStarted', 'Deliver a'])
  })

  test('a proxy routes and never hosts', () => {
    const { send, home } = region({ isProxy: true })
    send('a')
    expect(home('me', 1)).toEqual([])
    expect(home('b', 2)).toEqual(['b Forwarded a'])
  })
})

describe('RegionMachine hosts', () => {
  test('starts the shard, says so, and delivers what waited', () => {
    const { send, forwarded, home } = region()
    send('a')
    forwarded('b', 'x')
    expect(home('me', 1, 1, 'HostShard')).toEqual([
      'StartShard 7',
      'k ShardStarted',
      'Deliver a',
      'Deliver x',
    ])
    expect(home('me', 1, 1, 'HostShard')).toEqual(['k ShardStarted'])
  })

  test('B08 answers HostShard for a life that is stopping only when that life is over', () => {
    const { step, home, begin, handOff } = region()
    home('me', 5, 1)
    begin('me', 5, 2)
    expect(handOff(5, 2)).toEqual(['StopShard 7'])
    expect(home('me', 5, 3, 'HostShard')).toEqual([])
    expect(step({ type: 'ShardTerminated', shard: 7 })).toEqual(['k ShardStopped'])
    expect(home('me', 5, 3, 'HostShard')).toEqual(['k ShardStopped'])
  })

  test('B08 starts a shard again that was given to it while it was stopping', () => {
    const { step, home, begin, handOff, send } = region()
    home('me', 5, 1)
    begin('me', 5, 2)
    handOff(5, 2)
    send('a')
    expect(home('me', 6, 3, 'HostShard')).toEqual([])
    expect(step({ type: 'ShardTerminated', shard: 7 })).toEqual([
      'StartShard 7',
      'k ShardStarted',
      'Deliver a',
    ])
  })

  test('says that a shard it never had has stopped', () => {
    const { handOff } = region()
    expect(handOff(5, 2)).toEqual(['k ShardStopped'])
  })

  test('stops what someone else hosts in a later epoch', () => {
    const { home } = region()
    home('me', 5)
    expect(home('b', 6)).toEqual(['Superseded', 'StopShard 7'])
  })

  test('delivers nothing while frozen, and everything in order after the thaw', () => {
    const { machine, step, home, send, forwarded } = region()
    home('me', 1)
    step({ type: 'Frozen' })
    expect(machine.table.homeOf(7)).toBeUndefined()
    expect([send('a'), forwarded('b', 'x')]).toEqual([[], []])
    expect(home('me', 1, 1, 'HostShard')).toEqual(['k ShardStarted'])
    expect(step({ type: 'Thawed' })).toEqual(['Deliver a', 'Deliver x'])
  })
})

describe('RegionMachine hands off', () => {
  const stampOf = (machine: RegionMachine<string>) => machine.table.homeOf(7)?.stamp ?? 0

  test('B42 acknowledges only after the former home has answered the flush', () => {
    const { machine, home, begin, from, send } = region()
    home('b', 1)
    const stamp = stampOf(machine)
    expect(begin('b', 1, 2)).toEqual([`b Flush ${stamp}`])
    expect(send('c')).toEqual(['k GetShardHome'])
    expect(from('b', { type: 'Returned', shard: 7, stamp, parcels: ['a', 'b'] })).toEqual([])
    expect(from('b', { type: 'FlushAck', shard: 7, stamp: stamp - 1 })).toEqual([])
    expect(from('b', { type: 'FlushAck', shard: 7, stamp })).toEqual(['k BeginHandOffAck'])
    expect(home('c', 2, 3)).toEqual(['c Forwarded a', 'c Forwarded b', 'c Forwarded c'])
  })

  test('acknowledges when the stream to the former home is lost, or its node removed', () => {
    for (const type of ['AssociationLost', 'NodeRemoved'] as const) {
      const { home, begin, step } = region()
      home('b', 1)
      begin('b', 1, 2)
      expect(step({ type, node: 'b' })).toEqual(['k BeginHandOffAck'])
    }
  })

  test('acknowledges at once when it sends nothing there, and twice when asked twice', () => {
    const { begin } = region()
    expect(begin('b', 1, 2)).toEqual(['k BeginHandOffAck'])
    expect(begin('b', 1, 2)).toEqual(['k BeginHandOffAck'])
  })

  test('sends nothing to a home it learns before the flush was answered', () => {
    const { machine, home, send, from } = region()
    home('b', 1)
    const stamp = stampOf(machine)
    expect(home('c', 2)).toEqual([`b Flush ${stamp}`])
    expect(send('x')).toEqual([])
    expect(from('b', { type: 'FlushAck', shard: 7, stamp })).toEqual(['c Forwarded x'])
  })

  test('drops what comes back after later messages have gone ahead', () => {
    const { machine, home, begin, step, from, send } = region()
    home('b', 1)
    const stamp = stampOf(machine)
    begin('b', 1, 2)
    step({ type: 'AssociationLost', node: 'b' })
    home('c', 2, 3)
    send('later')
    expect(from('b', { type: 'Returned', shard: 7, stamp, parcels: ['a'] })).toEqual([
      'Drop a overtaken',
    ])
  })

  test('keeps its own messages and gives the others back, in order', () => {
    const { home, begin, handOff, send, forwarded } = region()
    home('me', 1)
    expect(begin('me', 1, 2)).toEqual(['k BeginHandOffAck'])
    forwarded('b', 'x')
    send('mine')
    forwarded('b', 'y')
    expect(handOff(1, 2)).toEqual(['b Returned x', 'b Returned y', 'StopShard 7'])
    expect(home('c', 2, 3)).toEqual(['c Forwarded mine'])
  })

  test('answers a flush behind what it gives back', () => {
    const { home, begin, forwarded, from } = region()
    home('me', 1)
    begin('me', 1, 2)
    forwarded('b', 'x', 4)
    expect(from('b', { type: 'Flush', shard: 7, stamp: 4 })).toEqual([
      'b Returned x',
      'b FlushAck 4',
    ])
  })

  test('delivers nothing by a route after something by it went back', () => {
    const { machine, home, forwarded, from } = region()
    home('c', 1)
    expect(forwarded('b', 'x', 4)).toEqual(['b Returned x'])
    const stamp = stampOf(machine)
    home('me', 2)
    from('c', { type: 'FlushAck', shard: 7, stamp })
    expect(machine.table.isServedTo(7, 'b', 4)).toBe(false)
    expect(forwarded('b', 'y', 4)).toEqual(['b Returned y'])
    from('b', { type: 'Flush', shard: 7, stamp: 4 })
    expect(forwarded('b', 'x', 5)).toEqual(['Deliver x'])
  })

  test('stops routing to a home that sends a message back, and asks again', () => {
    const { machine, home, from, send } = region()
    home('b', 1)
    const stamp = stampOf(machine)
    expect(from('b', { type: 'Returned', shard: 7, stamp, parcels: ['a'] })).toEqual([
      `b Flush ${stamp}`,
      'k GetShardHome',
    ])
    send('b')
    home('b', 1)
    expect(from('b', { type: 'FlushAck', shard: 7, stamp })).toEqual([
      'b Forwarded a',
      'b Forwarded b',
    ])
  })
})

describe('RegionMachine leaves', () => {
  const released = { type: 'GracefulShutdownAck', term: 1 } as const

  test('SH-044 finishes when it has nothing, as soon as it will be given nothing any more', () => {
    const { step, hear } = region()
    expect(step({ type: 'GracefulShutdown', isMember: true })).toEqual([
      'StartTimer shutdown 6000',
      'k GracefulShutdownReq',
    ])
    expect(hear(released)).toEqual(['k RegionStopped', 'Finish'])
  })

  test.each([
    ['a proxy is given nothing', region({ isProxy: true })],
    ['nobody knows it', unknownRegion()],
    ['it was refused', refusedRegion()],
  ])('finishes at once when %s', (_, { step }) => {
    const effects = step({ type: 'GracefulShutdown', isMember: true })
    expect(effects.at(-1)).toBe('Finish')
  })

  test('stays for a coordinator of a later term, which may not know yet that it leaves', () => {
    const { step, hear } = region()
    hear({ type: 'ShardHome', shard: 8, home: 'b', epoch: 2, term: 1, turn: 2 })
    step({ type: 'GracefulShutdown', isMember: true })
    expect(hear(released)).toEqual(['b Flush 1'])
    expect(hear({ type: 'RegisterAck', term: 2 })).toEqual(['k GracefulShutdownReq', 'Registered'])
    const stamp = 1
    const flushed = { type: 'FlushAck', shard: 8, stamp } as const
    expect(step({ type: 'FromRegion', region: 'b', message: flushed })).toEqual([])
    expect(hear({ ...released, term: 2 })).toEqual(['k RegionStopped', 'Finish'])
  })

  test('does not wait for such a word longer than for anything else', () => {
    const { step } = region()
    step({ type: 'GracefulShutdown', isMember: true })
    const effects = step({ type: 'TimerFired', timer: 'shutdown' })
    expect(effects).toEqual(['k RegionStopped', 'Finish'])
  })

  test('finishes after its last shard has moved and its last message has arrived', () => {
    const { machine, step, home, handOff, hear, from } = region()
    home('me', 1)
    const other = { shard: 8, home: 'b', epoch: 2, term: 1, turn: 2 }
    hear({ type: 'ShardHome', ...other })
    const stamp = machine.table.homeOf(8)?.stamp ?? 0
    step({ type: 'GracefulShutdown', isMember: true })
    hear(released)
    handOff(1, 3)
    expect(step({ type: 'ShardTerminated', shard: 7 })).toEqual([
      'k ShardStopped',
      `b Flush ${stamp}`,
    ])
    expect(from('b', { type: 'FlushAck', shard: 8, stamp })).toEqual(['k RegionStopped', 'Finish'])
  })

  test('flushes again behind what came back while it flushed, and takes nothing new meanwhile', () => {
    const { step, hear, from, send } = region()
    const learn = (home: string, epoch: number) =>
      hear({ type: 'ShardHome', shard: 8, home, epoch, term: 1, turn: epoch })
    learn('b', 2)
    step({ type: 'GracefulShutdown', isMember: true })
    expect(hear(released)).toEqual(['b Flush 1'])
    expect(send('new')).toEqual(['Drop new region-stopped'])
    // The one that gives it back is not the home, whatever was said before.
    const back = { type: 'Returned', shard: 8, stamp: 1, parcels: ['x'] } as const
    expect(from('b', back)).toEqual(['k GetShardHome'])
    expect(learn('c', 3)).toEqual([])
    const flushed = { type: 'FlushAck', shard: 8 } as const
    expect(from('b', { ...flushed, stamp: 1 })).toEqual(['c Forwarded x', 'c Flush 2'])
    expect(learn('d', 4)).toEqual([])
    expect(from('c', { ...flushed, stamp: 2 })).toEqual(['k RegionStopped', 'Finish'])
  })

  test('hosts a shard that it was chosen for before, and hands it over', () => {
    const { step, hear, home, handOff, forwarded } = region()
    step({ type: 'GracefulShutdown', isMember: true })
    expect(home('me', 1, 1, 'HostShard')).toEqual(['StartShard 7', 'k ShardStarted'])
    expect(hear(released)).toEqual([])
    expect(forwarded('b', 'x')).toEqual(['Deliver x'])
    expect(handOff(1, 2)).toEqual(['StopShard 7'])
    expect(step({ type: 'ShardTerminated', shard: 7 })).toEqual([
      ...['k ShardStopped', 'k RegionStopped', 'Finish'],
    ])
  })

  test('takes no new shard when its time is up', () => {
    const { step, home } = region()
    home('me', 1)
    step({ type: 'GracefulShutdown', isMember: true })
    step({ type: 'TimerFired', timer: 'shutdown' })
    const shard8 = { shard: 8, home: 'me', epoch: 2, term: 1, turn: 2 }
    const message = { type: 'HostShard', ...shard8 } as const
    expect(step({ type: 'FromCoordinator', coordinator: 'k', message })).toEqual([
      ...['k GracefulShutdownReq', 'k ShardStopped'],
    ])
  })

  test('stops its shards itself when time is up, and says so last', () => {
    const { step, home, begin, send } = region()
    home('me', 1)
    step({ type: 'GracefulShutdown', isMember: true })
    begin('me', 1, 2)
    send('a')
    expect(step({ type: 'TimerFired', timer: 'shutdown' })).toEqual(['LeftBehind', 'StopShard 7'])
    expect(step({ type: 'ShardTerminated', shard: 7 })).toEqual([
      ...['k ShardStopped', 'k GetShardHome', 'Drop a region-stopped', 'k RegionStopped'],
      'Finish',
    ])
  })

  test('sends nothing to a shard that it stops because time is up', () => {
    const { machine, step, home, send, forwarded } = region()
    home('me', 1)
    step({ type: 'GracefulShutdown', isMember: true })
    expect(step({ type: 'TimerFired', timer: 'shutdown' })).toEqual(['LeftBehind', 'StopShard 7'])
    expect(machine.table.homeOf(7)).toBeUndefined()
    expect([send('a'), forwarded('b', 'x')]).toEqual([['k GetShardHome'], []])
    expect(step({ type: 'ShardTerminated', shard: 7 })).toEqual([
      ...['k ShardStopped', 'b Returned x', 'k GetShardHome'],
      ...['Drop a region-stopped', 'k RegionStopped', 'Finish'],
    ])
  })

  test('answers those who still speak to it afterwards', () => {
    const { step, hear, send, forwarded, from, home } = region()
    step({ type: 'GracefulShutdown', isMember: true })
    hear(released)
    expect(send('a')).toEqual(['Drop a region-stopped'])
    expect(forwarded('b', 'x')).toEqual(['b Returned x'])
    expect(from('b', { type: 'Flush', shard: 7, stamp: 3 })).toEqual(['b FlushAck 3'])
    const returned = { type: 'Returned', shard: 7, stamp: 3, parcels: ['y'] } as const
    expect(from('b', returned)).toEqual(['Drop y region-stopped'])
    expect(home('me', 1, 1, 'HostShard')).toEqual(['k RegionStopped'])
  })
})
