/** The strategies that are compared, under the names that tables have for them. */
import type { LimitedPassivation } from '../../src/sharding/index.ts'

const segmented = { policy: 'least-recently-used', proportions: [0.2, 0.8] } as const

export const strategies: ReadonlyMap<
  string,
  Omit<LimitedPassivation, 'activeEntityLimit'>
> = new Map([
  ['least-recently-used', { replacement: 'least-recently-used' }],
  ['segments 0.2/0.8', { replacement: segmented }],
  ['segments 4', { replacement: { policy: 'least-recently-used', segments: 4 } }],
  ['most-recently-used', { replacement: 'most-recently-used' }],
  ['least-frequently-used', { replacement: 'least-frequently-used' }],
  ['with aging', { replacement: { policy: 'least-frequently-used', dynamicAging: true } }],
  [
    'window, filter, segments',
    {
      replacement: segmented,
      admission: { window: { policy: 'least-recently-used' }, filter: 'frequency-sketch' },
    },
  ],
  ['adaptive', { replacement: 'adaptive' }],
])
