/** Bytes that grow while they are written: a link's outbound buffer. Whoever writes reserves first, then moves `position`. */
import { assert } from '../foundation/assert.ts'

export class ByteBuffer {
  /** Another object after `reserve` had to grow; do not keep it. */
  bytes: Buffer
  position = 0

  constructor(initialBytes = 8192) {
    this.bytes = Buffer.allocUnsafeSlow(initialBytes)
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.position + count
    if (needed > this.bytes.length) this.#grow(needed)
  }

  /** Copies a range of `source` to the end. */
  append(source: Buffer, start: number, end: number): void {
    const count = end - start
    assert(count >= 0 && end <= source.length, 'a range lies within its bytes')
    this.reserve(count)
    copyRange(source, start, end, this.bytes, this.position)
    this.position += count
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.position)
    this.bytes = grown
  }
}

export function copyRange(
  source: Buffer,
  start: number,
  end: number,
  target: Buffer,
  position: number,
): void {
  if (end - start > 64) source.copy(target, position, start, end)
  else copyFew(source, start, end, target, position)
}

/** A loop is faster than a call into native code for the size of an ordinary message. */
export function copyFew(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  position: number,
): void {
  for (let from = start, to = position; from < end; from++, to++)
    target[to] = source[from] as number
}
