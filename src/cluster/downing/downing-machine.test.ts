import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { type ClusterSettings, defaultClusterSettings } from '../cluster-settings.ts'
import type { Member, MemberStatus } from '../gossip/member.ts'
import type { CutDecision } from './clean-cut.ts'
import type { DowningEffect, DowningInput, DowningOptions } from './downing-inputs.ts'
import { DowningMachine } from './downing-machine.ts'
import { defaultDowningSettings } from './downing-settings.ts'
import { keepMajority } from './keep-majority.ts'
import { keepOldest } from './keep-oldest.ts'
import type { DowningView } from './split-view.ts'

const id = (name: string): NodeId => nodeIdOf(`${name.toLowerCase()}:1`, 1n)
const names = (nodes: readonly NodeId[]) => nodes.map((node) => node[0]!.toUpperCase()).join('')
const marks: Record<string, MemberStatus> = { j: 'Joining', l: 'Leaving', x: 'Exiting', d: 'Down' }
const waitMs = 5_000
const settings: ClusterSettings = {
  ...defaultClusterSettings,
  downing: { ...defaultDowningSettings, stableAfterMs: waitMs },
}

const strategy = keepMajority({ role: undefined })

/** `ABCd` with `A>B` for A cannot reach B. The leader is the lowest that is not cut off. */
function view(members: string, records = '', leader = 'A'): DowningView {
  const list = [...members.matchAll(/([A-Z])([jlxd]?)/g)].map(([, name, mark], index): Member => ({
    node: id(name!),
    status: marks[mark!] ?? 'Up',
    roles: [],
    attributes: [],
    appVersion: '1.0.0',
    upNumber: index + 1,
  }))
  const pairs = records.split(' ').filter((word) => word !== '')
  const rows = pairs.map(([observer, , subject]) => ({
    observer: id(observer!),
    subject: id(subject!),
    status: 'Unreachable' as const,
  }))
  const unreachable = new Set(rows.map(({ subject }) => subject))
  return { members: list, unreachable, records: rows, seenBy: new Set(), leader: id(leader) }
}

type Views = readonly (readonly [at: number, view: DowningView])[]

function run(self: string, ...views: Views) {
  return runWith({ self: id(self), settings, strategy }, views)
}

function runWith(options: DowningOptions, views: Views) {
  const machine = new DowningMachine(options)
  const story: string[] = []
  for (let now = 0; now <= 40_000; now += 250) {
    const due = views
      .filter(([at]) => at === now)
      .map(([, next]) => ({ type: 'ViewChanged', view: next }) as const)
    for (const input of [...due, { type: 'Tick' } as const]) {
      for (const effect of machine.step(input, now)) {
        const what =
          effect.type === 'Down' ? `Down ${names(effect.nodes)} ${effect.why}` : effect.type
        story.push(`${now} ${what}`)
      }
    }
    if (story.some((line) => line.includes('Down'))) break
  }
  return story
}

