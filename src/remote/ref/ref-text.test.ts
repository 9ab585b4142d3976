import { describe, expect, test } from 'vitest'
import { tableTextBytesMax } from '../wire/text-table.ts'
import { localText, parseRefText, pathOf, refText } from './ref-text.ts'

describe('the text of a ref', () => {
  test.each([
    'sherd://shop@10.0.0.7:2552/user/cart#7.00c0ffee12345678',
    'sherd://shop@[::1]:80/system/cluster/core#0',
    'sherd://shop@host:1/user/a%2Fb/$1/$adapter#12',
  ])('%s is read back', (text) => {
    expect(refText(parseRefText(text)!)).toBe(text)
  })

  test('may be as long as the wire takes', () => {
    const longest = localText(['x'.repeat(tableTextBytesMax - 3)], 7)
    expect(parseRefText(`sherd://shop@h:1${longest}.00c0ffee12345678`)?.uid).toBe(7)
  })

  test('prints as a path with the address in the place of the root', () => {
    const parsed = parseRefText('sherd://shop@h:1/user/cart#7.00c0ffee12345678')!
    expect(String(pathOf(parsed))).toBe('sherd://shop@h:1/user/cart#7')
    expect(pathOf(parsed).elements).toEqual(['user', 'cart'])
    expect(localText(parsed.names, parsed.uid)).toBe('/user/cart#7')
  })

  test.each([
    '',
    'http://shop@h:1/user/x',
    'sherd://shop/user/x',
    'sherd://shop@h/user/x',
    'sherd://@h:1/user/x',
    'sherd://shop@h:1',
    'sherd://shop@h:1/user//x',
    'sherd://shop@h:1/user/x#-1',
    'sherd://shop@h:1/user/x#1.xyz',
    'sherd://shop@h:1/user/x#1.00c0ffee12345678.2',
    `sherd://shop@h:1/${'x'.repeat(9_000)}`,
    `sherd://shop@h:1/${'x'.repeat(tableTextBytesMax)}`,
    `sherd://shop@h:1/${'x'.repeat(tableTextBytesMax - 3)}#10`,
    `sherd://shop@h:1/${'é'.repeat(tableTextBytesMax / 2)}`,
  ])('%j names no actor', (text) => {
    expect(parseRefText(text)).toBeUndefined()
  })
})
