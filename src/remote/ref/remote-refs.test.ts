import { expect, test } from 'vitest'
import { LaneChoice } from './lane-choice.ts'
import type { Outbox, RefHome, RemoteRef } from './remote-ref.ts'
import { RemoteRefs } from './remote-refs.ts'

/** Refs of one peer, three of which are kept. */
function threeRefs(isWatched: (ref: RemoteRef) => boolean = () => false) {
  const refs = new RemoteRefs({
    home: {} as RefHome,
    outboxOf: () => ({}) as Outbox,
    refsMax: 3,
    lanes: new LaneChoice({ controlPaths: [], largeMessagePaths: [] }),
    isWatched,
  })
  const refTo = (name: string): RemoteRef =>
    refs.refTo({ system: 's', address: 'b:1', names: ['user', name], uid: 0, nodeUid: undefined })
  return { refs, refTo }
}

test('keeps the most recent refs, one by one', () => {
  const { refs, refTo } = threeRefs()
  const made = ['1', '2', '3', '4', '5', '6', '7'].map(refTo)
  expect(refs.size).toBe(3)
  expect(['7', '6', '5'].map(refTo)).toEqual([made[6], made[5], made[4]])
  expect(refTo('4')).not.toBe(made[3])
  // Which took the place of the oldest that was left.
  expect(refTo('6')).toBe(made[5])
  expect(refTo('5')).not.toBe(made[4])
})

test('keeps those that are watched, and forgets the oldest of the others', () => {
  const watched = new Set<RemoteRef>()
  const { refTo } = threeRefs((ref) => watched.has(ref))
  const [first, second] = ['1', '2'].map(refTo) as [RemoteRef, RemoteRef]
  watched.add(first)
  for (const name of ['3', '4', '5', '6', '7', '8']) refTo(name)
  expect(refTo('1')).toBe(first)
  expect(refTo('2')).not.toBe(second)
})

test('forgets nothing while all are watched, and one for each new one again after that', () => {
  let areWatched = true
  const { refs, refTo } = threeRefs(() => areWatched)
  const names = Array.from({ length: 20 }, (_, index) => String(index))
  const made = names.map(refTo)
  expect(names.map(refTo)).toEqual(made)
  areWatched = false
  refTo('one more')
  expect(refs.size).toBe(20)
})
