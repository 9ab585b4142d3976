import { describe, expect, test } from 'vitest'
import { nodeIdOf } from '../../foundation/node-id.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { silenceMs } from './silent-members.ts'
import { storeTimesOf } from './store-times.ts'
import { StoreWatch, type WatchInput } from './store-watch.ts'

const { freshMs, lookEveryMs } = storeTimesOf(defaultClusterSettings)
const calm: WatchInput = {
  isInService: true,
  seesSplit: false,
  isDoubting: false,
  isClaimed: false,
  shownAt: 0,
  problem: 'it is away',
  wouldGiveUp: [],
}
const look = { type: 'LookSoon', withinMs: lookEveryMs } as const

function watch() {
  const machine = new StoreWatch(defaultClusterSettings)
  const at = (now: number, changes: Partial<WatchInput> = {}) =>
    machine.step({ ...calm, ...changes }, now).map((effect) => effect.type)
  return { machine, at }
}

describe('StoreWatch', () => {
  test('needs no store while everybody answers, or nothing lives here', () => {
    const { at } = watch()
    expect([at(60_000), at(90_000, { seesSplit: true, isInService: false })]).toEqual([[], []])
  })

  test('looks often when somebody does not, and freezes when the store does not answer in time', () => {
    const { machine, at } = watch()
    const split = { ...calm, seesSplit: true, shownAt: 9_000 }
    expect(machine.step(split, 10_000)).toEqual([look])
    expect(at(10_000 + freshMs, split)).toEqual(['LookSoon'])
    expect(at(10_001 + freshMs, split)).toEqual(['LookSoon', 'Freeze'])
    expect(at(12_000, { ...split, shownAt: 11_500 })).toEqual(['LookSoon', 'Thaw'])
    expect(at(12_000 + freshMs, { ...split, shownAt: 11_500 })).toEqual(['LookSoon', 'Freeze'])
    expect(at(20_000, { shownAt: 11_500 })).toEqual(['Thaw'])
  })

  test('has no time to lose when somebody claims against it', () => {
    const { at } = watch()
    expect(at(10_000, { isClaimed: true, shownAt: 9_500 })).toEqual(['LookSoon'])
    expect(at(10_800, { isClaimed: true, shownAt: 9_500 })).toEqual(['LookSoon', 'Freeze'])
    const late = watch()
    expect(late.at(10_000, { isClaimed: true, shownAt: 8_000 })).toEqual(['LookSoon', 'Freeze'])
  })

  test('passes on what was shown after a doubt, and looks at once for that', () => {
    const { machine, at } = watch()
    machine.doubts(10_000)
    const doubting = { ...calm, isDoubting: true, shownAt: 9_900 }
    expect(machine.step(doubting, 10_000)).toEqual([{ type: 'LookSoon', withinMs: 0 }])
    expect(at(10_050, { ...doubting, shownAt: 10_000 })).toEqual(['LookSoon', 'ShownByStore'])
  })

  test('says now and then that nobody is given up while the store does not answer', () => {
    const { machine } = watch()
    const node = nodeIdOf('b:1', 1n)
    const told: number[] = []
    for (let now = 0; now <= 30_000; now += 250) {
      const input = { ...calm, seesSplit: true, wouldGiveUp: [node] }
      for (const effect of machine.step(input, now)) {
        if (effect.type !== 'AwaitingStore') continue
        expect(effect).toEqual({ type: 'AwaitingStore', nodes: [node], problem: 'it is away' })
        told.push(now)
      }
    }
    expect(told).toEqual([2_000, 12_000, 22_000])
  })
})

test('the times go together: whoever looks is frozen before anybody acts, at all settings', () => {
  for (const heartbeatIntervalMs of [200, 1_000, 5_000]) {
    for (const tickIntervalMs of [heartbeatIntervalMs / 10, heartbeatIntervalMs / 2]) {
      const settings = { ...defaultClusterSettings, heartbeatIntervalMs, tickIntervalMs }
      const times = storeTimesOf(settings)
      // Two looks fit in, and a tick until it is noticed; clocks may err by a twentieth.
      expect(times.freshMs).toBeGreaterThan(2 * times.lookEveryMs)
      expect(times.seenByAllMs).toBeGreaterThan(1.1 * times.freshMs + tickIntervalMs)
      const silenceIsNoticedMs = silenceMs(settings) + tickIntervalMs
      const actsMs = times.claimAfterMs + times.seenByAllMs
      expect(actsMs).toBeGreaterThan(silenceIsNoticedMs + times.freshMs + tickIntervalMs)
      expect(times.storelessMs).toBeLessThan(actsMs)
    }
  }
})
