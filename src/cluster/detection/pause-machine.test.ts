import { describe, expect, test } from 'vitest'
import type { Standing } from '../cluster-messages.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import type { DowningStrategy } from '../downing/downing-strategy.ts'
import { keepMajority } from '../downing/keep-majority.ts'
import { type Member, joiningMember } from '../gossip/member.ts'
import { PauseMachine } from './pause-machine.ts'

const look = { type: 'Look' } as const
const standing = (from: string, question: number, word: Standing['standing'] = 'member') =>
  ({ type: 'Standing', from, question, standing: word }) as const
const types = (effects: readonly { readonly type: string }[]) => effects.map(({ type }) => type)

function pauseMachine(): PauseMachine {
  const settings = defaultClusterSettings
  return new PauseMachine({ self: 'a', settings, strategy: keepMajority({ role: undefined }) })
}

function membersChanged(others: readonly string[]) {
  const members = ['a', ...others].map((node): Member => joiningMember(node))
  return { type: 'MembersChanged', members } as const
}

/** A machine among `others` that slept from 250 ms to 30 s. */
function woken(others: readonly string[]) {
  const machine = pauseMachine()
  machine.step(membersChanged(others), 0)
  machine.step({ type: 'Tick' }, 250)
  return { machine, effects: machine.step(look, 30_000) }
}

