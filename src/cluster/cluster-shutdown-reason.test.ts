import { expect, test } from 'vitest'
import { clusterExitCodeOf } from './cluster-shutdown-reason.ts'

test('a process ends with 0, or with -1 when the end was not wanted', () => {
  const wanted = ['leaving', 'incompatible-config']
  const others = ['downing', 'join-failed', 'succeeded', 'cluster-elsewhere']
  const codes = [...wanted, ...others].map((type) => clusterExitCodeOf({ type }))
  expect(codes).toEqual([0, 0, -1, -1, -1, -1])
})

test('what is no reason of the cluster has no code', () => {
  expect(clusterExitCodeOf({ type: 'broken-invariant' })).toBeUndefined()
})
