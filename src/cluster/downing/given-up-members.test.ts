import { describe, expect, test } from 'vitest'
import { id, names, tangle } from '../../../test/cluster/split-views.ts'
import { GivenUpMembers } from './given-up-members.ts'
import type { DowningView } from './split-view.ts'

const waits = { actAfterMs: 1_000, turnMs: 100 }
const view = (members: string, records = ''): DowningView => ({
  ...tangle(members, records),
  leader: id('A'),
})

describe('GivenUpMembers', () => {
  const due = (given: GivenUpMembers, now: number, seen = view('ABC')) =>
    names(given.due(seen, now, waits))

  test('those whom others have given up are due when everybody has seen it, in turn', () => {
    const a = new GivenUpMembers(id('A'))
    const b = new GivenUpMembers(id('B'))
    for (const each of [a, b]) each.shown([id('C')], 5_000)
    expect([due(a, 5_999), due(a, 6_000)]).toEqual(['', 'C'])
    expect([due(b, 6_099), due(b, 6_100)]).toEqual(['', 'C'])
  })

  test('those whom this node had given up are due as it asked', () => {
    const b = new GivenUpMembers(id('B'))
    b.asked([id('C')], 0)
    expect(due(b, 5_000)).toBe('')
    b.shown([id('C')], 5_000)
    expect(due(b, 5_000)).toBe('C')
  })

  test('what was asked about an earlier picture waits like what others have decided', () => {
    const a = new GivenUpMembers(id('A'))
    a.asked([id('C')], 0)
    a.askedAnew()
    a.shown([id('C')], 5_000)
    expect([due(a, 5_999), due(a, 6_000)]).toEqual(['', 'C'])
  })

  test('the time since it was shown counts once, however often it is shown', () => {
    const a = new GivenUpMembers(id('A'))
    a.shown([id('C')], 5_000)
    a.shown([id('C'), id('B')], 5_900)
    expect(due(a, 6_000)).toBe('C')
    expect(due(a, 6_900)).toBe('BC')
  })

  test('those whom it cannot reach do not stand before it, and who is Down or gone is not due', () => {
    const b = new GivenUpMembers(id('B'))
    b.shown([id('C'), id('D')], 0)
    expect(due(b, 1_000, view('ABC', 'B>A'))).toBe('C')
    expect(due(b, 9_000, view('ABCDd'))).toBe('C')
    expect(due(b, 9_000, view('AB'))).toBe('')
  })
})
