import { expect, test } from 'vitest'
import { defaultAppVersion, isAppVersion, problemsWithAppVersion } from './app-version.ts'

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
