import { describe, expect, test } from 'vitest'
import type { Standing } from '../cluster-messages.ts'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { PauseDetector } from './pause-detector.ts'

const look = { type: 'Look' } as const
const standing = (from: string, question: number, word: Standing['standing'] = 'member') =>
  ({ type: 'Standing', from, question, standing: word }) as const
const types = (effects: readonly { readonly type: string }[]) => effects.map(({ type }) => type)

/** A detector among `others` that slept from 250 ms to 30 s. */
function woken(others: readonly string[]) {
  const detector = new PauseDetector('a', defaultClusterSettings)
  detector.step({ type: 'MembersChanged', others }, 0)
  detector.step({ type: 'Tick' }, 250)
  return { detector, effects: detector.step(look, 30_000) }
}

describe('PauseDetector', () => {
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

  test('does not mind an ordinary delay', () => {
    const detector = new PauseDetector('a', defaultClusterSettings)
    detector.step({ type: 'Tick' }, 0)
    expect(detector.step({ type: 'Tick' }, 1_900)).toEqual([])
  })

  test('takes a wall clock that went on while the monotonic one stood still for a sleep', () => {
    const detector = new PauseDetector('a', defaultClusterSettings)
    detector.step({ type: 'MembersChanged', others: ['b', 'c'] }, 0)
    expect(detector.step({ ...look, wallMs: 500_000 }, 0)).toEqual([])
    detector.step({ type: 'Tick' }, 240)
    const effects = detector.step({ ...look, wallMs: 530_000 }, 250)
    expect(types(effects)).toEqual(['Overslept', 'Freeze', 'Send', 'Send'])
    // By the clock that counts their silence, the others were not silent.
    expect(effects[0]).toEqual({ type: 'Overslept', ms: 0 })
    expect(types(detector.step(standing('b', 1), 260))).toEqual(['Thaw'])
    expect(detector.step({ ...look, wallMs: 530_250 }, 500)).toEqual([])
  })

  test('believes a wall clock that jumps again and again three times a minute, and a real gap always', () => {
    const detector = new PauseDetector('a', defaultClusterSettings)
    detector.step({ type: 'MembersChanged', others: ['b', 'c'] }, 0)
    const slept: number[] = []
    for (let now = 0; now <= 70_000; now += 250) {
      // Three seconds ahead of itself every two seconds.
      const wallMs = now + Math.floor(now / 2_000) * 3_000
      if (types(detector.step({ ...look, wallMs }, now)).includes('Overslept')) slept.push(now)
    }
    expect(slept).toEqual([2_000, 4_000, 6_000, 62_000, 64_000, 66_000])
    expect(types(detector.step({ ...look, wallMs: 200_000 }, 72_000))).toContain('Overslept')
  })

  test.each([
    ['a little ahead', 1_999],
    ['back', -3_600_000],
  ])('does not mind a wall clock that was set %s', (_, ms) => {
    const detector = new PauseDetector('a', defaultClusterSettings)
    detector.step({ type: 'MembersChanged', others: ['b', 'c'] }, 0)
    detector.step({ ...look, wallMs: 500_000 }, 0)
    expect(detector.step({ ...look, wallMs: 500_000 + ms }, 250)).toEqual([])
    expect(detector.step({ ...look, wallMs: 500_250 + ms }, 500)).toEqual([])
    // What it was set to is the new time: a sleep after that is noticed.
    const effects = detector.step({ ...look, wallMs: 502_250 + ms }, 750)
    expect(types(effects)).toContain('Freeze')
  })

  test('thaws when more than half, itself included, say that it is a member', () => {
    const { detector } = woken(['b', 'c', 'd'])
    expect(detector.step(standing('b', 1), 30_010)).toEqual([])
    expect(detector.step(standing('b', 1), 30_020)).toEqual([])
    expect(types(detector.step(standing('c', 1), 30_030))).toEqual(['Thaw'])
  })

  test('counts neither old answers, nor strangers, nor other words', () => {
    const { detector } = woken(['b', 'c'])
    expect(detector.step(standing('b', 0), 30_010)).toEqual([])
    expect(detector.step(standing('z', 1), 30_010)).toEqual([])
    expect(detector.step(standing('c', 1, 'down'), 30_010)).toEqual([])
    expect(detector.step(standing('c', 1, 'doubted'), 30_010)).toEqual([])
    expect(detector.snapshot()).toEqual({ isDoubting: true, answers: 0 })
  })

  test('asks again, with a new question', () => {
    const { detector } = woken(['b'])
    expect(detector.step({ type: 'Tick' }, 30_250)).toEqual([])
    expect(detector.step({ type: 'Tick' }, 31_000)).toMatchObject([{ message: { question: 2 } }])
    expect(detector.step(standing('b', 1), 31_001)).toEqual([])
    expect(types(detector.step(standing('b', 2), 31_002))).toEqual(['Thaw'])
  })

  test('does not count itself awake because the others have gone meanwhile', () => {
    const { detector } = woken(['b', 'c'])
    expect(detector.step({ type: 'MembersChanged', others: ['c'] }, 30_010)).toEqual([])
    const gone = detector.step({ type: 'MembersChanged', others: ['d'] }, 30_020)
    expect(types(gone)).toEqual(['Hopeless'])
    expect(detector.step(standing('d', 1), 30_030)).not.toContainEqual({ type: 'Thaw' })
  })

  test('has nobody to ask when alone', () => {
    expect(types(woken([]).effects)).toEqual(['Overslept', 'Freeze', 'Thaw'])
  })
})
