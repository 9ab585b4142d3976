import { describe, expect, test } from 'vitest'
import {
  entityIdOf,
  entityTypeOf,
  numberOfSlices,
  persistenceIdOf,
  sliceOf,
  sliceRanges,
} from '../../src/persistence/index.ts'

describe('PT-009 ids and slices', () => {
  test('V-26: an id is made of a type and an id, and taken apart again', () => {
    expect(persistenceIdOf('SomeType', 'abc')).toBe('SomeType|abc')
    expect(entityTypeOf('SomeType|abc')).toBe('SomeType')
    expect(entityIdOf('SomeType|abc')).toBe('abc')
    expect(entityTypeOf('abc')).toBe('')
    expect(entityIdOf('abc')).toBe('abc')
    expect(() => persistenceIdOf('Some|Type', 'abc')).toThrow('has no "|" in it')
  })

  test('an id may hold the separator, since the type cannot', () => {
    const id = persistenceIdOf('Some#/#Type', 'a|b|')
    expect([entityTypeOf(id), entityIdOf(id)]).toEqual(['Some#/#Type', 'a|b|'])
  })

  test('the slice of an id is the same for ever', () => {
    expect(['pid-1', 'pid-2', 'pid-6712', 'Account|1', 'ShoppingCart|abc'].map(sliceOf))
      .toMatchInlineSnapshot(`
      [
        341,
        281,
        400,
        235,
        817,
      ]
    `)
  })

  test('V-26: ranges divide all slices evenly', () => {
    expect(sliceRanges(4)).toEqual([
      { fromSlice: 0, toSlice: 255 },
      { fromSlice: 256, toSlice: 511 },
      { fromSlice: 512, toSlice: 767 },
      { fromSlice: 768, toSlice: 1023 },
    ])
    expect(sliceRanges(1)).toEqual([{ fromSlice: 0, toSlice: 1023 }])
    expect(sliceRanges(numberOfSlices)).toHaveLength(1024)
  })

  test.each([0, 3, 1.5, -4, 2048])('V-26: %o ranges are none', (count) => {
    expect(() => sliceRanges(count)).toThrow('divides 1024')
  })
})
