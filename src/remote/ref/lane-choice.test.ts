import { expect, test } from 'vitest'
import { defaultRemoteSettings, remoteSettingsTable } from '../remote-settings.ts'
import { LaneChoice } from './lane-choice.ts'

const laneOf = (largeMessagePaths: readonly string[], path: string): string =>
  new LaneChoice({ controlPaths: ['/user/urgent'], largeMessagePaths }).laneOf(
    path.slice(1).split('/'),
  )

test.each([
  ['/user/images', '/user/images', 'large'],
  ['/user/images', '/user/images/one', 'data'],
  ['/user/images', '/user/imagesque', 'data'],
  ['/user/*/upload', '/user/ann/upload', 'large'],
  ['/user/*/upload', '/user/upload', 'data'],
  ['/user/*/upload', '/user/ann/bob/upload', 'data'],
  ['/user/images/**', '/user/images/one', 'large'],
  ['/user/images/**', '/user/images/one/two', 'large'],
  ['/user/images/**', '/user/images', 'data'],
  ['/user/*/*/**', '/user/a/b/c', 'large'],
  ['/user/**', '/user/urgent', 'control'],
  ['/user/**', '/user/urgent/one', 'control'],
  ['/user/**', '/system/receptionist', 'data'],
])('with %s, %s is spoken to on the lane for it', (pattern, path, lane) => {
  expect(laneOf([pattern], path)).toBe(lane)
})

test('without paths there are no large recipients', () => {
  expect(laneOf([], '/user/images')).toBe('data')
})

test('paths and limits are checked, all at once', () => {
  const problems = (chosen: object): string[] =>
    remoteSettingsTable.problemsWith({ ...defaultRemoteSettings, ...chosen })
  expect(
    problems({ largeMessagePaths: ['/user/a', '/user/*/b', '/user/a/**', '/user/**'] }),
  ).toEqual([])
  const wrong = [
    'user/a',
    '/user',
    '/user/',
    '/user/a//b',
    '/user/**/b',
    '/user/a*',
    '/system/a',
    7,
  ]
  expect(problems({ largeMessagePaths: wrong })).toHaveLength(wrong.length)
  expect(problems({ largeMessagePaths: wrong })[4]).toMatch(
    /'\/user\/\*\*\/b' must be a path such as/,
  )
  expect(problems({ largeMessagePaths: '/user/a' })).toHaveLength(1)
  expect(problems({ largeMessageBytesMax: 1024 })).toEqual([
    'largeMessageBytesMax (1024) must be at least serialization.bytesMax (8388608)',
  ])
  const bytes = /largeMessageBytesMax must be a whole number from 1 to 268435456, not/
  for (const largeMessageBytesMax of [2 ** 29, 1e7 + 0.5, 'much']) {
    expect(problems({ largeMessageBytesMax })).toEqual([expect.stringMatching(bytes)])
  }
  expect(problems({ largeQueueMessagesMax: 0 })).toHaveLength(1)
})