describe('SB-006 timing and leadership (V-17)', () => {
  test('the leader downs when the picture has been still for long enough', () => {
    expect(run('A', [0, view('ABC')], [1_000, view('ABC', 'A>B C>B')])).toEqual([
      '6000 Down B DownUnreachable',
    ])
  })

  test('nobody else does', () => {
    const cut = view('ABC', 'A>B')
    expect(run('C', [0, view('ABC')], [1_000, cut], [7_000, view('ABdC', 'A>B')])).toEqual([])
  })

  test('leadership gained or lost while waiting counts at the end', () => {
    const gained = run('A', [0, view('ABC', 'A>B', 'C')], [4_000, view('ABC', 'A>B', 'A')])
    expect(gained).toEqual(['5000 Down B DownUnreachable'])
    const lost = [
      [0, view('ABC', 'A>B', 'A')],
      [4_000, view('ABC', 'A>B', 'C')],
      [9_000, view('ABdC', 'A>B', 'C')],
    ] as const
    expect(run('A', ...lost)).toEqual([])
  })

  test('any change of reachability, and any member that comes or goes, starts the wait anew', () => {
    const cut = 'A>B'
    expect(run('A', [0, view('ABCDE', cut)], [4_000, view('ABCDE', 'A>B A>C')])).toEqual([
      '9000 Down BC DownUnreachable',
    ])
    expect(run('A', [0, view('ABCDj', cut)], [4_000, view('ABCD', cut)])).toEqual([
      '9000 Down B DownUnreachable',
    ])
    expect(run('A', [0, view('ABCDl', cut)], [4_000, view('ABCDx', cut)])).toEqual([
      '9000 Down B DownUnreachable',
    ])
    expect(run('A', [0, view('ABC', cut)], [4_000, view('ABCDj', cut)])).toEqual([
      '5000 Down B DownUnreachable',
    ])
  })

  test('healed, removed or downed by others in time: nothing to do', () => {
    for (const healed of [view('ABC'), view('AC'), view('ABdC', 'A>B')]) {
      expect(run('A', [0, view('ABC', 'A>B')], [4_000, healed])).toEqual([])
    }
  })

  test('ABCDE with A>B and C>D: B and D', () => {
    expect(run('A', [0, view('ABCDE', 'A>B C>D')])).toEqual(['5000 Down BD DownUnreachable'])
  })

  test('the losing side freezes at once, downs itself last, and thaws when the view heals', () => {
    expect(run('C', [0, view('ABC')], [1_000, view('ABC', 'C>A C>B', 'C')])).toEqual([
      '1000 Freeze',
      '6000 Down C DownReachable',
    ])
    expect(run('C', [1_000, view('ABC', 'C>A C>B', 'C')], [3_000, view('ABC')])).toEqual([
      '1000 Freeze',
      '3000 Thaw',
    ])
    expect(run('B', [0, view('ABCDE', 'B>A B>D B>E', 'B')])).toEqual([
      '0 Freeze',
      '5000 Down CB DownReachable',
    ])
  })

  test('keep-oldest, A leads and E is the oldest: A>B A>C E>D downs B, C and D', () => {
    const byAge = keepOldest({ downIfAlone: true, role: undefined })
    const aged = view('ABCDE', 'A>B A>C E>D')
    const members = aged.members.map((member, index) => ({ ...member, upNumber: 5 - index }))
    const options = { self: id('A'), settings, strategy: byAge }
    expect(runWith(options, [[0, { ...aged, members }]])).toEqual(['5000 Down BCD DownUnreachable'])
  })

  test('those that are only joining decide nothing, also where one of them leads, and do nothing either', () => {
    for (const self of ['A', 'B']) {
      expect(run(self, [0, view('AjBjC', 'A>C B>C')])).toEqual(['0 Freeze'])
    }
  })

  test('a picture that keeps changing for too long ends with all down, on every node', () => {
    const flapping = Array.from({ length: 20 }, (_, index) => {
      const trouble = index % 2 === 0 ? 'A>B A>C' : 'A>B'
      return [index * 2_000, view('ABCDE', trouble)] as const
    })
    expect(run('E', ...flapping)).toEqual(['15250 Down ABCDE Unstable'])
  })

  test('a tangle is given the time in which a cut would be noticed', () => {
    expect(run('C', [0, view('ABCDE', 'A>B B>A', 'C')])).toEqual([
      '9750 Down BA DownIndirectlyConnected',
    ])
  })

  test('whoever is out of touch with most others gives nobody up until it hears from them', () => {
    const machine = new DowningMachine({ self: id('A'), settings, strategy })
    machine.step({ type: 'ViewChanged', view: view('ABC', 'A>B') }, 0)
    expect(machine.step({ type: 'Tick', isOutOfTouch: true }, waitMs)).toEqual([])
    expect(machine.step({ type: 'Tick' }, waitMs + 250)).toMatchObject([{ type: 'Down' }])
  })

  test('whoever is out of touch with those who speak of a tangle waits anew when it hears from them', () => {
    const machine = new DowningMachine({ self: id('A'), settings, strategy })
    machine.step({ type: 'ViewChanged', view: view('ABC', 'B>C C>B') }, 0)
    const tangleWaitMs = 9_750
    for (let now = 0; now < 8_000; now += 250) machine.step({ type: 'Tick' }, now)
    for (let now = 8_000; now <= 20_000; now += 250) {
      expect(machine.step({ type: 'Tick', isOutOfTouch: true }, now)).toEqual([])
    }
    expect(machine.step({ type: 'Tick' }, 20_000 + tangleWaitMs - 250)).toEqual([])
    const [down] = machine.step({ type: 'Tick' }, 20_000 + tangleWaitMs)
    expect(down).toMatchObject({ type: 'Down', why: 'DownIndirectlyConnected' })
  })

  test('one of a tangle ends all the same when it is out of touch', () => {
    const machine = new DowningMachine({ self: id('B'), settings, strategy })
    machine.step({ type: 'ViewChanged', view: view('ABC', 'B>C C>B', 'B') }, 0)
    const [down] = machine.step({ type: 'Tick', isOutOfTouch: true }, 9_750)
    expect(down).toMatchObject({ type: 'Down', why: 'DownIndirectlyConnected' })
  })

  test('after a sleep the wait starts anew', () => {
    const machine = new DowningMachine({ self: id('A'), settings, strategy })
    machine.step({ type: 'ViewChanged', view: view('ABC', 'A>B') }, 0)
    machine.step({ type: 'Overslept' }, 30_000)
    expect(machine.step({ type: 'Tick' }, 30_000)).toEqual([])
    expect(machine.step({ type: 'Tick' }, 35_000)).toMatchObject([{ type: 'Down' }])
  })
})

