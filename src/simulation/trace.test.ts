import { describe, expect, test } from 'vitest'
import { Trace, formatEvent } from './trace.ts'

describe('Trace', () => {
  const place = { label: 'a#1', labelHash: 17 }
  const elsewhere = { label: 'b#1', labelHash: 18 }

  test('keeps the last events, oldest first', () => {
    const trace = new Trace(3)
    for (let n = 1; n <= 5; n++) trace.add(n * 1_000, place, 'record', `event ${n}`)
    expect(trace.count).toBe(5)
    expect(trace.last(10).map(({ text }) => text)).toEqual(['event 3', 'event 4', 'event 5'])
    expect(trace.last(1).map(({ text }) => text)).toEqual(['event 5'])
  })

  test('has a hash that depends on kind, time, place, text and order', () => {
    const hashes = [
      [[1, place, 'log', 'x']],
      [[2, place, 'log', 'x']],
      [[1 + 2 ** 32, place, 'log', 'x']],
      [[1, elsewhere, 'log', 'x']],
      [[1, place, 'record', 'x']],
      [[1, place, 'log', 'y']],
      [[1, place, 'log']],
      [
        [1, place, 'log', 'x'],
        [1, place, 'log', 'y'],
      ],
      [
        [1, place, 'log', 'y'],
        [1, place, 'log', 'x'],
      ],
    ].map((events) => {
      const trace = new Trace(10)
      for (const event of events) trace.add(...(event as Parameters<Trace['add']>))
      return trace.hash
    })
    expect(new Set(hashes).size).toBe(hashes.length)
    for (const hash of hashes) expect(hash).toMatch(/^[\da-f]{16}$/)
  })

  test('depends on whose turn it was, and on which bytes went and came', () => {
    const hashOf = (happen: (trace: Trace) => void): string => {
      const trace = new Trace(10)
      happen(trace)
      return trace.hash
    }
    const hashes = [
      hashOf((trace) => trace.endTurn(trace.beginTurn(1, place, 'a'), 5, 1)),
      hashOf((trace) => trace.endTurn(trace.beginTurn(1, place, 'b'), 6, 1)),
      hashOf((trace) => trace.sent(1, place, elsewhere, 7)),
      hashOf((trace) => trace.sent(1, place, elsewhere, 8)),
      hashOf((trace) => trace.received(1, place, 1)),
      hashOf((trace) => trace.received(1, place, 2)),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  test('depends on the units of a turn', () => {
    const hashOf = (units: number): string => {
      const trace = new Trace(10)
      trace.endTurn(trace.beginTurn(1, place, 'task'), 5, units)
      return trace.hash
    }
    expect(hashOf(1)).toBe(hashOf(1))
    expect(hashOf(1)).not.toBe(hashOf(2))
  })

  test('keeps a checkpoint every 10,000 events', () => {
    const trace = new Trace(10)
    for (let n = 0; n < 25_000; n++) trace.add(n, place, 'x')
    expect(trace.checkpoints).toHaveLength(2)
  })

  test('prints turns with the work done', () => {
    const trace = new Trace(10)
    trace.endTurn(trace.beginTurn(12_500_000, place, 'sherd://a/user/cart#3'), 5, 2)
    expect(trace.last(1).map(formatEvent)).toEqual([
      '    12.500 s  a#1     turn       sherd://a/user/cart#3, 2 units',
    ])
  })
})
