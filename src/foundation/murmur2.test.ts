import { expect, test } from 'vitest'
import { murmur2 } from './murmur2.ts'

test.each([
  ['1', -1993445489],
  ['12', 126087238],
  ['123', -267702483],
  ['1234', -1614185708],
  ['12345', -1188365604],
  ['', 275646681],
  ['a', -1563381124],
  ['entity-1', -1211370600],
  ['entity-2', -1053418218],
  ['user-42', 1459644460],
  ['日本', -700811021],
])('murmur2 of %j is %d', (text, hash) => {
  expect(murmur2(text)).toBe(hash)
})