/** With other waits than those above. */
const waiting = (self: string, stillMs: number, unstableMs?: number): DowningOptions => ({
  self: id(self),
  settings: {
    ...settings,
    downing: {
      ...settings.downing,
      stableAfterMs: stillMs,
      ...(unstableMs !== undefined && { downAllWhenUnstableMs: unstableMs }),
    },
  },
  strategy,
})

describe('SB-006 at other waits', () => {
  const whole = [0, view('ABC')] as const
  const cut = [1_000, view('ABC', 'A>B C>B')] as const
  const ledByC = view('ABC', 'A>B C>B', 'C')
  /** By whoever leads. */
  const downed = [6_000, view('ABdC', 'A>B C>B')] as const
  const told = (self: string, stillMs: number, ...views: Views) =>
    runWith(waiting(self, stillMs), [whole, ...views])

  test.each([0, 1_000, 2_000])('the leader acts after %d ms, and nobody else ever', (stillMs) => {
    expect(told('A', stillMs, cut)).toEqual([`${1_000 + stillMs} Down B DownUnreachable`])
    expect(told('C', stillMs, cut, downed)).toEqual([])
  })

  test.each([1_000, 2_000])('leadership gained or lost within %d ms counts', (stillMs) => {
    const meanwhileMs = 1_000 + stillMs / 2
    const gained = told('A', stillMs, [1_000, ledByC], [meanwhileMs, cut[1]])
    expect(gained).toEqual([`${1_000 + stillMs} Down B DownUnreachable`])
    expect(told('A', stillMs, cut, [meanwhileMs, ledByC], downed)).toEqual([])
  })

  test.each([
    ['can be reached again', view('ABC')],
    ['was removed', view('AC')],
    ['was downed by others', view('ABdC', 'A>B C>B')],
  ])('nothing is done about one that %s in time', (_, then) => {
    for (const stillMs of [1_000, 2_000]) {
      expect(told('A', stillMs, cut, [1_000 + stillMs / 2, then])).toEqual([])
    }
  })

  test.each([0, 1_000, 2_000])(
    'after %d ms the other side is frozen: what was removed need not be waited for once more',
    (stillMs) => {
      const [freezes] = told('C', stillMs, [1_000, view('ABC', 'C>A C>B', 'C')])
      const [acts] = told('A', stillMs, [1_000, view('ABC', 'A>C B>C')])
      expect([freezes, acts]).toEqual(['1000 Freeze', `${1_000 + stillMs} Down C DownUnreachable`])
    },
  )
})

