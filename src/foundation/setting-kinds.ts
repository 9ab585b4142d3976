/** The kinds of values that settings have: rows for a `SettingsTable`. */
import { mustBe } from './invalid-settings.ts'
import { isRecord } from './is-object.ts'
import type { Setting, TableOf } from './settings-table.ts'
import { show } from './show.ts'

interface InfinityLimit {
  readonly mayBeInfinity?: boolean
}

interface CountLimits extends InfinityLimit {
  readonly min?: number
  readonly max?: number
}

/** Whole numbers, from 1 on when not said otherwise. */
export function count(
  byDefault: number,
  unit: string,
  { min = 1, max = Infinity, mayBeInfinity = false }: CountLimits = {},
): Setting<number> {
  const whole = max < Infinity ? `from ${min} to ${max}` : `of at least ${min}`
  return row(byDefault, {
    unit,
    range: `a whole number ${whole}${mayBeInfinity ? ', or Infinity' : ''}`,
    isInRange: (given) =>
      (Number.isSafeInteger(given) && (given as number) >= min && (given as number) <= max) ||
      (mayBeInfinity && given === Infinity),
  })
}

/** Lengths of time. */
export function milliseconds(byDefault: number, limits: InfinityLimit = {}): Setting<number> {
  return row(byDefault, timeRange(limits))
}

/** Lengths of time, and by default a word for one that we choose. */
export function millisecondsOr<Word extends string>(
  word: Word,
  limits: InfinityLimit = {},
): Setting<number | Word> {
  const { unit, range, isInRange } = timeRange(limits)
  return row<number | Word>(word, {
    unit,
    range: `${range}, or '${word}'`,
    isInRange: (given) => given === word || isInRange(given),
  })
}

/** Any number in a range of its own. */
export function number(
  byDefault: number,
  range: string,
  isInRange: (value: number) => boolean,
): Setting<number> {
  return row(byDefault, {
    range,
    isInRange: (given) => typeof given === 'number' && isInRange(given),
  })
}

/** A part of a whole that is not empty. */
export function share(byDefault: number): Setting<number> {
  return number(byDefault, 'above 0 and at most 1', (value) => value > 0 && value <= 1)
}

export function flag(byDefault: boolean): Setting<boolean> {
  return row(byDefault, {
    range: 'true or false',
    isInRange: (given) => typeof given === 'boolean',
  })
}

/** A text of a form of its own. */
export function text(
  byDefault: string,
  range: string,
  isInRange: (given: unknown) => boolean,
): Setting<string> {
  return row(byDefault, { range, isInRange })
}

/** A text that may be left open. */
export function optionalText(what: string): Setting<string | undefined> {
  return row(undefined, {
    range: `${what}, or undefined`,
    isInRange: (given) => given === undefined || (typeof given === 'string' && given !== ''),
  })
}

/** One of a few words. */
export function oneOf<Word extends string>(byDefault: Word, words: readonly Word[]): Setting<Word> {
  return row(byDefault, {
    range: `one of ${words.join(', ')}`,
    isInRange: (given) => words.includes(given as Word),
  })
}

/** Texts of one form each. */
export function listOf(
  byDefault: readonly string[],
  form: string,
  isInForm: (given: unknown) => boolean,
): Setting<readonly string[]> {
  const range = `a list, each ${form}`
  return {
    ...row(byDefault, { range, isInRange: Array.isArray }),
    check: (name, given) =>
      Array.isArray(given)
        ? given
            .filter((item: unknown) => !isInForm(item))
            .map((item) => `${name}: ${show(item)} must be ${form}`)
        : [`${name} must be ${range}, not ${show(given)}`],
  }
}

/** The same setting for each of any names, for none when not given. */
export function perName(
  what: string,
  setting: Setting<number>,
): Setting<Readonly<Record<string, number>>> {
  const { unit, check, range } = setting
  const whole = row<Readonly<Record<string, number>>>(
    {},
    { unit, range: `an object with, per ${what}, ${range}`, isInRange: isRecord },
  )
  return {
    ...whole,
    check: (name, given, figures) =>
      isRecord(given)
        ? Object.entries(given).flatMap(([each, of]) => check(`${name}.${each}`, of, figures))
        : whole.check(name, given, figures),
  }
}

/** Settings within settings. */
export function section<Settings extends object>(table: TableOf<Settings>): Setting<Settings> {
  return {
    default: table.defaults,
    range: 'an object',
    check: (name, given, figures, places) => table.problemsWith(given, figures, `${name}.`, places),
    table,
  }
}

interface Range {
  readonly unit?: string | undefined
  readonly range: string
  readonly isInRange: (given: unknown) => boolean
}

function timeRange({ mayBeInfinity = false }: InfinityLimit): Range {
  return {
    unit: 'ms',
    range: `a positive number of milliseconds${mayBeInfinity ? ', or Infinity' : ''}`,
    isInRange: (given) =>
      typeof given === 'number' && given > 0 && (given < Infinity || mayBeInfinity),
  }
}

function row<Value>(byDefault: Value, { unit, range, isInRange }: Range): Setting<Value> {
  return { default: byDefault, unit, range, check: mustBe(range, isInRange) }
}
