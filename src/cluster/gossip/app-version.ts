/**
 * The version of the application that a member runs, as its operators write it: `1.2.3`, `2.0`, `2.0.0-rc.1`,
 * `2026.11.16+4f2a`. It is there to be seen while one version replaces another, and so that shards go to the newer one.
 */
import { show } from '../../foundation/show.ts'

/** Of a node that was told none. */
export const defaultAppVersion = '0.0.0'

const lengthMax = 100
const versionForm =
  /^\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

export function isAppVersion(value: unknown): value is string {
  return typeof value === 'string' && value.length <= lengthMax && versionForm.test(value)
}

/** Empty when all is well. */
export function problemsWithAppVersion(version: unknown): string[] {
  if (version === undefined || isAppVersion(version)) return []
  return [
    `appVersion must be one to four numbers with dots between them, such as '1.2.3' or '1.2.3-rc.1', of at most ${lengthMax} characters, not ${show(version)}`,
  ]
}

/**
 * Below zero when the first is older. Numbers between dots are compared as numbers, and one that is missing is 0; what stands
 * behind `-` comes before the version itself, `1.2.0-rc.1` before `1.2.0`; what stands behind `+` does not count.
 */
export function compareAppVersions(a: string, b: string): number {
  if (a === b) return 0
  const [numbersA, beforeA] = partsOf(a)
  const [numbersB, beforeB] = partsOf(b)
  for (let index = 0; index < Math.max(numbersA.length, numbersB.length); index++) {
    const order = compareNumbers(numbersA[index] ?? '0', numbersB[index] ?? '0')
    if (order !== 0) return order
  }
  if (beforeA === undefined || beforeB === undefined) {
    return Number(beforeA === undefined) - Number(beforeB === undefined)
  }
  for (let index = 0; index < Math.min(beforeA.length, beforeB.length); index++) {
    const order = compareNames(beforeA[index]!, beforeB[index]!)
    if (order !== 0) return order
  }
  return beforeA.length - beforeB.length
}

/** The numbers, and the names of what comes before a version, if it is such. */
function partsOf(version: string): readonly [readonly string[], readonly string[] | undefined] {
  const [counted = ''] = version.split('+')
  const dash = counted.indexOf('-')
  if (dash < 0) return [counted.split('.'), undefined]
  return [counted.slice(0, dash).split('.'), counted.slice(dash + 1).split('.')]
}

const digits = /^\d+$/

/** Numbers come before names. */
function compareNames(a: string, b: string): number {
  const isNumberA = digits.test(a)
  const isNumberB = digits.test(b)
  if (isNumberA && isNumberB) return compareNumbers(a, b)
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1
  return a === b ? 0 : a < b ? -1 : 1
}

/** Of any length: a date and a time with its fractions are more digits than a number holds. */
function compareNumbers(a: string, b: string): number {
  const shortA = a.replace(/^0+/, '')
  const shortB = b.replace(/^0+/, '')
  if (shortA.length !== shortB.length) return shortA.length - shortB.length
  return shortA === shortB ? 0 : shortA < shortB ? -1 : 1
}
