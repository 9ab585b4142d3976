import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Duration, formatMs, InvalidDuration, minutes, seconds, toMs } from './duration.ts'

describe('toMs', () => {
  test('takes a number as milliseconds', () => {
    expect(toMs(250)).toBe(250)
    expect(toMs(0)).toBe(0)
    expect(toMs(1.5)).toBe(1.5)
    expect(toMs(-0)).toBe(0)
  })

  test.each<[Duration, number]>([
    ['250ms', 250],
    ['0s', 0],
    ['10s', 10_000],
    ['1.5m', 90_000],
    ['1.005s', 1_005],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
  ])('reads %s as %d ms', (text, ms) => {
    expect(toMs(text)).toBe(ms)
  })

  test.each<unknown>([
    NaN,
    -1,
    Infinity,
    '',
    '10',
    's',
    '10 s',
    ' 10s',
    '-5s',
    '1e3s',
    '.5s',
    '10w',
    '10sm',
    '10s\n',
    'Infinityms',
    `${'9'.repeat(400)}s`,
    null,
    undefined,
    10n,
    {},
  ])('refuses %s', (value) => {
    expect(() => toMs(value as Duration)).toThrow(InvalidDuration)
  })

  test('names the setting, shows the value and gives an example when it refuses', () => {
    const attempt = () => toMs('10 seconds' as Duration, 'handOffTimeout')
    expect(attempt).toThrow(
      expect.objectContaining({
        code: 'INVALID_DURATION',
        name: 'InvalidDuration',
        value: '10 seconds',
        message:
          "handOffTimeout is not a length of time: '10 seconds'; write milliseconds or a number " +
          "with a unit (ms, s, m, h, d), such as 250, '10s' or '1.5m'",
      }),
    )
  })

  test('agrees with the helpers for whole counts', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (count) => {
        expect(toMs(`${count}s`)).toBe(seconds(count))
        expect(toMs(`${count}m`)).toBe(minutes(count))
      }),
    )
  })
})

describe('formatMs', () => {
  test.each([
    [0, '0 ms'],
    [0.256, '0.26 ms'],
    [250, '250 ms'],
    [999.999, '1 s'],
    [1_500, '1.5 s'],
    [59_999, '1 m'],
    [90_000, '1 m 30 s'],
    [3_599_999, '1 h'],
    [5_400_000, '1 h 30 m'],
    [86_399_999, '1 d'],
    [187_200_000, '2 d 4 h'],
    [-1_500, '-1.5 s'],
    [Infinity, 'Infinity ms'],
    [NaN, 'NaN ms'],
  ])('shows %d as %s', (ms, text) => {
    expect(formatMs(ms)).toBe(text)
  })

  test('never shows a full larger unit in a smaller one', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e10, noNaN: true }), (ms) => {
        expect(formatMs(ms)).not.toMatch(/\b(1000 ms|60 s|60 m|24 h)$/)
      }),
    )
  })
})
