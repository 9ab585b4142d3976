/**
 * The checksum by which a flipped bit in the store is noticed: LMDB itself has none. CRC-32 over the bytes and over what they
 * are found by, so that a whole value in the wrong place is noticed, too.
 */
import * as zlib from 'node:zlib'

/** Node has it from 20.15 on. */
const native = (zlib as { readonly crc32?: typeof zlib.crc32 }).crc32

/** `before` is the checksum of what comes before these bytes. */
export function checksumOf(bytes: Uint8Array, before = 0): number {
  // Of no bytes, Node forgets what came before.
  if (native === undefined || bytes.length === 0) return slowChecksumOf(bytes, before)
  return native(bytes, before)
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  return rest
})

/** The same in plain code, for versions of Node that have none. */
export function slowChecksumOf(bytes: Uint8Array, before = 0): number {
  let rest = ~before
  for (const byte of bytes) rest = (table[(rest ^ byte) & 0xff] ?? 0) ^ (rest >>> 8)
  return ~rest >>> 0
}
