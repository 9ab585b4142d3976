import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clip, escapeControls, isWellFormed, startOf, utf8Length, problemWithId } from './text.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: fc.constantFrom('a', 'é', '東', '🛒', '\ud83d', '\uded2') }),
)

describe('isWellFormed', () => {
  test('accepts whole pairs and refuses halves', () => {
    expect(['', 'abc', '🛒', 'Zürich'].map(isWellFormed)).toEqual([true, true, true, true])
    expect(['\ud83d', '\uded2', '\uded2\ud83d', 'a\ud83db'].map(isWellFormed)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test('is true exactly for texts that survive UTF-8', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(isWellFormed(text)).toBe(Buffer.from(text).toString() === text)
      }),
    )
  })
})

describe('utf8Length', () => {
  test('counts the bytes that an encoder writes', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text))
      }),
    )
  })
})

describe('escapeControls', () => {
  test('leaves printable text as it is', () => {
    expect(escapeControls('Zürich 東京 🛒 \\n')).toBe('Zürich 東京 🛒 \\n')
  })

  test('makes visible what a terminal or a log would obey', () => {
    expect(escapeControls('a\nb\r\tc')).toBe('a\\nb\\r\\tc')
    expect(escapeControls('\u001b[31m\u0000\u007f\u009b')).toBe('\\u001b[31m\\u0000\\u007f\\u009b')
    expect(escapeControls('\u2028\u2029')).toBe('\\u2028\\u2029')
    expect(escapeControls('\u202e\u2066\u200f')).toBe('\\u202e\\u2066\\u200f')
    expect(escapeControls('\ud83d')).toBe('\\ud83d')
  })

  test('leaves one well-formed line whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const escaped = escapeControls(text)
        expect(escaped).not.toMatch(/[\p{Control}\u2028\u2029]/u)
        expect(isWellFormed(escaped)).toBe(true)
      }),
    )
  })
})

describe('clip', () => {
  test('says that something was cut', () => {
    expect(['abc', 'abcd', ''].map((text) => clip(text, 3))).toEqual(['abc', 'ab…', ''])
    expect([clip('abc', 1), clip('abc', 0)]).toEqual(['…', ''])
  })

  test('never cuts a pair in two', () => {
    expect(startOf('a🛒b', 2)).toBe('a')
    expect(startOf('a🛒b', 3)).toBe('a🛒')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, length) => {
        const clipped = clip(text, length)
        expect(clipped.length).toBeLessThanOrEqual(length)
        expect(isWellFormed(clipped)).toBe(true)
      }),
    )
  })
})

describe('problemWithId', () => {
  test.each([
    [7, 'it is not a string'],
    ['', 'it is empty'],
    ['a\0b', 'it contains the character NUL'],
    ['\ud800', 'it is not well-formed Unicode (half of a surrogate pair)'],
    ['ééé', 'it has 6 bytes in UTF-8 and 5 are allowed'],
  ])('says of %j: %s', (id, problem) => {
    expect(problemWithId(id, 5)).toBe(problem)
  })

  test('has nothing to say of an id that fits', () => {
    expect(problemWithId('é/ 1', 5)).toBeUndefined()
  })
})
