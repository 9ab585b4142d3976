/**
 * Arrays in the binary format of PostgreSQL's protocol, as parameters: many rows travel as one parameter for each column, and
 * the bytes of events are copied once and never become text.
 */

const headBytes = 20
const byteaOid = 17
const int8Oid = 20
const int4Oid = 23
const uint32Max = 2 ** 32 - 1

export function byteaArray(values: readonly Uint8Array[]): Buffer {
  let size = headBytes
  for (const value of values) size += 4 + value.byteLength
  const array = Buffer.allocUnsafe(size)
  writeHead(array, byteaOid, values.length)
  const view = viewOf(array)
  let at = headBytes
  for (const value of values) {
    view.setInt32(at, value.byteLength)
    array.set(value, at + 4)
    at += 4 + value.byteLength
  }
  return array
}

/** Of whole numbers from 0 to 2^53 - 1. */
export function int8Array(values: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(headBytes + values.length * 12)
  writeHead(array, int8Oid, values.length)
  const view = viewOf(array)
  let at = headBytes
  for (const value of values) {
    view.setInt32(at, 8)
    view.setUint32(at + 4, value > uint32Max ? Math.floor(value / 2 ** 32) : 0)
    // Of a greater one the lowest 32 bits.
    view.setUint32(at + 8, value)
    at += 12
  }
  return array
}

export function int4Array(values: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(headBytes + values.length * 8)
  writeHead(array, int4Oid, values.length)
  const view = viewOf(array)
  let at = headBytes
  for (const value of values) {
    view.setInt32(at, 4)
    view.setInt32(at + 4, value)
    at += 8
  }
  return array
}

/** Quicker than the methods of a buffer, which check what they are given. */
function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** One dimension, no nulls, indexes from 1. An empty array has no dimension at all. */
function writeHead(array: Buffer, oid: number, length: number): void {
  array.writeInt32BE(1, 0)
  array.writeInt32BE(0, 4)
  array.writeInt32BE(oid, 8)
  array.writeInt32BE(length, 12)
  array.writeInt32BE(1, 16)
}