describe('SB-007 down all when unstable', () => {
  const quick = (unstableMs: number) => waiting('A', 2_000, unstableMs)
  /** Every second another one of five cannot be reached besides. */
  const troubles = ['A>B', 'A>B A>C', 'A>B', 'A>B A>C', 'A>B', 'A>B A>C']
  const flapping = troubles.map((trouble, at) => [at * 1_000, view('ABCDE', trouble)] as const)

  test.each([
    [1_000, '3250 Down BCDEA Unstable'],
    [500, '2750 Down BCDEA Unstable'],
  ])('changing each second, all five go after 2 s and %d ms', (unstableMs, expected) => {
    expect(runWith(quick(unstableMs), flapping)).toEqual([expected])
  })

  test('nothing is decided while it changes, and nothing when all can be reached in time', () => {
    const healed = [...flapping.slice(0, 3), [2_500, view('ABCDE')] as const]
    expect(runWith(quick(1_000), healed)).toEqual([])
  })

  test('a picture that comes to rest in time is decided as any', () => {
    expect(runWith(quick(1_000), flapping.slice(0, 2))).toEqual(['3000 Down BC DownUnreachable'])
  })

  test('never, where that was chosen', () => {
    expect(runWith(quick(Infinity), flapping)).toEqual(['7000 Down BC DownUnreachable'])
  })
})

