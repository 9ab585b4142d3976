import { describe, expect, test } from 'vitest'
import type { MemberStatus } from '../../cluster/index.ts'
import { shardingSettings } from '../sharding-settings.ts'
import { CoordinatorMachine } from './coordinator-machine.ts'
import type { CoordinatorEffect, CoordinatorInput } from './coordinator-inputs.ts'
import { type CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

const settings = shardingSettings({ numberOfShards: 16, handOffsMax: 2 })

function viewOf(members: Readonly<Record<string, MemberStatus>>) {
  return { members: new Map(Object.entries(members)), unreachable: new Set<string>() }
}

const bothUp = viewOf({ a: 'Up', b: 'Up' })
const registered = (region: string): CoordinatorEvent => ({
  type: 'RegionRegistered',
  region,
  isProxy: false,
})
const allocated = (shard: number, home: string, epoch: number): CoordinatorEvent => ({
  type: 'ShardAllocated',
  shard,
  home,
  epoch,
})

/** A coordinator of term 3 after these events, and its effects as words: `a HostShard 1/5`. */
function coordinatorAfter(events: readonly CoordinatorEvent[], cluster = bothUp) {
  const machine = new CoordinatorMachine({
    term: 3,
    state: CoordinatorState.replay(events),
    settings,
  })
  const step = (input: CoordinatorInput) => words(machine.step(input))
  const started = step({ type: 'Started', cluster })
  const stored = () => step({ type: 'Stored' })
  const getHome = (shard: number, region: string) => step({ type: 'GetShardHome', shard, region })
  const answer = (ask: number, homes: [number, string][]) =>
    step({
      type: 'StrategyAnswered',
      ask,
      answer: { type: 'Allocate', homes: new Map(homes) },
    })
  return { machine, step, started, stored, getHome, answer }
}

function words(effects: readonly CoordinatorEffect[]): string[] {
  return effects.map((effect) => {
    if (effect.type === 'Store') return `Store ${effect.events.map(({ type }) => type).join()}`
    if (effect.type === 'AskStrategy') return `Ask ${effect.ask} ${effect.question.type}`
    if (effect.type !== 'Send') return `${effect.type} ${effect.timer}`
    const { to, message } = effect
    if (message.type === 'ShardHomes') return `${to} ShardHomes ${message.homes.length}`
    return 'shard' in message
      ? `${to} ${message.type} ${message.shard}/${message.epoch}`
      : `${to} ${message.type}`
  })
}

describe('CoordinatorMachine', () => {
  const two = [registered('a'), registered('b')]
  const stoppedAt = (shard: number, epoch: number, region: string) =>
    ({ type: 'ShardStopped', shard, epoch, region }) as const

  test('confirms a registration only after it was stored', () => {
    const { step, stored } = coordinatorAfter([])
    expect(step({ type: 'Register', region: 'a', isProxy: false, numberOfShards: 16 })).toEqual([
      'Store RegionRegistered',
    ])
    expect(step({ type: 'Register', region: 'b', isProxy: false, numberOfShards: 16 })).toEqual([])
    expect(stored()).toEqual(['a RegisterAck', 'Store RegionRegistered'])
    expect(stored()).toEqual(['b RegisterAck'])
  })

  test('names a home that leaves only after it has said that it still is one', () => {
    const events = [...two, allocated(1, 'a', 1), allocated(2, 'b', 2)]
    const cluster = viewOf({ a: 'Exiting', b: 'Up' })
    const { step, started, getHome } = coordinatorAfter(events, cluster)
    expect(started).toContain('a HostShard 1/1')
    expect(started).toContain('b ShardHomes 1')
    expect(getHome(1, 'b')).toEqual([])
    expect(step({ type: 'ShardStarted', shard: 1, epoch: 1, region: 'a' })).toEqual([
      'b ShardHome 1/1',
    ])

    const other = coordinatorAfter(events, cluster)
    expect(other.getHome(1, 'b')).toEqual([])
    // It has stopped: the shard gets another home, which is then told.
    expect(other.step({ type: 'RegionStopped', region: 'a' })).toEqual(['Store RegionTerminated'])
    expect(other.stored()).toEqual(['Ask 1 Allocate'])
    expect(other.answer(1, [[1, 'b']])).toEqual(['Store ShardAllocated'])
    expect(other.stored()).toEqual(['b HostShard 1/3'])
  })

  test('lets in only members, and those that leave only to route', () => {
    const cluster = viewOf({ j: 'Joining', l: 'Leaving' })
    const { machine, step } = coordinatorAfter([], cluster)
    expect(step({ type: 'Register', region: 'x', isProxy: false, numberOfShards: 16 })).toEqual([])
    expect(step({ type: 'Register', region: 'j', isProxy: false, numberOfShards: 16 })).toEqual([])
    const effects = machine.step({
      type: 'Register',
      region: 'l',
      isProxy: false,
      numberOfShards: 16,
    })
    expect(effects).toMatchObject([{ events: [{ region: 'l', isProxy: true }] }])
  })

  test('refuses a region that counts other shards, and says what differs', () => {
    const { machine } = coordinatorAfter(two)
    const register = { type: 'Register', region: 'b', isProxy: false, numberOfShards: 12 } as const
    const problem =
      'its numberOfShards is 12, that of the cluster 16; give all nodes the same and restart this one'
    expect(machine.step(register)).toEqual([
      { type: 'Send', to: 'b', message: { type: 'RegisterRefused', term: 3, problem } },
    ])
  })

  test('tells the regions that host, with their shards', () => {
    const proxy = { type: 'RegionRegistered', region: 'p', isProxy: true } as const
    const { machine } = coordinatorAfter([...two, proxy, allocated(7, 'b', 1)])
    const [effect] = machine.step({ type: 'GetCurrentRegions', ask: 5, region: 'a' })
    const regions = [
      { region: 'a', shards: [] },
      { region: 'b', shards: [7] },
    ]
    expect(effect).toMatchObject({ to: 'a', message: { ask: 5, regions } })
  })

  test('tells a leaving region when nobody else could host', () => {
    const { step } = coordinatorAfter(two)
    const leave = (region: string) => step({ type: 'GracefulShutdownReq', region })
    expect(leave('a')).toEqual(['a GracefulShutdownAck'])
    expect(leave('b')).toEqual(['b NoOtherRegion', 'b GracefulShutdownAck'])
    expect(leave('a')).toEqual(['a NoOtherRegion', 'a GracefulShutdownAck'])
  })

  test('tells a leaving region that it gets nothing more only behind what it was chosen for', () => {
    const { step, getHome, answer, stored } = coordinatorAfter(two)
    getHome(7, 'b')
    answer(1, [[7, 'a']])
    expect(step({ type: 'GracefulShutdownReq', region: 'a' })).toEqual([])
    // Nobody hears of a home that is about to change.
    expect(stored()).toEqual([
      'StartTimer hand-off/7',
      ...['a BeginHandOff 7/1', 'b BeginHandOff 7/1', 'a GracefulShutdownAck'],
    ])
  })

  test('does so too when it has as many hand-offs under way as it may have', () => {
    const three = [...two, allocated(1, 'a', 1), allocated(2, 'a', 2)]
    const { step, getHome, answer, stored } = coordinatorAfter(three)
    getHome(7, 'b')
    answer(1, [[7, 'a']])
    step({ type: 'GracefulShutdownReq', region: 'a' })
    expect(stored()).toEqual(['a HostShard 7/3', 'b ShardHome 7/3', 'a GracefulShutdownAck'])
  })

  test('gives nothing to a region that leaves before its registration is stored', () => {
    const { step, getHome, answer, stored } = coordinatorAfter([registered('b')])
    step({ type: 'Register', region: 'a', isProxy: false, numberOfShards: 16 })
    step({ type: 'GracefulShutdownReq', region: 'a' })
    expect(stored()).toEqual(['a RegisterAck', 'a GracefulShutdownAck'])
    getHome(7, 'b')
    expect(answer(1, [[7, 'a']])).toEqual([])
  })

  test('tells a home only after it was stored, to everyone who asked, once', () => {
    const { getHome, answer, stored } = coordinatorAfter(two)
    expect(getHome(7, 'a')).toEqual(['Ask 1 Allocate'])
    expect(getHome(7, 'b')).toEqual([])
    expect(answer(1, [[7, 'b']])).toEqual(['Store ShardAllocated'])
    expect(getHome(7, 'a')).toEqual([])
    expect(stored()).toEqual(['b HostShard 7/1', 'a ShardHome 7/1'])
    expect(getHome(7, 'a')).toEqual(['a ShardHome 7/1'])
  })

  test('answers known homes while another allocation is being stored', () => {
    const { getHome, answer } = coordinatorAfter([...two, allocated(1, 'a', 1)])
    getHome(2, 'a')
    answer(1, [[2, 'b']])
    expect(getHome(1, 'b')).toEqual(['b ShardHome 1/1'])
  })

  test('tells nothing to who is not registered, and knows no shard beyond the last', () => {
    const { getHome } = coordinatorAfter([...two, allocated(1, 'a', 1)])
    expect(getHome(1, 'x')).toEqual([])
    expect(getHome(16, 'a')).toEqual([])
  })

  test('repeats HostShard until the home confirms this life', () => {
    const { step, started } = coordinatorAfter([...two, allocated(1, 'a', 5)])
    expect(started).toContain('a HostShard 1/5')
    const retry = () => step({ type: 'TimerFired', timer: 'retry' })
    expect(retry()).toContain('a HostShard 1/5')
    step({ type: 'ShardStarted', shard: 1, epoch: 4, region: 'a' })
    expect(retry()).toContain('a HostShard 1/5')
    step({ type: 'ShardStarted', shard: 1, epoch: 5, region: 'a' })
    expect(retry()).toEqual(['StartTimer retry'])
  })

  test('says everything again in a new term', () => {
    const { started } = coordinatorAfter([...two, allocated(1, 'a', 1), allocated(2, 'b', 2)])
    expect(started.slice(2)).toEqual([
      'a ShardHomes 2',
      'b ShardHomes 2',
      'a HostShard 1/1',
      'b HostShard 2/2',
    ])
  })

  test('homes the shards of a dead region again without being asked, and tells everyone', () => {
    const three = viewOf({ a: 'Up', b: 'Up', c: 'Up' })
    const events = [...two, registered('c'), allocated(1, 'a', 1)]
    const { step, stored, answer } = coordinatorAfter(events, three)
    const rest = viewOf({ b: 'Up', c: 'Up' })
    expect(step({ type: 'MembersChanged', cluster: rest })).toEqual(['Store RegionTerminated'])
    expect(stored()).toEqual(['Ask 1 Allocate'])
    expect(answer(1, [[1, 'c']])).toEqual(['Store ShardAllocated'])
    expect(stored()).toEqual(['c HostShard 1/2', 'b ShardHome 1/2'])
  })

  test('homes shards again that an earlier coordinator left without a home', () => {
    const dead: CoordinatorEvent = { type: 'RegionTerminated', region: 'a' }
    const { started } = coordinatorAfter([...two, allocated(1, 'a', 1), dead])
    expect(started.at(-1)).toBe('Ask 1 Allocate')
  })

  test('does not tell the home of a region that just died', () => {
    const { step, getHome } = coordinatorAfter([...two, allocated(1, 'a', 1)])
    step({ type: 'MembersChanged', cluster: viewOf({ b: 'Up' }) })
    expect(getHome(1, 'b')).toEqual([])
  })

  test('B05 allocates nothing to a region that died while the strategy thought', () => {
    const { step, stored, getHome, answer } = coordinatorAfter(two)
    getHome(7, 'a')
    step({ type: 'MembersChanged', cluster: viewOf({ a: 'Up' }) })
    expect(answer(1, [[7, 'b']])).toEqual([])
    expect(stored()).toEqual(['Ask 2 Allocate'])
    expect(answer(2, [[7, 'b']])).toEqual([])
    expect(step({ type: 'TimerFired', timer: 'retry' })).toEqual([
      'StartTimer retry',
      'Ask 3 Allocate',
    ])
  })

  test('B05 gives a shard that was stored for a dead region another home at once', () => {
    const { step, stored, getHome, answer } = coordinatorAfter(two)
    getHome(7, 'a')
    answer(1, [[7, 'b']])
    step({ type: 'MembersChanged', cluster: viewOf({ a: 'Up' }) })
    expect(stored()).toEqual(['Store RegionTerminated'])
    expect(stored()).toEqual(['Ask 2 Allocate'])
  })

  test('B03 ignores that a shard stopped where it no longer lives', () => {
    const { step } = coordinatorAfter([...two, allocated(1, 'a', 5)])
    expect(step(stoppedAt(1, 5, 'b'))).toEqual([])
    expect(step(stoppedAt(1, 4, 'a'))).toEqual([])
    expect(step(stoppedAt(2, 5, 'a'))).toEqual([])
  })

  test('does not lose that a shard stopped after its hand-off was given up', () => {
    const { step, stored } = coordinatorAfter([...two, allocated(1, 'a', 5)])
    step({ type: 'GracefulShutdownReq', region: 'a' })
    const ack = { type: 'BeginHandOffAck', shard: 1, epoch: 5, term: 3, turn: 2 } as const
    step({ ...ack, region: 'a' })
    expect(step({ ...ack, region: 'b' })).toEqual(['a HandOff 1/5'])
    expect(step({ type: 'TimerFired', timer: 'hand-off/1' })).toEqual([
      'CancelTimer hand-off/1',
      'a HostShard 1/5',
    ])
    expect(step(stoppedAt(1, 5, 'a'))).toEqual(['Store ShardDeallocated'])
    expect(stored()).toEqual(['Ask 1 Allocate'])
  })

  test('answers nobody while a shard moves, and everybody when it stays', () => {
    const { step, getHome } = coordinatorAfter([...two, allocated(1, 'a', 5)])
    step({ type: 'GracefulShutdownReq', region: 'a' })
    expect(getHome(1, 'b')).toEqual([])
    expect(step({ type: 'Register', region: 'b', isProxy: false, numberOfShards: 16 })).toEqual([
      'b RegisterAck',
    ])
    expect(step({ type: 'TimerFired', timer: 'hand-off/1' })).toEqual([
      'CancelTimer hand-off/1',
      'a HostShard 1/5',
      'b ShardHome 1/5',
    ])
  })

  test('SH-013 empties a leaving region a few shards at a time and gives it no new one', () => {
    const events = [1, 2, 3].map((shard) => allocated(shard, 'a', shard))
    const { machine, step } = coordinatorAfter([...two, ...events])
    const begun = step({ type: 'GracefulShutdownReq', region: 'a' })
    expect(begun.filter((word) => word.startsWith('b BeginHandOff'))).toEqual([
      'b BeginHandOff 1/1',
      'b BeginHandOff 2/2',
    ])
    expect(step({ type: 'GracefulShutdownReq', region: 'a' })).toEqual(['a GracefulShutdownAck'])
    const next = step(stoppedAt(1, 1, 'a'))
    expect(next).toContain('b BeginHandOff 3/3')
    expect(next.at(-1)).toBe('Store ShardDeallocated')
    const [ask] = machine.step({ type: 'Stored' })
    const regions = ask?.type === 'AskStrategy' ? [...ask.question.allocations.keys()] : []
    expect(regions).toEqual(['b'])
  })

  test('B06 does not wait for a dead region in a hand-off that begins before that is stored', () => {
    const { machine, step } = coordinatorAfter([...two, registered('c'), allocated(1, 'a', 1)])
    step({ type: 'MembersChanged', cluster: bothUp })
    step({ type: 'GracefulShutdownReq', region: 'a' })
    expect(machine.snapshot().handOffs).toMatchObject([{ shard: 1, unacked: ['a', 'b'] }])
  })

  test('takes a region back only from a node that is new', () => {
    const { step, stored } = coordinatorAfter(two)
    expect(step({ type: 'RegionStopped', region: 'a' })).toEqual(['Store RegionTerminated'])
    stored()
    expect(step({ type: 'Register', region: 'a', isProxy: false, numberOfShards: 16 })).toEqual([])
  })
})

describe('before the stop of the whole cluster', () => {
  const two = [registered('a'), registered('b'), allocated(1, 'a', 1), allocated(2, 'b', 2)]
  const prepare = { type: 'PrepareForShutdown', region: 'b' } as const

  test('every region is told, once, and so is who registers later', () => {
    const { step } = coordinatorAfter(two)
    expect(step(prepare)).toEqual([
      ...['a ShutdownPrepared', 'b ShutdownPrepared', 'b ShutdownPrepared'],
    ])
    expect(step({ ...prepare, region: 'a' })).toEqual(['a ShutdownPrepared'])
    const register = { type: 'Register', region: 'a', isProxy: false, numberOfShards: 16 } as const
    expect(step(register)).toContain('a ShutdownPrepared')
  })

  test('nothing is rebalanced or handed over, and a home is given only to who asks', () => {
    const { step, stored, getHome } = coordinatorAfter(two)
    step(prepare)
    expect(step({ type: 'TimerFired', timer: 'rebalance' })).toEqual(['StartTimer rebalance'])
    expect(step({ type: 'GracefulShutdownReq', region: 'a' })).toEqual(['a ShutdownPrepared'])
    expect(step({ type: 'RegionStopped', region: 'a' })).toEqual(['Store RegionTerminated'])
    expect(stored()).toEqual([])
    expect(getHome(1, 'b')).toEqual(['Ask 1 Allocate'])
  })

  test('a region that has heard of it tells the next coordinator', () => {
    const { step } = coordinatorAfter(two)
    const register = { type: 'Register', region: 'a', isProxy: false, numberOfShards: 16 } as const
    expect(step({ ...register, isPreparing: true })).toContain('b ShutdownPrepared')
  })
})

test('tells what it knows of a shard', () => {
  const { machine } = coordinatorAfter([registered('a'), registered('b')])
  const step = (input: CoordinatorInput, now: number) => machine.step(input, now)
  step({ type: 'GetShardHome', shard: 5, region: 'b' }, 10)
  step(
    { type: 'StrategyAnswered', ask: 1, answer: { type: 'Allocate', homes: new Map([[5, 'a']]) } },
    20,
  )
  step({ type: 'Stored' }, 30)
  const question = { type: 'GetShardHistory', ask: 9, shard: 5, region: 'b' } as const
  const moves = [{ to: 'a', epoch: 1, why: 'first-use', agoMs: 70 }]
  expect(step(question, 100)).toEqual([
    {
      ...{ type: 'Send', to: 'b' },
      message: {
        ...{ type: 'ShardHistory', term: 3, ask: 9, shard: 5, home: 'a', epoch: 1 },
        ...{ isMoving: false, moves },
      },
    },
  ])
})
