import { describe, expect, test } from 'vitest'
import type { MemberStatus } from '../../cluster/index.ts'
import { shardingSettings } from '../sharding-settings.ts'
import type { LifeEffect, LifeInput } from './coordinator-inputs.ts'
import { CoordinatorLifeMachine } from './coordinator-life-machine.ts'
import { type CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

const settings = shardingSettings({ numberOfShards: 8 })
const cluster = {
  members: new Map<string, MemberStatus>([['a', 'Up']]),
  unreachable: new Set<string>(),
}
const registered = (region: string, numberOfShards = 8): CoordinatorEvent => ({
  ...{ type: 'RegionRegistered', region, isProxy: false, numberOfShards },
})

/** A life and its effects as words. */
function begun() {
  const machine = new CoordinatorLifeMachine(settings)
  const step = (input: LifeInput): string[] => machine.step(input).map(inWords)
  const load = (events: readonly CoordinatorEvent[]) =>
    step({ type: 'Loaded', term: 3, state: CoordinatorState.replay(events), cluster })
  const fire = (timer: Extract<LifeInput, { type: 'TimerFired' }>['timer']) =>
    step({ type: 'TimerFired', timer })
  const first = step({ type: 'Begun' })
  return { machine, first, step, load, fire }
}

/** One that runs, with one region. */
function running() {
  const life = begun()
  life.load([registered('a')])
  const getHome = (shard: number) =>
    life.step({ type: 'FromRegion', message: { type: 'GetShardHome', shard, region: 'a' } })
  const answer = (ask: number) =>
    life.step({
      ...{ type: 'StrategyAnswered', ask },
      answer: { type: 'Allocate', homes: new Map([[1, 'a']]) },
    })
  return { ...life, getHome, answer }
}

function inWords(effect: LifeEffect): string {
  switch (effect.type) {
    case 'StartTimer':
    case 'CancelTimer':
      return `${effect.type} ${effect.timer}`
    case 'AskStrategy':
      return `AskStrategy ${effect.ask} ${effect.strategy}`
    case 'Send':
      return `Send ${effect.message.type}`
    case 'GiveUp':
      return `GiveUp ${effect.reason.type}`
    default:
      return effect.type
  }
}

describe('CoordinatorLifeMachine', () => {
  test('serves when it has read what is stored, and hears nobody before', () => {
    const { first, step, load } = begun()
    expect(first).toEqual(['Load', 'StartTimer store'])
    const message = { type: 'GetShardHome', shard: 1, region: 'a' } as const
    expect(step({ type: 'FromRegion', message })).toEqual([])
    expect(load([registered('a')]).slice(0, 2)).toEqual(['CancelTimer store', 'Serve'])
  })

  test('does not run on what counts other shards, whether somebody lives by that or not', () => {
    const givesUp = ['CancelTimer store', 'GiveUp OtherNumberOfShards']
    const terminated: CoordinatorEvent = { type: 'RegionTerminated', region: 'gone' }
    expect(begun().load([registered('a', 12)])).toEqual(givesUp)
    expect(begun().load([registered('gone', 4)])).toEqual(givesUp)
    expect(begun().load([registered('gone', 12), terminated])).toEqual(givesUp)
    // A store from before the number was changed, in times when nobody looked.
    expect(begun().load([registered('gone', 12), terminated, registered('a')])).toContain('Serve')
  })

  test('tells by the shards of an old store, which does not say it, that there were more', () => {
    const old: CoordinatorEvent = { type: 'RegionRegistered', region: 'a', isProxy: false }
    const allocated = (shard: number): CoordinatorEvent[] => [
      old,
      { type: 'ShardAllocated', shard, home: 'a', epoch: 1 },
    ]
    expect(begun().load(allocated(7))).toContain('Serve')
    expect(begun().load(allocated(8))).toContain('GiveUp OtherNumberOfShards')
  })

  test('gives up on a store that is silent', () => {
    const { fire, load } = begun()
    expect(fire('store')).toEqual(['GiveUp StoreSilent'])
    expect(load([])).toEqual([])

    const later = running()
    later.getHome(1)
    expect(later.answer(1)).toEqual(['CancelTimer strategy/1', 'StartTimer store', 'Store'])
    expect(later.fire('store')).toEqual(['GiveUp StoreSilent'])
    expect(later.step({ type: 'Stored' })).toEqual([])
  })

  test('stops at the first failure of its store, and decides nothing after it', () => {
    const { step, getHome } = running()
    expect(step({ type: 'StoreFailed', error: new Error('full') })).toEqual(['GiveUp StoreFailed'])
    expect(getHome(1)).toEqual([])
  })

  test('lets the default strategy decide when the chosen one is out of time, once', () => {
    const { getHome, fire, answer } = running()
    expect(getHome(1)).toEqual(['StartTimer strategy/1', 'AskStrategy 1 chosen'])
    expect(fire('strategy/1')).toEqual(['AskStrategy 1 default'])
    expect(answer(1)).toContain('Store')
    expect(answer(1)).toEqual([])
    expect(fire('strategy/1')).toEqual([])
  })

  test('asks a slow strategy nothing again before its time is up', () => {
    const { getHome, fire } = running()
    getHome(1)
    for (let retry = 0; retry < 20; retry++) {
      expect(fire('retry').filter((effect) => effect.startsWith('Ask'))).toEqual([])
    }
  })

  test('while frozen it hears no region, and keeps its timers for the thaw', () => {
    const { step, fire, getHome } = running()
    step({ type: 'FreezeChanged', isFrozen: true })
    expect(getHome(1)).toEqual([])
    expect(fire('retry')).toEqual([])
    expect(step({ type: 'MembersChanged', cluster })).toEqual([])
    step({ type: 'FreezeChanged', isFrozen: false })
    expect(step({ type: 'MembersChanged', cluster })).toContain('StartTimer retry')
    expect(step({ type: 'MembersChanged', cluster })).toEqual([])
  })

  test('stores nothing while frozen, also what was asked for before: whoever is next decides', () => {
    const { step, getHome, answer } = running()
    getHome(1)
    step({ type: 'FreezeChanged', isFrozen: true })
    expect(answer(1)).toEqual(['CancelTimer strategy/1', 'GiveUp NodeFrozen'])
    expect(step({ type: 'MembersChanged', cluster })).toEqual([])
  })
})