describe('a strategy with a question', () => {
  const cut = view('ABC', 'A>B A>C')
  const question = { question: 'who has the lease?', askAfterMs: 1_000, freezeAfterMs: 3_000 }

  /** A, which leads its side, and cannot reach B and C since 0. */
  function asking(changes: Partial<typeof question> = {}) {
    const decide = () => ({ ...question, ...changes })
    const holds = { ...strategy, decide, holdsMs: 3_000 }
    const options = { self: id('A'), settings, strategy: holds }
    const machine = new DowningMachine(options)
    machine.step({ type: 'ViewChanged', view: view('ABC') }, 0)
    const effects = machine.step({ type: 'ViewChanged', view: cut }, 0)
    const tick = (now: number) => machine.step({ type: 'Tick' }, now)
    const answer = (number: number, decision: CutDecision | undefined, now: number) =>
      machine.step({ type: 'ArbiterAnswered', number, decision }, now)
    return { machine, effects, tick, answer }
  }

  const numberIn = (effects: readonly DowningEffect[]) =>
    effects.flatMap((effect) => (effect.type === 'AskArbiter' ? [effect.number] : []))[0]!

  test('has it asked once, when the picture was still for long enough and a while longer', () => {
    const { effects, tick } = asking({ freezeAfterMs: Infinity })
    expect(effects).toEqual([])
    expect(tick(5_999)).toEqual([])
    expect(tick(6_000)).toMatchObject([{ type: 'AskArbiter', question: 'who has the lease?' }])
    for (const now of [10_000, 30_000, 90_000]) expect(tick(now)).toEqual([])
  })

  test('acts on the answer as on any verdict', () => {
    const { tick, answer } = asking({ freezeAfterMs: Infinity })
    const number = numberIn(tick(6_000))
    expect(answer(number, 'DownUnreachable', 7_000)).toEqual([])
    // Whoever asked an arbiter may be out of touch with everybody.
    expect(tick(7_250)).toEqual([
      { type: 'Down', nodes: [id('B'), id('C')], why: 'DownUnreachable' },
    ])
  })

  test('freezes at once when the answer is against it, and downs itself', () => {
    const { tick, answer } = asking({ freezeAfterMs: Infinity })
    expect(answer(numberIn(tick(6_000)), 'DownReachable', 7_000)).toEqual([{ type: 'Freeze' }])
    expect(tick(7_250)).toMatchObject([{ type: 'Down', nodes: [id('A')] }])
  })

  test('freezes meanwhile when the strategy says so, and stays so until the split is over', () => {
    expect(asking({ freezeAfterMs: 0 }).effects).toEqual([{ type: 'Freeze' }])
    const { machine, tick, answer } = asking()
    expect(tick(2_999)).toEqual([])
    expect(tick(3_000)).toEqual([{ type: 'Freeze' }])
    expect(answer(numberIn(tick(6_000)), 'DownUnreachable', 7_000)).toEqual([])
    const healed = { type: 'ViewChanged', view: view('ABC') } as const
    expect(machine.step(healed, 7_100)).toEqual([{ type: 'Thaw' }])
  })

  test('asks again when the arbiter could not say, and downs nobody', () => {
    const { tick, answer } = asking({ freezeAfterMs: Infinity })
    const number = numberIn(tick(6_000))
    expect(answer(number, undefined, 7_000)).toEqual([])
    expect(tick(7_900)).toEqual([])
    expect(numberIn(tick(8_000))).toBe(number)
  })

  test.each<[string, DowningInput]>([
    ['the view has changed', { type: 'ViewChanged', view: view('ABC', 'A>B') }],
    ['it slept', { type: 'Overslept' }],
  ])('ignores an answer to a question from before %s, and asks another', (_, news) => {
    const { machine, tick, answer } = asking({ freezeAfterMs: Infinity })
    const number = numberIn(tick(6_000))
    machine.step(news, 6_500)
    expect(answer(number, 'DownReachable', 7_000)).toEqual([])
    expect(tick(12_400)).toEqual([])
    expect(numberIn(tick(12_500))).toBeGreaterThan(number)
  })

  test('freezes at once whoever goes whatever the answer is', () => {
    const tangled = view('ABC', 'A>B B>A', 'C')
    const frozen = ['A', 'B', 'C'].filter((self) => {
      const decide = () => ({ ...question, freezeAfterMs: Infinity })
      const asks = { ...strategy, decide, decideTangle: decide }
      const machine = new DowningMachine({ self: id(self), settings, strategy: asks })
      machine.step({ type: 'ViewChanged', view: tangled }, 0)
      return machine.snapshot().isFrozen
    })
    expect(frozen).toEqual(['A', 'B'])
  })

  test('keeps the arbiter to its decision until all are gone, and a while longer', () => {
    const { machine, tick, answer } = asking({ freezeAfterMs: Infinity })
    const looks = (now: number) => tick(now).filter(({ type }) => type === 'ArbiterIsOver')
    answer(numberIn(tick(6_000)), 'DownUnreachable', 7_000)
    tick(7_250)
    machine.step({ type: 'ViewChanged', view: view('ABdCd', 'A>B A>C') }, 7_300)
    expect(looks(20_000)).toEqual([])
    machine.step({ type: 'ViewChanged', view: view('A') }, 20_100)
    expect([20_250, 23_000].flatMap(looks)).toEqual([])
    expect(looks(23_250)).toEqual([{ type: 'ArbiterIsOver' }])
    expect(looks(30_000)).toEqual([])
  })

  test('asks only about the cut beside a tangle, which goes in any case', () => {
    const { machine, tick, answer } = asking({ freezeAfterMs: Infinity })
    const tangled = view('ABCDE', 'B>C C>B A>D', 'A')
    machine.step({ type: 'ViewChanged', view: tangled }, 6_500)
    // As long as it takes to notice a cut, and a second longer.
    expect(tick(15_000)).toEqual([])
    expect(answer(numberIn(tick(19_000)), 'DownUnreachable', 19_010)).toEqual([])
    expect(tick(19_250)).toMatchObject([
      { nodes: [id('C'), id('B'), id('D')], why: 'DownIndirectlyConnected' },
    ])
  })
})
