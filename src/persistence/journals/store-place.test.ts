import { expect, test } from 'vitest'
import type { CodedError } from '../../foundation/coded-error.ts'
import { type FileIdOf, StorePlace } from './store-place.ts'

/** A folder whose files are what the test says; undefined: nobody may look. */
function stage(first: string | undefined) {
  const story: string[] = []
  let id: string | undefined = first
  const idOf: FileIdOf = () => {
    if (id === undefined) throw new Error('EACCES')
    return id
  }
  const nothing = (): void => undefined
  const error = (_fields: unknown, text: string): void => void story.push(text)
  const logger = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error }
  let now = 0
  const clock = { monotonicMs: () => now, wallMs: () => 0 }
  const place = new StorePlace({ folder: '/the/store', idOf, clock, logger })
  const commit = (seen: string | undefined, afterMs = 100): string => {
    id = seen
    now += afterMs
    try {
      place.checkKept()
      place.checkCommitted()
      return 'acknowledged'
    } catch (thrown) {
      return (thrown as CodedError).code
    }
  }
  const read = (seen: string | undefined): string => {
    id = seen
    try {
      place.checkRead()
      return 'read'
    } catch (thrown) {
      return (thrown as CodedError).code
    }
  }
  return { commit, read, story }
}

test('acknowledges while the files are the same, and nothing after they were others, not even if they come back', () => {
  const { commit, story } = stage('1 7')
  expect(['1 7', '1 7', '', '1 7', '1 7'].map((seen) => commit(seen))).toEqual([
    'acknowledged',
    'acknowledged',
    'JOURNAL_OUTCOME_UNKNOWN',
    'JOURNAL_FOLDER_LOST',
    'JOURNAL_FOLDER_LOST',
  ])
  expect(story).toHaveLength(1)
})

test('looks at the first commit after a pause, and then not more often than every 100 ms', () => {
  const { commit } = stage('1 7')
  expect(commit('1 7', 0)).toBe('acknowledged')
  expect([30, 30, 39, 1, 0].map((afterMs) => commit('', afterMs))).toEqual([
    'acknowledged',
    'acknowledged',
    'acknowledged',
    'JOURNAL_OUTCOME_UNKNOWN',
    'JOURNAL_FOLDER_LOST',
  ])
})

test('looks before every read that must see the newest, and says once that the files are lost', () => {
  const { commit, read, story } = stage('1 7')
  expect(commit('1 7')).toBe('acknowledged')
  expect(['1 7', undefined, '', '1 7'].map((seen) => read(seen))).toEqual([
    'read',
    'read',
    'JOURNAL_FOLDER_LOST',
    'JOURNAL_FOLDER_LOST',
  ])
  expect(commit('1 7')).toBe('JOURNAL_FOLDER_LOST')
  expect(story).toHaveLength(1)
})

test.each(['1 8', '2 7', ''])('takes "%s" for another file', (other) => {
  expect(stage('1 7').commit(other)).toBe('JOURNAL_OUTCOME_UNKNOWN')
})

test('does not take for lost what it may not look at', () => {
  expect(stage('1 7').commit(undefined)).toBe('acknowledged')
  expect(stage(undefined).commit('1 7')).toBe('acknowledged')
})
