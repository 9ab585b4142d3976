import { describe, expect, test } from 'vitest'
import { chosenPassivation } from './chosen-passivation.ts'
import { makeStrategy } from './make-strategy.ts'
import { problemsWithPassivation } from './passivation-check.ts'
import type { LimitedPassivation, Passivation } from './passivation-options.ts'

const problems = (given: unknown): string[] => problemsWithPassivation('passivation', given)

describe('what may be said', () => {
  const good: Passivation[] = [
    'off',
    {},
    { idleAfterMs: 1_000 },
    { idleAfterMs: Infinity },
    { activeEntityLimit: 1 },
    { activeEntityLimit: 10, replacement: 'adaptive', idleAfterMs: 5 },
    { activeEntityLimit: 10, replacement: { policy: 'least-recently-used', segments: 4 } },
    { activeEntityLimit: 10, replacement: { policy: 'least-frequently-used', dynamicAging: true } },
    { activeEntityLimit: 10, replacement: 'most-recently-used', admission: {} },
    {
      activeEntityLimit: 10,
      replacement: { policy: 'least-recently-used', proportions: [0.2, 0.8] },
      admission: {
        window: {
          policy: 'least-frequently-used',
          proportion: 0.1,
          optimizer: { initialStep: 0.1 },
        },
        filter: { counterBits: 8 },
      },
    },
  ]

  test.each(good)('%j', (given) => {
    expect(problems(given)).toEqual([])
    if (given === 'off' || given.activeEntityLimit === undefined) return
    expect(makeStrategy(given).size).toBe(0)
  })

  test('nothing', () => expect(problems(undefined)).toEqual([]))
})

describe('what may not be said', () => {
  test.each([
    [false, "passivation must be 'off' or an object, not false"],
    ['idle', `passivation must be 'off' or an object, not 'idle'`],
    [
      { idleAfterMs: 0 },
      'passivation.idleAfterMs must be a positive number of milliseconds, or Infinity, not 0',
    ],
    [
      { activeEntityLimit: 0 },
      'passivation.activeEntityLimit must be a whole number of at least 1, not 0',
    ],
    [
      { replacement: 'adaptive' },
      'passivation.replacement is about a limit, and there is none: say passivation.activeEntityLimit',
    ],
    [
      { activeEntityLimit: 1, replacement: 'lru' },
      `passivation.replacement must be one of 'least-recently-used', 'most-recently-used', 'least-frequently-used', or an object with such a policy, not 'lru'`,
    ],
    [
      { activeEntityLimit: 1, admission: {} },
      "passivation.admission is part of 'adaptive'; name another passivation.replacement, or leave it out",
    ],
    [
      {
        activeEntityLimit: 1,
        replacement: { policy: 'least-recently-used', proportions: [0.5, 0.6] },
      },
      'passivation.replacement.proportions must add up to 1, not to 1.1',
    ],
    [
      {
        activeEntityLimit: 1,
        replacement: { policy: 'least-recently-used', proportions: [0.5, 0.5], segments: 3 },
      },
      'passivation.replacement.proportions must have one for each of 3 segments',
    ],
    [
      { activeEntityLimit: 536_870_913 },
      'passivation.activeEntityLimit (536870913) times widthMultiplier (4) is more than the 1073741824 counters of a frequency sketch',
    ],
    [
      {
        activeEntityLimit: 1,
        replacement: 'least-recently-used',
        admission: { filter: { counterBits: 3, depth: 5 } },
      },
      'passivation.admission.filter.depth must be a whole number from 1 to 4, not 5',
      'passivation.admission.filter.counterBits must be 2, 4, 8, 16 or 32, not 3',
    ],
    [
      {
        activeEntityLimit: 1,
        replacement: 'least-recently-used',
        admission: {
          window: { policy: 'least-recently-used', minProportion: 0.5, maxProportion: 0.1 },
        },
      },
      'passivation.admission.window.minProportion must not be more than passivation.admission.window.maxProportion',
    ],
  ])('%j', (given, ...expected) => expect(problems(given)).toEqual(expected))

  test('a name that nobody knows', () => {
    const [problem] = problems({ activeEntityLimt: 4 })
    expect(problem).toContain(
      '`activeEntityLimt` is not an option; did you mean `activeEntityLimit`?',
    )
  })
})

describe('what holds', () => {
  const limited: LimitedPassivation = { activeEntityLimit: 5 }

  test.each([
    [undefined, {}, { isExplicit: false, settings: {} }],
    [
      undefined,
      { passivateIdleAfterMs: 7 },
      { isExplicit: true, settings: { passivateIdleAfterMs: 7 } },
    ],
    [undefined, { passivateIdleAfterMs: Infinity }, { isExplicit: false }],
    [
      'off',
      { passivateIdleAfterMs: 7 },
      { isExplicit: false, settings: { passivateIdleAfterMs: Infinity } },
    ],
    [
      { idleAfterMs: 3 },
      { passivateIdleAfterMs: 7 },
      { isExplicit: true, settings: { passivateIdleAfterMs: 3 } },
    ],
    [{}, {}, { isExplicit: false, settings: {} }],
    [limited, {}, { isExplicit: true, settings: { passivateIdleAfterMs: Infinity }, limited }],
    [
      limited,
      { passivateIdleAfterMs: 7 },
      { isExplicit: true, settings: { passivateIdleAfterMs: 7 } },
    ],
  ] as const)('of %j and the settings %j of the type', (passivation, settings, expected) => {
    expect(chosenPassivation(passivation, settings)).toMatchObject(expected)
  })
})
