import { expect, test } from 'vitest'
import {
  compareAppVersions,
  defaultAppVersion,
  isAppVersion,
  problemsWithAppVersion,
} from './app-version.ts'

test.each([
  defaultAppVersion,
  '1',
  '1.2',
  '1.2.3.4',
  '10.0.0-rc.1',
  '1.2.3-dev-7+4f2a.x',
  '2026.11.16+build',
])('%s is a version', (version) => {
  expect(isAppVersion(version)).toBe(true)
  expect(problemsWithAppVersion(version)).toEqual([])
})

test.each([
  '',
  'v1.2.3',
  '1.',
  '.1',
  '1..2',
  '1.2.3.4.5',
  '1.2.x',
  '1.2.3-',
  '1.2.3-a..b',
  '1.2.3+',
  ' 1.2.3',
  '1.2.3\n',
  '1.2\u0000',
  '1'.repeat(101),
  `1-${'a.'.repeat(60)}`,
  1.2,
  null,
  ['1.2.3'],
])('%j is none, and the problem says how to write one', (version) => {
  expect(isAppVersion(version)).toBe(false)
  expect(problemsWithAppVersion(version)).toEqual([
    expect.stringMatching(/^appVersion must be .* '1\.2\.3' .* not /),
  ])
})

test('who says nothing has the default', () => {
  expect(problemsWithAppVersion(undefined)).toEqual([])
})

test('versions are in order: numbers as numbers, what comes before a version before it', () => {
  const inOrder = [
    ...['0.0.0', '1-alpha', '1-alpha.1', '1-alpha.2', '1-alpha.10', '1-alpha.x', '1-beta', '1'],
    ...['1.0.1', '1.2', '1.10.0-rc.9', '1.10.0', '2.0.0.1', '9007199254740993', '9007199254740994'],
  ]
  for (const [index, version] of inOrder.entries()) {
    for (const later of inOrder.slice(index + 1)) {
      expect(compareAppVersions(version, later), `${version} < ${later}`).toBeLessThan(0)
      expect(compareAppVersions(later, version), `${later} > ${version}`).toBeGreaterThan(0)
    }
  }
})

test.each([
  ['1', '1.0.0'],
  ['1.2.0+a', '1.2+b'],
  ['01.2', '1.02'],
])('%s and %s are of one age', (a, b) => {
  expect(compareAppVersions(a, b)).toBe(0)
})
