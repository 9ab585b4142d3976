import { expect, test } from 'vitest'
import { ByteBuffer } from '../../serialization/internals.ts'
import { ByteCursor, MalformedFrame } from './byte-cursor.ts'
import { writeText, writeVarint } from './byte-writing.ts'

const written = (write: (target: ByteBuffer) => void): ByteCursor => {
  const target = new ByteBuffer(1)
  write(target)
  return new ByteCursor(target.bytes, 0, target.position)
}

test.each([0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, 2 ** 50, Number.MAX_SAFE_INTEGER])(
  'reads %i back',
  (value) => {
    const cursor = written((target) => writeVarint(target, value))
    expect(cursor.varint()).toBe(value)
    expect(cursor.isAtEnd).toBe(true)
  },
)

test.each([[[0x80]], [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]], [[]]])(
  'refuses %j as a number',
  (bytes) => {
    const cursor = new ByteCursor(Buffer.from(bytes), 0, bytes.length)
    expect(() => cursor.varint()).toThrow(MalformedFrame)
  },
)

test('reads texts back, and refuses long and cut ones', () => {
  expect(written((target) => writeText(target, 'Zoë 😀')).text(20)).toBe('Zoë 😀')
  expect(() => written((target) => writeText(target, 'long')).text(3)).toThrow('more than 3 bytes')
  expect(() => new ByteCursor(Buffer.from([5, 65]), 0, 2).text(20)).toThrow('ends too early')
})
