import { describe, expect, test } from 'vitest'
import type { LimitedPassivation } from '../../../src/sharding/index.ts'
import { RehearsedRegion } from './rehearsed-region.ts'

const segmented = { policy: 'least-recently-used', proportions: [0.2, 0.8] } as const

const twenty = Array.from({ length: 200 }, (_, message) => (message % 20) + 1)

/** A thousand messages for 64 entities of which the lower numbers are more popular. */
function drawn(): number[] {
  let state = 42
  const draw = (): number => {
    state = (Math.imul(1_103_515_245, state) + 12_345) & 0x7fffffff
    return (state >> 16) % 64
  }
  return Array.from({ length: 1000 }, () => Math.min(draw(), draw()) + 1)
}

function played(given: Omit<LimitedPassivation, 'activeEntityLimit'>, ids: readonly number[]) {
  const region = new RehearsedRegion({ activeEntityLimit: 10, ...given })
  for (const id of ids) region.touch(0, String(id))
  const active = region.active(0).map(Number)
  return [region.activations, region.passivations, active.toSorted((a, b) => a - b)] as const
}

describe('SH-060 figures of short traces', () => {
  test('begin as they are written down', () => {
    expect(drawn().slice(0, 12)).toEqual([10, 38, 6, 5, 2, 19, 21, 49, 6, 36, 21, 15])
  })

  test.each<[string, Omit<LimitedPassivation, 'activeEntityLimit'>, number, number, number[]]>([
    [
      'least recently used',
      { replacement: 'least-recently-used' },
      ...[200, 777],
      [5, 8, 11, 21, 23, 28, 39, 41, 43, 53],
    ],
    [
      'most recently used',
      { replacement: 'most-recently-used' },
      ...[110, 843],
      [3, 6, 8, 14, 20, 24, 35, 38, 42, 48],
    ],
    [
      'two segments',
      { replacement: segmented },
      ...[200, 776],
      [2, 7, 8, 10, 14, 24, 26, 28, 42, 53],
    ],
    [
      'four segments',
      { replacement: { policy: 'least-recently-used', segments: 4 } },
      ...[200, 771],
      [2, 5, 8, 14, 21, 23, 39, 43, 47, 53],
    ],
    [
      'least frequently used',
      { replacement: 'least-frequently-used' },
      ...[200, 767],
      [3, 6, 8, 10, 11, 12, 21, 26, 36, 53],
    ],
    [
      'least frequently used with aging',
      { replacement: { policy: 'least-frequently-used', dynamicAging: true } },
      ...[200, 772],
      [3, 8, 11, 21, 23, 28, 39, 41, 43, 53],
    ],
    [
      'window, filter and segments',
      {
        replacement: segmented,
        admission: {
          window: { policy: 'least-recently-used', proportion: 0.1 },
          filter: 'frequency-sketch',
        },
      },
      ...[119, 745],
      [1, 3, 5, 8, 10, 11, 14, 18, 21, 42],
    ],
  ] as never)('%s', (_, given, ofLoop, ofDrawn, active) => {
    expect(played(given, twenty).slice(0, 2)).toEqual([ofLoop, ofLoop - 10])
    expect(played(given, drawn())).toEqual([ofDrawn, ofDrawn - 10, active])
  })
})
