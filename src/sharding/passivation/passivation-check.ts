/** The look at what a type says about passivation, before it starts: every problem at once. Without types, it may be anything. */
import {
  type Check,
  maybe,
  mustBe,
  problemsWithOptions,
} from '../../foundation/invalid-settings.ts'
import { isRecord } from '../../foundation/is-object.ts'
import { show } from '../../foundation/show.ts'
import { sketchWidth, sketchWidthMax } from './frequency-sketch.ts'
import { defaultFilter } from './passivation-options.ts'
import { sketchDepthMax } from './spots.ts'

const wholeNumber: Check = mustBe('a whole number of at least 1', isPositiveInteger)

/** Of a limit that is changed at run time, too. */
export const problemsWithLimit: Check = wholeNumber

const idleTime = mustBe(
  'a positive number of milliseconds, or Infinity',
  (given) => typeof given === 'number' && given > 0,
)

const positive = mustBe('a number above 0', (given) => isNumber(given) && given > 0)

const share = mustBe('above 0 and at most 1', (given) => isNumber(given) && given > 0 && given <= 1)

const shareOrNone = mustBe('from 0 to 1', (given) => isNumber(given) && given >= 0 && given <= 1)

const policies: readonly string[] = [
  'least-recently-used',
  'most-recently-used',
  'least-frequently-used',
]

const inPolicies: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  'least-recently-used': {
    segments: maybe(wholeNumber),
    proportions: maybe(problemsWithProportions),
  },
  'most-recently-used': {},
  'least-frequently-used': {
    dynamicAging: maybe(mustBe('true or false', (given) => typeof given === 'boolean')),
  },
}

const inFilter = {
  depth: maybe(
    mustBe(
      `a whole number from 1 to ${sketchDepthMax}`,
      (given) => isPositiveInteger(given) && (given as number) <= sketchDepthMax,
    ),
  ),
  counterBits: maybe(
    mustBe('2, 4, 8, 16 or 32', (given) => [2, 4, 8, 16, 32].includes(given as number)),
  ),
  widthMultiplier: maybe(wholeNumber),
  resetMultiplier: maybe(positive),
}

const inOptimizer = {
  adjustMultiplier: maybe(positive),
  initialStep: maybe(share),
  restartThreshold: maybe(shareOrNone),
  stepDecay: maybe(share),
}

const inWindow = {
  policy: problemsWithPolicy,
  proportion: maybe(share),
  minProportion: maybe(shareOrNone),
  maxProportion: maybe(share),
  optimizer: maybe(nameOr('hill-climbing', inOptimizer)),
}

const inAdmission = {
  window: maybe((name, given) => [
    ...within(inWindow)(name, given),
    ...problemsOfBounds(name, given),
  ]),
  filter: maybe(nameOr('frequency-sketch', inFilter)),
}

const inPassivation = {
  activeEntityLimit: maybe(wholeNumber),
  replacement: maybe((name, given) =>
    given === 'adaptive' ? [] : problemsWithPolicy(name, given),
  ),
  admission: maybe(within(inAdmission)),
  idleAfterMs: maybe(idleTime),
}

/** Of the option `passivation`, which may be left out. */
export const problemsWithPassivation: Check = maybe((name, given) => {
  if (given === 'off') return []
  if (!isRecord(given)) return [`${name} must be 'off' or an object, not ${show(given)}`]
  return [...within(inPassivation)(name, given), ...problemsTogether(name, given)]
})

function problemsTogether(name: string, given: Readonly<Record<string, unknown>>): string[] {
  const { activeEntityLimit: limit, replacement, admission } = given
  if (limit === undefined) {
    return ['replacement', 'admission']
      .filter((each) => given[each] !== undefined)
      .map(
        (each) =>
          `${name}.${each} is about a limit, and there is none: say ${name}.activeEntityLimit`,
      )
  }
  if (admission !== undefined && (replacement ?? 'adaptive') === 'adaptive') {
    return [
      `${name}.admission is part of 'adaptive'; name another ${name}.replacement, or leave it out`,
    ]
  }
  return problemsWithWidth(name, limit, admission)
}

function problemsWithWidth(name: string, limit: unknown, admission: unknown): string[] {
  const filter = isRecord(admission) ? admission['filter'] : defaultFilter
  if (filter === undefined || !isPositiveInteger(limit)) return []
  const chosen = isRecord(filter) ? filter['widthMultiplier'] : undefined
  const multiplier = chosen ?? defaultFilter.widthMultiplier
  if (!isPositiveInteger(multiplier) || sketchWidth(limit as number, multiplier as number))
    return []
  return [
    `${name}.activeEntityLimit (${show(limit)}) times widthMultiplier (${show(multiplier)}) is more than the ${sketchWidthMax} counters of a frequency sketch`,
  ]
}

function problemsWithPolicy(name: string, given: unknown): string[] {
  const policy = isRecord(given) ? given['policy'] : given
  const checks = typeof policy === 'string' ? inPolicies[policy] : undefined
  if (checks === undefined) {
    const names = policies.map((each) => `'${each}'`).join(', ')
    return [`${name} must be one of ${names}, or an object with such a policy, not ${show(given)}`]
  }
  if (!isRecord(given)) return []
  const { segments, proportions } = given
  const isAmbiguous =
    isPositiveInteger(segments) && Array.isArray(proportions) && proportions.length !== segments
  return [
    ...within({ policy: () => [], ...checks })(name, given),
    ...(isAmbiguous
      ? [`${name}.proportions must have one for each of ${show(segments)} segments`]
      : []),
  ]
}

function problemsWithProportions(name: string, given: unknown): string[] {
  if (!Array.isArray(given) || given.length === 0) {
    return [`${name} must be a list of shares, not ${show(given)}`]
  }
  const parts: readonly unknown[] = given
  const problems = parts.flatMap((each, level) => share(`${name}[${level}]`, each))
  if (problems.length > 0) return problems
  const sum = (parts as readonly number[]).reduce((before, each) => before + each, 0)
  return Math.abs(sum - 1) < 0.001 ? [] : [`${name} must add up to 1, not to ${sum}`]
}

function problemsOfBounds(name: string, given: unknown): string[] {
  if (!isRecord(given)) return []
  const { minProportion: min, maxProportion: max } = given
  return isNumber(min) && isNumber(max) && min > max
    ? [`${name}.minProportion must not be more than ${name}.maxProportion`]
    : []
}

/** A name for the usual values, or an object with some of them. */
function nameOr(word: string, checks: Readonly<Record<string, Check>>): Check {
  return (name, given) => {
    if (given === word) return []
    return isRecord(given)
      ? within(checks)(name, given)
      : [`${name} must be '${word}' or an object, not ${show(given)}`]
  }
}

/** Options within options: problems carry the whole name. */
function within(checks: Readonly<Record<string, Check>>): Check {
  return (name, given) => {
    if (!isRecord(given)) return [`${name} must be an object, not ${show(given)}`]
    const prefixed = Object.fromEntries(
      Object.entries(checks).map(([each, check]) => [
        each,
        (_: string, value: unknown) => check(`${name}.${each}`, value),
      ]),
    )
    return problemsWithOptions(given, prefixed)
  }
}

function isNumber(given: unknown): given is number {
  return typeof given === 'number' && !Number.isNaN(given)
}

function isPositiveInteger(given: unknown): boolean {
  return Number.isSafeInteger(given) && (given as number) > 0
}
