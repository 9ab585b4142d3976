import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkPersistenceId, numberOfSlices, persistenceIdOf, sliceOf } from './persistence-id.ts'

describe('a persistence id', () => {
  test('is refused with a reason', () => {
    const problem = (id: unknown): string => {
      try {
        checkPersistenceId(id)
      } catch (error) {
        return (error as Error).message
      }
      return 'fine'
    }
    expect(problem('Account|7')).toBe('fine')
    expect(problem('é'.repeat(512))).toBe('fine')
    expect(problem('')).toBe("'' cannot be a persistence id: it is empty.")
    expect(problem(7)).toBe('7 cannot be a persistence id: it is not a string.')
    expect(problem('a\0')).toContain('the character NUL')
    expect(problem('\udc00')).toContain('not well-formed Unicode')
    expect(problem('é'.repeat(513))).toContain('1026 bytes in UTF-8 and 1024 are allowed')
  })

  test('lies in the same slice for ever', () => {
    expect(['Account|1', 'Account|2', 'é', 'x'.repeat(1024)].map(sliceOf)).toMatchInlineSnapshot(`
      [
        235,
        54,
        903,
        67,
      ]
    `)
  })

  test('lies in one of the slices', () => {
    fc.assert(
      fc.property(fc.string(), (id) => {
        const slice = sliceOf(id)
        expect(Number.isInteger(slice) && slice >= 0 && slice < numberOfSlices).toBe(true)
      }),
    )
  })
})

describe('persistenceIdOf', () => {
  test('joins the type and the id of an entity, and keeps distinct ones apart', () => {
    expect(persistenceIdOf('Account', '7')).toBe('Account|7')
    expect(persistenceIdOf('Account', 'a|b')).toBe('Account|a|b')
    expect(() => persistenceIdOf('Acc|ount', '7')).toThrow('has no "|" in it')
    expect(() => persistenceIdOf('', '7')).toThrow('is not empty')
    expect(() => persistenceIdOf('Account', '')).toThrow('the id of the entity is empty')
    expect(() => persistenceIdOf('Account', '\0')).toThrow('NUL')
  })
})
