import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Reachability,
  allReachable,
  mergeReachability,
  observe,
  recordsOf,
  statusOf,
  statusOfPair,
  unreachableOrTerminated,
  withoutObservers,
} from './reachability.ts'

/** `b!a` b marks a unreachable, `b=a` reachable, `b#a` terminated. */
function table(operations: string, from: Reachability = allReachable): Reachability {
  const marks = { '!': 'Unreachable', '=': 'Reachable', '#': 'Terminated' } as const
  return operations
    .split(' ')
    .filter((operation) => operation !== '')
    .reduce((next, [observer, mark, subject]) => {
      return observe(next, observer!, subject!, marks[mark as '!' | '=' | '#'])
    }, from)
}
const show = (rows: Reachability) =>
  recordsOf(rows).map((r) => `${r.observer}${r.status === 'Terminated' ? '#' : '!'}${r.subject}`)
const versions = (rows: Reachability) => rows.map((entry) => `${entry.observer}${entry.version}`)
const all = new Set('abcde')

describe('CL-017 V-13 reachability', () => {
  test.each([
    ['', 'a', 'Reachable'],
    ['b!a', 'a', 'Unreachable'],
    ['b#a', 'a', 'Terminated'],
    ['b#a b=a b!a', 'a', 'Terminated'],
    ['b!a c!a d=a', 'a', 'Unreachable'],
    ['b!a c!a b=a c=a b!c c!b', 'a', 'Reachable'],
    ['a=b c!b a!d d#b', 'a', 'Reachable'],
    ['a=b c!b a!d d#b', 'b', 'Terminated'],
    ['a=b c!b a!d d#b', 'd', 'Unreachable'],
  ])('after %s %s is %s', (operations, subject, status) => {
    expect(statusOf(table(operations), subject)).toBe(status)
  })

  test('can leave out what one observer says', () => {
    const rows = table('c!a c=a c!b b!a b!c')
    expect([...unreachableOrTerminated(rows)].sort()).toEqual(['a', 'b', 'c'])
    expect([...unreachableOrTerminated(withoutObservers(rows, new Set('b')))]).toEqual(['b'])
  })

  test('keeps no rows of an observer that reaches everybody, but its version', () => {
    const rows = table('b!a b!c d!c b=a b=c')
    expect(show(rows)).toEqual(['d!c'])
    expect(rows.find(({ observer }) => observer === 'd')?.rows[0]?.version).toBe(1)
    const later = table('b!d b!e', rows).find(({ observer }) => observer === 'b')
    expect(later?.rows.map(({ version }) => version)).toEqual([5, 6])
  })

  test('merges by taking the rows of an observer whole', () => {
    const first = table('b!a c!d')
    const second = table('b=a d!e c!a', first)
    for (const merged of [
      mergeReachability(first, second, all),
      mergeReachability(second, first, all),
    ]) {
      expect(show(merged)).toEqual(['c!a', 'c!d', 'd!e'])
      expect(statusOfPair(merged, 'b', 'a')).toBe('Reachable')
    }
    const withoutD = mergeReachability(first, second, new Set('abce'))
    expect(show(withoutD)).toEqual(['c!a'])
    expect(versions(withoutD)).toEqual(['b2', 'c2'])
  })

  test('merges versions to the highest', () => {
    const of = (spec: Record<string, number>): Reachability =>
      Object.entries(spec).map(([observer, version]) => ({ observer, version, rows: [] }))
    const merged = mergeReachability(of({ a: 3, b: 5, c: 7 }), of({ a: 6, b: 2, d: 1 }), all)
    expect(versions(merged)).toEqual(['a6', 'b5', 'c7', 'd1'])
  })
})

/** Histories as they can be: each observer writes its own rows in one order, and replicas know a prefix of each. */
const histories = fc.array(fc.stringMatching(/^[abc][!=#][de]$/), { maxLength: 12 })
const prefixes = fc.tuple(fc.nat(12), fc.nat(12), fc.nat(12))
const replica = (history: readonly string[], known: readonly number[]) =>
  ['a', 'b', 'c'].reduce((rows, observer, index) => {
    const own = history.filter((operation) => operation.startsWith(observer))
    return table(own.slice(0, known[index]).join(' '), rows)
  }, allReachable)

describe('merging reachability', () => {
  test('is commutative, associative and idempotent, and never revives what is terminated', () => {
    fc.assert(
      fc.property(histories, prefixes, prefixes, prefixes, (history, x, y, z) => {
        const [a, b, c] = [x, y, z].map((known) => replica(history, known)) as [
          Reachability,
          Reachability,
          Reachability,
        ]
        const merge = (left: Reachability, right: Reachability) =>
          mergeReachability(left, right, all)
        expect(JSON.stringify(merge(a, b))).toBe(JSON.stringify(merge(b, a)))
        expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))
        expect(merge(a, a)).toEqual(a)
        for (const { observer, subject, status } of recordsOf(a)) {
          if (status !== 'Terminated') continue
          expect(statusOfPair(merge(a, b), observer, subject)).toBe('Terminated')
        }
      }),
    )
  })
})
