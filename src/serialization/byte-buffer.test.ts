import { expect, test } from 'vitest'
import { ByteBuffer } from './byte-buffer.ts'

test('grows and keeps what was written', () => {
  const buffer = new ByteBuffer(4)
  const long = Buffer.alloc(100, 7)
  buffer.append(Buffer.from('xabcx'), 1, 4)
  buffer.append(long, 0, 100)
  expect(buffer.position).toBe(103)
  expect(buffer.bytes.toString('latin1', 0, 3)).toBe('abc')
  expect(buffer.bytes.subarray(3, 103).equals(long)).toBe(true)
})

test('writes over what was taken back', () => {
  const buffer = new ByteBuffer()
  buffer.append(Buffer.from('abc'), 0, 3)
  buffer.position = 1
  buffer.append(Buffer.from('z'), 0, 1)
  expect(buffer.bytes.toString('latin1', 0, buffer.position)).toBe('az')
})

test('refuses a range outside its source', () => {
  expect(() => new ByteBuffer().append(Buffer.from('abc'), 1, 4)).toThrow('within its bytes')
})
