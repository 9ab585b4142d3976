import { describe, expect, test } from 'vitest'
import { Tokenizer } from './tokenizer.ts'

const texts = (code: string) => new Tokenizer(code).tokens.map(({ text }) => text)
const regexes = (code: string) =>
  new Tokenizer(code).tokens.filter(({ kind }) => kind === 'regex').map(({ text }) => text)

describe('Tokenizer', () => {
  test('keeps comments apart from code', () => {
    const { tokens, comments } = new Tokenizer('#!run\na // b\n/* c\n*/ d')
    expect(tokens.map(({ text, line }) => `${line} ${text}`)).toEqual(['2 a', '4 d'])
    expect(comments.map(({ text, line }) => `${line} ${text}`)).toEqual([
      '1 #!run',
      '2 // b',
      '3 /* c\n*/',
    ])
  })

  test('keeps strings whole, whatever is in them', () => {
    expect(texts(`'a // \\' b' + "/* ' */"`)).toEqual([`'a // \\' b'`, '+', `"/* ' */"`])
  })

  test('reads the code inside templates, however deep', () => {
    expect(texts('`a ${ b({ c: `d ${e} f` }) } $ g` + h')).toEqual([
      'a ${',
      '${',
      'b',
      '(',
      '{',
      'c',
      ':',
      'd ${',
      '${',
      'e',
      '}',
      ' f`',
      '}',
      ')',
      '}',
      ' $ g`',
      '+',
      'h',
    ])
  })

  test.each([
    ['a = /[/"]\\//g', '/[/"]\\//g'],
    ['return /a/', '/a/'],
    ['if (a) /b/.test(c)', '/b/'],
    ['!/a/.test(b)', '/a/'],
    ['(a) => /b/', '/b/'],
    ['[/a/]', '/a/'],
  ])('knows a regular expression: %s', (code, expected) => {
    expect(regexes(code)).toEqual([expected])
  })

  test.each([
    ['a / b / c'],
    ['f(a) / b / c'],
    ['a[0] / b / c'],
    ['a! / b / c'],
    ['a++ / b / c'],
    ['a.return / b / c'],
    ['1_000.5e3 / b / c'],
    ['`a` / b / c'],
  ])('knows a division: %s', (code) => {
    expect(regexes(code)).toEqual([])
  })
})
