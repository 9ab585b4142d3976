/** Writes the parts of headers by hand; `ByteCursor` reads them. */
import { assert } from '../../foundation/assert.ts'
import { utf8Length } from '../../foundation/text.ts'
import type { ByteBuffer } from '../../serialization/internals.ts'

/** What a varint may take. */
const varintBytesMax = 8

/** Seven bits per byte, the lowest first; the high bit says that more follow. */
export function writeVarint(target: ByteBuffer, value: number): void {
  assert(Number.isSafeInteger(value) && value >= 0, 'a varint is a whole number up to 2^53 - 1')
  target.reserve(varintBytesMax)
  let rest = value
  while (rest >= 0x80) {
    target.bytes[target.position++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  target.bytes[target.position++] = rest
}

export function writeByte(target: ByteBuffer, value: number): void {
  target.reserve(1)
  target.bytes[target.position++] = value
}

/** With its length before it. */
export function writeText(target: ByteBuffer, text: string): void {
  const count = utf8Length(text)
  writeVarint(target, count)
  target.reserve(count)
  target.bytes.write(text, target.position, count, 'utf8')
  target.position += count
}

export function writeBytes(target: ByteBuffer, bytes: Buffer): void {
  target.append(bytes, 0, bytes.length)
}
