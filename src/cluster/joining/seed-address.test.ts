import { expect, test } from 'vitest'
import { isSeedAddress } from './seed-address.ts'

test.each(['10.0.0.7:2552', '[::1]:80', 'node-1.example:65535', 'a:1'])(
  '%s can be the address of a seed',
  (address) => expect(isSeedAddress(address)).toBe(true),
)

test.each([
  'a:0',
  'a:65536',
  '::1:80',
  'a:b:1',
  '[]:1',
  '[a/b]:1',
  'a@b:1',
  'a\0:1',
  'bad_name:1',
  7,
])('%j cannot', (address) => expect(isSeedAddress(address)).toBe(false))