describe('PauseMachine', () => {
  test('freezes before anything else is done after a long sleep, and asks everybody', () => {
    const { effects } = woken(['b', 'c'])
    expect(types(effects)).toEqual(['Overslept', 'Freeze', 'Send', 'Send'])
    expect(effects[0]).toEqual({ type: 'Overslept', ms: 29_500 })
    expect(effects[2]).toEqual({
      type: 'Send',
      to: 'b',
      message: { type: 'GetStanding', from: 'a', question: 1 },
    })
  })

  test('freezes when its ticks are overdue, though it does one thing after the other without a gap', () => {
    const machine = pauseMachine()
    machine.step(membersChanged(['b', 'c']), 0)
    machine.step({ type: 'Tick' }, 250)
    for (let now = 300; now < 2_250; now += 50) expect(machine.step(look, now)).toEqual([])
    const effects = machine.step(look, 2_250)
    expect(types(effects)).toEqual(['Overslept', 'Freeze', 'Send', 'Send'])
    expect(effects[0]).toEqual({ type: 'Overslept', ms: 1_750 })
    // Told once, not again and again.
    expect(machine.step(look, 2_300)).toEqual([])
    expect(types(machine.step(standing('b', 1), 2_350))).toEqual(['Thaw'])
    expect(types(machine.step(look, 4_250))).toContain('Freeze')
  })

  test('does not go on by an answer that waited for long: those who gave it may have given this node up since', () => {
    const { machine } = woken(['b', 'c'])
    for (let now = 30_050; now < 32_000; now += 50) expect(machine.step(look, now)).toEqual([])
    expect(types(machine.step(standing('b', 1), 32_000))).toEqual(['Overslept', 'Send', 'Send'])
    expect(types(machine.step(standing('b', 2), 32_200))).toEqual(['Thaw'])
  })

  test('does not mind an ordinary delay', () => {
    const machine = pauseMachine()
    machine.step({ type: 'Tick' }, 0)
    expect(machine.step({ type: 'Tick' }, 1_900)).toEqual([])
  })

  test('takes a wall clock that went on while the monotonic one stood still for a sleep', () => {
    const machine = pauseMachine()
    machine.step(membersChanged(['b', 'c']), 0)
    expect(machine.step({ ...look, wallMs: 500_000 }, 0)).toEqual([])
    machine.step({ type: 'Tick' }, 240)
    const effects = machine.step({ ...look, wallMs: 530_000 }, 250)
    expect(types(effects)).toEqual(['Overslept', 'Freeze', 'Send', 'Send'])
    // By the clock that counts their silence, the others were not silent.
    expect(effects[0]).toEqual({ type: 'Overslept', ms: 0 })
    expect(types(machine.step(standing('b', 1), 260))).toEqual(['Thaw'])
    expect(machine.step({ ...look, wallMs: 530_250 }, 500)).toEqual([])
  })

  test('believes a wall clock that jumps again and again three times a minute, and a real gap always', () => {
    const machine = pauseMachine()
    machine.step(membersChanged(['b', 'c']), 0)
    const slept: number[] = []
    for (let now = 0; now <= 70_000; now += 250) {
      // Three seconds ahead of itself every two seconds.
      const wallMs = now + Math.floor(now / 2_000) * 3_000
      if (types(machine.step({ ...look, wallMs }, now)).includes('Overslept')) slept.push(now)
    }
    expect(slept).toEqual([2_000, 4_000, 6_000, 62_000, 64_000, 66_000])
    expect(types(machine.step({ ...look, wallMs: 200_000 }, 72_000))).toContain('Overslept')
  })

  test.each([
    ['a little ahead', 1_999],
    ['back', -3_600_000],
  ])('does not mind a wall clock that was set %s', (_, ms) => {
    const machine = pauseMachine()
    machine.step(membersChanged(['b', 'c']), 0)
    machine.step({ ...look, wallMs: 500_000 }, 0)
    expect(machine.step({ ...look, wallMs: 500_000 + ms }, 250)).toEqual([])
    expect(machine.step({ ...look, wallMs: 500_250 + ms }, 500)).toEqual([])
    // What it was set to is the new time: a sleep after that is noticed.
    const effects = machine.step({ ...look, wallMs: 502_250 + ms }, 750)
    expect(types(effects)).toContain('Freeze')
  })

  test('thaws when more than half, itself included, say that it is a member', () => {
    const { machine } = woken(['b', 'c', 'd'])
    expect(machine.step(standing('b', 1), 30_010)).toEqual([])
    expect(machine.step(standing('b', 1), 30_020)).toEqual([])
    expect(types(machine.step(standing('c', 1), 30_030))).toEqual(['Thaw'])
  })

  test('counts neither old answers, nor strangers, nor other words', () => {
    const { machine } = woken(['b', 'c'])
    expect(machine.step(standing('b', 0), 30_010)).toEqual([])
    expect(machine.step(standing('z', 1), 30_010)).toEqual([])
    expect(machine.step(standing('c', 1, 'down'), 30_010)).toEqual([])
    expect(machine.step(standing('c', 1, 'doubted'), 30_010)).toEqual([])
    expect(machine.snapshot()).toEqual({ isDoubting: true, answers: 0 })
  })

  test('asks again, with a new question', () => {
    const { machine } = woken(['b'])
    expect(machine.step({ type: 'Tick' }, 30_250)).toEqual([])
    expect(machine.step({ type: 'Tick' }, 31_000)).toMatchObject([{ message: { question: 2 } }])
    expect(machine.step(standing('b', 1), 31_001)).toEqual([])
    expect(types(machine.step(standing('b', 2), 31_002))).toEqual(['Thaw'])
  })

  test('does not count itself awake because the others have gone meanwhile', () => {
    const { machine } = woken(['b', 'c'])
    expect(machine.step(membersChanged(['c']), 30_010)).toEqual([])
    const gone = machine.step(membersChanged(['d']), 30_020)
    expect(types(gone)).toEqual(['Hopeless'])
    expect(machine.step(standing('d', 1), 30_030)).not.toContainEqual({ type: 'Thaw' })
  })

  test('does not go on after a cut because those are gone who may have given it up', () => {
    const machine = pauseMachine()
    machine.step(membersChanged(['b']), 0)
    expect(machine.step({ type: 'CutOff' }, 100)).toEqual([])
    expect(machine.step(membersChanged(['d']), 150)).toEqual([])
    const back = machine.step({ type: 'WasCutOff' }, 200)
    expect(types(back)).toEqual(['Freeze', 'Send', 'Hopeless'])
    expect(types(machine.step(standing('d', 1), 250))).not.toContain('Thaw')
  })

  test('goes on after a cut by the word of those who were members before it, and counts anew from then on', () => {
    const machine = pauseMachine()
    machine.step(membersChanged(['b', 'c']), 0)
    machine.step({ type: 'CutOff' }, 100)
    machine.step(membersChanged(['c', 'd']), 150)
    machine.step({ type: 'WasCutOff' }, 200)
    expect(machine.step(standing('d', 1), 210)).toEqual([])
    expect(types(machine.step(standing('c', 1), 220))).toEqual(['Thaw'])
    // Who came meanwhile counts the next time.
    machine.step({ type: 'WasCutOff' }, 300)
    expect(types(machine.step(standing('d', 2), 310))).toEqual(['Thaw'])
  })

  test('has nobody to ask when alone', () => {
    expect(types(woken([]).effects)).toEqual(['Overslept', 'Freeze', 'Thaw'])
  })

  test('where the store decides, goes on by its word and that of all who can be reached', () => {
    const strategy: DowningStrategy = {
      ...keepMajority({ role: undefined }),
      weigh: ({ answered, reached, isShown }) =>
        isShown === true && [...(reached ?? [])].every((node) => answered.has(node))
          ? 'vouched'
          : 'open',
    }
    const machine = new PauseMachine({ self: 'a', settings: defaultClusterSettings, strategy })
    machine.step(membersChanged(['b', 'c']), 0)
    // Too early: nobody has asked anything.
    expect(machine.step({ type: 'ShownByStore' }, 100)).toEqual([])
    expect(types(machine.step({ type: 'WasCutOff' }, 200))).toEqual(['Freeze', 'Send', 'Send'])
    expect(machine.step({ type: 'ShownByStore' }, 300)).toEqual([])
    expect(machine.step(standing('b', 1), 400)).toEqual([])
    const unreachable = new Set(['c'])
    expect(machine.step({ ...membersChanged(['b', 'c']), unreachable }, 500)).toEqual([
      { type: 'Thaw' },
    ])
  })
})
