import { describe, expect, test } from 'vitest'
import { Agenda } from './agenda.ts'
import { SeededRandom } from './seeded-random.ts'

describe('Agenda', () => {
  const add = (agenda: Agenda<string>, dueUs: number, kind: string, tieBreak = 0, owner = 'a') =>
    agenda.add({ dueUs, tieBreak, kind, owner, run: () => {} })
  const takeAll = (agenda: Agenda<string>): string[] => {
    const kinds: string[] = []
    for (let each = agenda.take(); each !== undefined; each = agenda.take()) kinds.push(each.kind)
    return kinds
  }

  test('gives out the earliest first, equal times by their draw, equal draws in order', () => {
    const agenda = new Agenda<string>()
    add(agenda, 20, 'late')
    add(agenda, 10, 'unlucky', 9)
    add(agenda, 10, 'lucky', 1)
    add(agenda, 10, 'lucky too', 1)
    expect(agenda.nextDueUs).toBe(10)
    expect(takeAll(agenda)).toEqual(['lucky', 'lucky too', 'unlucky', 'late'])
    expect(agenda.nextDueUs).toBe(Infinity)
  })

  test('another seed orders equal times differently', () => {
    const orderUnder = (seed: number): string => {
      const agenda = new Agenda<string>()
      const random = new SeededRandom(seed, 'ties')
      for (const kind of ['a', 'b', 'c', 'd']) add(agenda, 1, kind, random.next())
      return takeAll(agenda).join('')
    }
    expect(orderUnder(1)).toBe(orderUnder(1))
    const orders = new Set(Array.from({ length: 300 }, (_, seed) => orderUnder(seed)))
    expect(orders.size).toBe(24)
  })

  test('forgets what was cancelled, and cancelling twice is once', () => {
    const agenda = new Agenda<string>()
    const gone = add(agenda, 1, 'gone')
    add(agenda, 2, 'stays')
    gone.cancel()
    gone.cancel()
    expect(agenda.awaitedCount).toBe(1)
    expect(takeAll(agenda)).toEqual(['stays'])
    gone.cancel()
    expect(agenda.awaitedCount).toBe(0)
  })

  test('forgets all of one owner', () => {
    const agenda = new Agenda<string>()
    add(agenda, 1, 'of a', 0, 'a')
    add(agenda, 2, 'of b', 0, 'b')
    add(agenda, 3, 'of a', 0, 'a')
    expect(agenda.forgetAllOf('a')).toBe(2)
    expect(agenda.waiting().map(({ kind }) => kind)).toEqual(['of b'])
    expect(takeAll(agenda)).toEqual(['of b'])
  })

  test('counts only what is awaited', () => {
    const agenda = new Agenda<string>()
    const appointment = add(agenda, 1, 'x')
    appointment.isAwaited = false
    expect(agenda.awaitedCount).toBe(0)
    appointment.isAwaited = true
    appointment.isAwaited = true
    expect(agenda.awaitedCount).toBe(1)
    agenda.take()
    appointment.isAwaited = false
    expect(agenda.awaitedCount).toBe(0)
  })

  test('keeps its order through many cancellations', () => {
    const agenda = new Agenda<string>()
    const random = new SeededRandom(1, 'many')
    const all = Array.from({ length: 10_000 }, () =>
      add(agenda, random.below(1_000), 'x', random.next()),
    )
    for (const each of all) if (random.chance(0.8)) each.cancel()
    let lastUs = -1
    let count = 0
    for (let each = agenda.take(); each !== undefined; each = agenda.take()) {
      expect(each.dueUs).toBeGreaterThanOrEqual(lastUs)
      lastUs = each.dueUs
      count++
    }
    expect(count).toBe(
      all.length - all.filter((each) => each.isWaiting).length - (all.length - count),
    )
    expect(agenda.awaitedCount).toBe(0)
  })

  test('what nobody awaits is not counted when it leaves, either', () => {
    const agenda = new Agenda<string>()
    for (const kind of ['taken', 'cancelled']) add(agenda, 1, kind).isAwaited = false
    const cancelled = agenda.waiting().find(({ kind }) => kind === 'cancelled')
    cancelled?.cancel()
    expect(takeAll(agenda)).toEqual(['taken'])
    expect(agenda.awaitedCount).toBe(0)
  })
})
