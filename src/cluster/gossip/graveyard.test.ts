import { describe, expect, test } from 'vitest'
import { Graveyard } from './graveyard.ts'

const [a, b] = ['a:1#1', 'b:1#1'] as const
const overdue = (graveyard: Graveyard, tombstones: readonly string[], now: number) => [
  ...graveyard.overdue(tombstones, now),
]

describe('Graveyard', () => {
  test('counts from when this node has first seen a tombstone', () => {
    const graveyard = new Graveyard(1_000)
    expect(overdue(graveyard, [a], 50)).toEqual([])
    expect(overdue(graveyard, [a, b], 600)).toEqual([])
    expect(overdue(graveyard, [a, b], 1_049)).toEqual([])
    expect(overdue(graveyard, [a, b], 1_050)).toEqual([a])
    expect(overdue(graveyard, [a, b], 1_600)).toEqual([a, b])
  })

  test('hands ages on, whatever the clock of the other says', () => {
    const ours = new Graveyard(1_000)
    ours.overdue([a], 0)
    ours.overdue([a, b], 300)
    const ages = ours.agesMs([a, b], 500)
    expect(ages).toEqual([500, 200])
    const theirs = new Graveyard(1_000)
    const there = 9_000_000
    theirs.learn([a, b], ages, there)
    expect(overdue(theirs, [a, b], there + 499)).toEqual([])
    expect(overdue(theirs, [a, b], there + 500)).toEqual([a])
    expect(overdue(theirs, [a, b], there + 800)).toEqual([a, b])
  })

  test('takes a tombstone without an age for a new one', () => {
    const graveyard = new Graveyard(1_000)
    graveyard.learn([a, b], [900], 10)
    expect(graveyard.agesMs([a, b, 'c:1#1'], 10)).toEqual([900, 0, 0])
  })

  test('one that a merge brings back is as old as it was, and is forgotten after as long again', () => {
    const graveyard = new Graveyard(1_000)
    graveyard.overdue([a], 0)
    graveyard.overdue([], 1_000)
    expect(overdue(graveyard, [a], 1_100)).toEqual([a])
    graveyard.overdue([], 2_000)
    expect(overdue(graveyard, [a], 2_100)).toEqual([])
  })
})
