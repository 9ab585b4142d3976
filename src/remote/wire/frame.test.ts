import { describe, expect, test } from 'vitest'
import { ByteBuffer } from '../../serialization/internals.ts'
import { beginFrame, endFrame, FrameReader } from './frame.ts'

function frames(...bodies: readonly string[]): Buffer {
  const target = new ByteBuffer(16)
  for (const body of bodies) {
    const start = beginFrame(target, 7)
    target.append(Buffer.from(body), 0, Buffer.byteLength(body))
    endFrame(target, start)
  }
  return Buffer.from(target.bytes.subarray(0, target.position))
}

function reading(bytesMax = 1_000) {
  const taken: string[] = []
  const reader = new FrameReader(bytesMax, (bytes, start, end) => {
    expect(bytes[start]).toBe(7)
    taken.push(bytes.toString('utf8', start + 1, end))
    return taken.at(-1) === 'bad' ? 'it was bad' : undefined
  })
  return { reader, taken }
}

describe('FrameReader', () => {
  test('reads the same frames wherever the chunks are cut', () => {
    const bodies = ['', 'one', 'x'.repeat(600), 'four']
    const bytes = frames(...bodies)
    for (let size = 1; size <= bytes.length; size++) {
      const { reader, taken } = reading()
      for (let at = 0; at < bytes.length; at += size) {
        expect(reader.read(bytes.subarray(at, at + size))).toBeUndefined()
      }
      expect(taken).toEqual(bodies)
    }
  })

  test('refuses a length beyond the limit before it keeps anything for it', () => {
    const { reader } = reading(100)
    const problem = reader.read(Buffer.from([0xff, 0xff, 0xff, 0x7f, 7]))
    expect(problem).toBe('a frame has 2147483647 of at most 100 bytes')
    expect(reader.heldBytes).toBe(0)
    expect(reader.read(frames('more'))).toBeUndefined()
  })

  test('tells the first bytes of TLS from other nonsense, wherever they are cut', () => {
    const isTls = (...bytes: readonly number[]): boolean => {
      const reader = new FrameReader(2_048, () => undefined)
      for (const byte of bytes) reader.read(Buffer.from([byte]))
      return reader.isTls
    }
    expect(isTls(0x16, 3, 1, 2)).toBe(true)
    expect(isTls(0x15, 3, 3, 0)).toBe(true)
    expect(isTls(0x18, 3, 1, 2)).toBe(false)
    expect(isTls(...Buffer.from('GET '))).toBe(false)
    expect(isTls(0x16, 3, 0, 0)).toBe(false)
    expect(isTls(0x16, 3)).toBe(false)
  })

  test('refuses an empty frame', () => {
    expect(reading().reader.read(Buffer.alloc(4))).toBe('a frame is empty')
  })

  test('keeps no more than about twice of what has come', () => {
    const { reader } = reading(1_000_000)
    const bytes = frames('x'.repeat(900_000))
    reader.read(bytes.subarray(0, 10_000))
    expect(reader.heldBytes).toBeLessThanOrEqual(20_000)
  })

  test('takes nothing after a frame that was refused', () => {
    const { reader, taken } = reading()
    expect(reader.read(frames('good', 'bad', 'late'))).toBe('it was bad')
    expect(reader.read(frames('later'))).toBeUndefined()
    expect(taken).toEqual(['good', 'bad'])
  })
})
