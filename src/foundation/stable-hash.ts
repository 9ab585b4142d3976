/**
 * Murmur3 (x86, 32 bits) over the UTF-8 bytes of a text: the same number on every node, in every version, in every
 * language. What is placed by it is stored and agreed upon, so it can never change.
 */
const C1 = 0xcc9e2d51
const C2 = 0x1b873593

/** An unsigned number of 32 bits. */
export function stableHash(text: string, seed = 0): number {
  const length = text.length
  let hash = seed | 0
  let index = 0
  for (; index + 4 <= length; index += 4) {
    const a = text.charCodeAt(index)
    const b = text.charCodeAt(index + 1)
    const c = text.charCodeAt(index + 2)
    const d = text.charCodeAt(index + 3)
    if ((a | b | c | d) > 0x7f) return hashRest(text, index, hash)
    hash = mixBlock(hash, a | (b << 8) | (c << 16) | (d << 24))
  }
  return hashRest(text, index, hash)
}

/**
 * Everything from `start` on; before it are only ASCII characters, in whole blocks of four. A code point is packed into
 * one number, first byte lowest, and laid over the block that is being filled.
 */
function hashRest(text: string, start: number, hashSoFar: number): number {
  let hash = hashSoFar
  let byteCount = start
  let block = 0
  let filledBits = 0
  for (let index = start; index < text.length; index++) {
    const point = codePointAt(text, index)
    if (point > 0xffff) index++
    const bytes = utf8Bytes(point)
    const bits = point < 0x80 ? 8 : point < 0x800 ? 16 : point < 0x10000 ? 24 : 32
    byteCount += bits >> 3
    block |= bytes << filledBits
    filledBits += bits
    if (filledBits < 32) continue
    hash = mixBlock(hash, block)
    filledBits -= 32
    block = filledBits === 0 ? 0 : bytes >>> (bits - filledBits)
  }
  if (filledBits > 0) hash ^= scramble(block)
  return finish(hash ^ byteCount)
}

/** A surrogate without its partner counts as U+FFFD, as TextEncoder has it. */
function codePointAt(text: string, index: number): number {
  const unit = text.charCodeAt(index)
  if (unit < 0xd800 || unit > 0xdfff) return unit
  const following = text.charCodeAt(index + 1)
  const isPair = unit < 0xdc00 && following >= 0xdc00 && following <= 0xdfff
  return isPair ? 0x10000 + ((unit - 0xd800) << 10) + (following - 0xdc00) : 0xfffd
}

function utf8Bytes(point: number): number {
  if (point < 0x80) return point
  const last = 0x80 | (point & 0x3f)
  if (point < 0x800) return 0xc0 | (point >> 6) | (last << 8)
  const middle = 0x80 | ((point >> 6) & 0x3f)
  if (point < 0x10000) return 0xe0 | (point >> 12) | (middle << 8) | (last << 16)
  return (
    0xf0 | (point >> 18) | ((0x80 | ((point >> 12) & 0x3f)) << 8) | (middle << 16) | (last << 24)
  )
}

function scramble(block: number): number {
  const product = Math.imul(block, C1)
  return Math.imul((product << 15) | (product >>> 17), C2)
}

function mixBlock(hash: number, block: number): number {
  const mixed = hash ^ scramble(block)
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0
}

function finish(hash: number): number {
  let mixed = hash
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
