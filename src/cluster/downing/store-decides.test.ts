import { describe, expect, test } from 'vitest'
import { id, names, tangle } from '../../../test/cluster/split-views.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { DowningMachine } from './downing-machine.ts'
import { strategyOf } from './downing-strategies.ts'
import type { DowningView } from './split-view.ts'
import { arbiterAttribute } from './store-majority.ts'
import { storeTimesOf } from './store-times.ts'

describe('where the store decides', () => {
  const beat = defaultClusterSettings.heartbeatIntervalMs
  const { stableAfterMs: stillMs, claimAfterMs, seenByAllMs } = storeTimesOf(defaultClusterSettings)

  const view = (members: string, records = '', leader = 'A', seenBy = ''): DowningView => ({
    ...tangle(members, records, seenBy, [arbiterAttribute]),
    leader: id(leader),
  })

  /** One of ABC, or of others, which cannot reach some of the others since 0. */
  function one(self: string, records: string, { members = 'ABC', seenBy = '' } = {}) {
    const byStore = strategyOf(defaultClusterSettings, true)
    const options = { self: id(self), settings: defaultClusterSettings, strategy: byStore }
    const machine = new DowningMachine(options)
    const see = (given: DowningView, now: number) =>
      machine.step({ type: 'ViewChanged', view: given }, now)
    see(view(members), 0)
    const effects = see(view(members, records, self, seenBy), 0)
    const tick = (now: number) => machine.step({ type: 'Tick' }, now)
    const shown = (nodes: string, now: number) =>
      machine.step({ type: 'GivenUpShown', nodes: nodes.split('').map(id) }, now)
    return { machine, effects, see, tick, shown }
  }

  test('the majority goes on, asks when the picture was still, and downs whom the store has given up', () => {
    const { machine, effects, tick, shown } = one('A', 'A>C B>C', { seenBy: 'AB' })
    expect([effects, tick(stillMs - 1)]).toEqual([[], []])
    expect(tick(stillMs)).toEqual([{ type: 'AskStore' }])
    expect(machine.wish).toEqual({ nodes: [id('C')], claimMs: 0 })
    expect(shown('C', stillMs + 20)).toEqual([{ type: 'Down', nodes: [id('C')], why: 'GivenUp' }])
  })

  test.each([
    // B hears A and D, has not frozen, and does not know that C holds what it says for old news.
    ['a pair of four', 'C', 'B>C C>B', 'ABCD', 'AC', 'B'],
    ['one whom a third one reaches', 'A', 'A>D B>D', 'ABCD', 'ABC', 'D'],
    ['one of two of whom one is reached', 'A', 'A>D B>D C>D A>E B>E', 'ABCDE', 'ABC', 'DE'],
    ['one whom all have lost, but not all know it', 'A', 'A>D B>D C>D', 'ABCD', 'AB', 'D'],
    ['one that somebody may reach who is about to go', 'A', 'A>D B>D', 'ABCxD', 'ABC', 'D'],
    ['who reach each other over a third one', 'A', 'B>C C>B', 'ABC', 'ABC', 'C'],
  ])(
    'where only some have lost touch, nobody is downed who may not have looked: %s',
    (_, self, records, members, seenBy, going) => {
      const { effects, machine, tick, shown } = one(self, records, { members, seenBy })
      expect(effects).toEqual([])
      const at = 20_000
      expect(tick(at)).toEqual([{ type: 'AskStore' }])
      expect(machine.wish).toEqual({ nodes: going.split('').map(id), claimMs: 0 })
      expect([shown(going, at + 20), tick(at + 20 + seenByAllMs - 1)]).toEqual([[], []])
      expect(tick(at + 20 + seenByAllMs)).toMatchObject([{ nodes: going.split('').map(id) }])
    },
  )

  test('others are frozen from the start, and claim first', () => {
    const { machine, effects, tick, shown } = one('C', 'C>A C>B')
    expect(effects).toEqual([{ type: 'Freeze' }])
    expect(tick(claimAfterMs - 1)).toEqual([])
    expect(tick(claimAfterMs)).toEqual([{ type: 'AskStore' }])
    expect(machine.wish).toEqual({ nodes: [id('A'), id('B')], claimMs: seenByAllMs })
    expect(shown('AB', 9_000)).toMatchObject([{ nodes: [id('A'), id('B')] }])
  })

  test('the next best asks too, a heartbeat later', () => {
    const { tick } = one('B', 'B>C')
    expect(tick(stillMs + beat - 1)).toEqual([])
    expect(tick(stillMs + beat)).toEqual([{ type: 'AskStore' }])
  })

  test('what others have decided is carried out when everybody has seen it, in turn', () => {
    const { tick, shown } = one('B', '')
    expect(shown('C', 1_000)).toEqual([])
    expect(tick(1_000 + seenByAllMs + beat - 1)).toEqual([])
    expect(tick(1_000 + seenByAllMs + beat)).toMatchObject([{ nodes: [id('C')], why: 'GivenUp' }])
  })

  test('nobody is wanted given up any more when the split is over, or another one', () => {
    const { machine, see, tick } = one('A', 'A>C')
    tick(stillMs)
    see(view('ABC'), stillMs + 100)
    expect(machine.wish).toBeUndefined()
    see(view('ABC', 'A>B'), stillMs + 200)
    expect(machine.wish).toBeUndefined()
    tick(2 * stillMs + 200)
    expect(machine.wish?.nodes).toEqual([id('B')])
  })

  test('whoever asks in vain asks on and on, and downs nobody', () => {
    const { tick } = one('A', 'A>C')
    const effects = Array.from({ length: 200 }, (_, each) => tick(stillMs + each * 250)).flat()
    expect(new Set(effects.map(({ type }) => type))).toEqual(new Set(['AskStore']))
  })

  test('a picture that keeps changing is asked about as it is, and ends nobody else', () => {
    const { machine, see, tick } = one('A', '')
    const asked: [number, string][] = []
    for (let now = 0; now < 16_000; now += 1_000) {
      see(view('ABCDE', now % 2_000 === 0 ? 'A>C' : 'A>C A>B'), now)
      for (const effect of tick(now)) {
        expect(effect).toEqual({ type: 'AskStore' })
        asked.push([now, names(machine.wish!.nodes)])
      }
    }
    // When it was unstable for so long that all would go by another strategy.
    expect(asked).toEqual([
      [14_000, 'C'],
      [15_000, 'BC'],
    ])
  })
})
