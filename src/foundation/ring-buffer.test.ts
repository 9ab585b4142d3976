import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RingBuffer } from './ring-buffer.ts'

const filled = (count: number): RingBuffer<number> => {
  const ring = new RingBuffer<number>()
  for (let value = 0; value < count; value++) ring.push(value)
  return ring
}

const drain = (ring: RingBuffer<number>): void => {
  while (ring.size > 0) ring.shift()
}

const pushAndTake = (ring: RingBuffer<object>): object => {
  ring.push({ text: 'taken' })
  return ring.shift() as object
}

describe('RingBuffer', () => {
  test('gives values back in the order they came', () => {
    const ring = filled(3)
    expect([ring.shift(), ring.shift(), ring.shift(), ring.shift()]).toEqual([0, 1, 2, undefined])
  })

  test('shows the oldest value without taking it', () => {
    const ring = filled(2)
    expect(ring.peek()).toBe(0)
    expect(ring.size).toBe(2)
    expect(new RingBuffer().peek()).toBeUndefined()
  })

  test('finds values by position and nothing outside', () => {
    const ring = filled(5)
    ring.shift()
    expect([ring.at(0), ring.at(3)]).toEqual([1, 4])
    expect([ring.at(4), ring.at(-1), ring.at(NaN)]).toEqual([undefined, undefined, undefined])
  })

  test('takes a value out of the middle and keeps the order of the others', () => {
    const ring = filled(8)
    for (let i = 0; i < 5; i++) ring.push(ring.shift() as number)
    expect([ring.take(4), ring.take(0), ring.take(5)]).toEqual([1, 5, 4])
    expect([ring.take(5), ring.take(-1), ring.take(NaN)]).toEqual([undefined, undefined, undefined])
    expect([...ring]).toEqual([6, 7, 0, 2, 3])
  })

  test('doubles when full and keeps the order of values that had wrapped around', () => {
    const ring = filled(8)
    for (let i = 0; i < 5; i++) ring.push(ring.shift() as number)
    ring.push(100)
    expect(ring.capacity).toBe(16)
    expect([...ring]).toEqual([5, 6, 7, 0, 1, 2, 3, 4, 100])
  })

  test('rounds the first capacity up to a power of two, at least eight', () => {
    expect(new RingBuffer().capacity).toBe(8)
    expect(new RingBuffer(0).capacity).toBe(8)
    expect(new RingBuffer(100).capacity).toBe(128)
  })

  test('gives back storage beyond 1,024 slots once drained', () => {
    const ring = filled(5_000)
    expect(ring.capacity).toBe(8_192)
    drain(ring)
    expect(ring.capacity).toBe(1_024)
    for (let value = 0; value < 3; value++) ring.push(value)
    expect([...ring]).toEqual([0, 1, 2])
  })

  test('keeps up to 1,024 slots when drained', () => {
    const ring = filled(1_000)
    drain(ring)
    expect(ring.capacity).toBe(1_024)
  })

  test('gives back all but what is needed when told to', () => {
    const ring = filled(1_000)
    for (let i = 0; i < 980; i++) ring.shift()
    ring.release()
    expect(ring.capacity).toBe(32)
    expect([ring.peek(), ring.size]).toEqual([980, 20])
    drain(ring)
    ring.release()
    expect(ring.capacity).toBe(8)
  })

  test('is empty and usable after clear', () => {
    const ring = filled(2_000)
    ring.clear()
    expect([ring.size, ring.peek(), ring.capacity]).toEqual([0, undefined, 1_024])
    ring.push(7)
    expect([...ring]).toEqual([7])
  })

  test('does not hold on to a value that was taken', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const ring = new RingBuffer<object>()
    const taken = new WeakRef(pushAndTake(ring))
    // A weak reference holds its value until the turn in which it was made is over.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    expect(taken.deref()).toBeUndefined()
    expect(ring.size).toBe(0)
  })

  test('behaves like an array under any sequence of calls', () => {
    const operation = fc.oneof(
      { weight: 6, arbitrary: fc.record({ push: fc.nat(2_000) }) },
      { weight: 4, arbitrary: fc.record({ shift: fc.nat(2_000) }) },
      { weight: 1, arbitrary: fc.constant('clear' as const) },
      { weight: 1, arbitrary: fc.constant('release' as const) },
    )
    fc.assert(
      fc.property(fc.array(operation), (operations) => {
        const ring = new RingBuffer<number>()
        const model: number[] = []
        let next = 0
        for (const each of operations) {
          if (each === 'clear') {
            ring.clear()
            model.length = 0
          } else if (each === 'release') {
            ring.release()
          } else if ('push' in each) {
            for (let i = 0; i < each.push; i++) {
              ring.push(next)
              model.push(next++)
            }
          } else {
            const taken = Array.from({ length: each.shift }, () => ring.shift())
            expect(taken.filter((value) => value !== undefined)).toEqual(
              model.splice(0, each.shift),
            )
          }
          expect([ring.size, ring.peek()]).toEqual([model.length, model[0]])
          expect(ring.at(model.length - 1)).toBe(model.at(-1))
        }
        expect([...ring]).toEqual(model)
      }),
      { numRuns: 50 },
    )
  })

  test('shows nothing when empty, wherever its values lay before it grew', () => {
    const ring = filled(8)
    for (let count = 0; count < 4; count++) ring.shift()
    for (let value = 8; value < 13; value++) ring.push(value)
    expect(ring.capacity).toBe(16)
    for (let count = 0; count < 16; count++) {
      drain(ring)
      expect(ring.peek()).toBeUndefined()
      ring.push(count)
    }
  })

  test('has nothing behind its last value, even when it is full', () => {
    const ring = filled(8)
    expect([ring.capacity, ring.at(7), ring.at(8)]).toEqual([8, 7, undefined])
  })

  test('gives back storage of one step beyond what it keeps', () => {
    const ring = filled(1_025)
    expect(ring.capacity).toBe(2_048)
    drain(ring)
    expect(ring.capacity).toBe(1_024)
  })
})
