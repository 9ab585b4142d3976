import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BinaryHeap } from './binary-heap.ts'

const smallestFirst = (): BinaryHeap<number> => new BinaryHeap<number>((a, b) => a < b)

describe('BinaryHeap', () => {
  test('has nothing to give when empty', () => {
    const heap = smallestFirst()
    expect([heap.size, heap.peek(), heap.pop()]).toEqual([0, undefined, undefined])
  })

  test('shows the first value without taking it', () => {
    const heap = smallestFirst()
    heap.push(2)
    heap.push(1)
    expect([heap.peek(), heap.size]).toEqual([1, 2])
  })

  test('is empty after clear', () => {
    const heap = smallestFirst()
    heap.push(1)
    heap.clear()
    expect([heap.size, heap.pop()]).toEqual([0, undefined])
  })

  test('gives values back in sorted order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (values) => {
        const heap = smallestFirst()
        for (const value of values) heap.push(value)
        const popped = values.map(() => heap.pop())
        expect(popped).toEqual(values.toSorted((a, b) => a - b))
        expect(heap.size).toBe(0)
      }),
    )
  })

  test('always has the first of all on top while values come and go', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: 0, max: 50 }))), (operations) => {
        const heap = smallestFirst()
        const model: number[] = []
        for (const value of operations) {
          if (value === null) {
            expect(heap.pop()).toBe(model.shift())
          } else {
            heap.push(value)
            model.push(value)
            model.sort((a, b) => a - b)
          }
          expect([heap.peek(), heap.size]).toEqual([model[0], model.length])
        }
      }),
    )
  })

  test('compares only values that are in it', () => {
    const heap = new BinaryHeap<{ readonly rank: number }>((a, b) => a.rank < b.rank)
    for (const rank of [3, 1, 2, 5, 4, 6]) heap.push({ rank })
    const ranks = Array.from({ length: 6 }, () => heap.pop()?.rank)
    expect(ranks).toEqual([1, 2, 3, 4, 5, 6])
  })
})
