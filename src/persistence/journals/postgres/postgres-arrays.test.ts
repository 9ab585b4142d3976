import { expect, test } from 'vitest'
import { byteaArray, int4Array, int8Array } from './postgres-arrays.ts'

const headBytes = 20

test('writes whole numbers of 64 bits exactly, up to the greatest that is exact', () => {
  const numbers = [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 5, Number.MAX_SAFE_INTEGER]
  const array = int8Array(numbers)
  const read = numbers.map((_, at) => Number(array.readBigInt64BE(headBytes + at * 12 + 4)))
  expect(read).toEqual(numbers)
})

test('writes numbers of 32 bits and bytes, each behind its length', () => {
  expect(
    int4Array([7, 2 ** 31 - 1])
      .subarray(headBytes)
      .toString('hex'),
  ).toBe('0000000400000007000000047fffffff')
  expect(
    byteaArray([Buffer.from('ab'), Buffer.alloc(0)])
      .subarray(headBytes)
      .toString('hex'),
  ).toBe('00000002616200000000')
})
