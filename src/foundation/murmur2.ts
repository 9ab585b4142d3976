/**
 * Murmur2 over the UTF-8 bytes of a text, with the seed that Kafka's partitioner has. Only for those who place ids as such a
 * topic does; everything of our own is placed by `stableHash`.
 */
const multiplier = 0x5bd1e995
const seed = 0x9747b28c
const encoder = new TextEncoder()

/** A signed number of 32 bits. */
export function murmur2(text: string): number {
  const bytes = encoder.encode(text)
  const { length } = bytes
  let hash = seed ^ length
  let index = 0
  for (; index + 4 <= length; index += 4) {
    const block =
      bytes[index]! |
      (bytes[index + 1]! << 8) |
      (bytes[index + 2]! << 16) |
      (bytes[index + 3]! << 24)
    const once = Math.imul(block, multiplier)
    hash = Math.imul(hash, multiplier) ^ Math.imul(once ^ (once >>> 24), multiplier)
  }
  const rest = length - index
  if (rest > 2) hash ^= bytes[index + 2]! << 16
  if (rest > 1) hash ^= bytes[index + 1]! << 8
  if (rest > 0) hash = Math.imul(hash ^ bytes[index]!, multiplier)
  hash = Math.imul(hash ^ (hash >>> 13), multiplier)
  return hash ^ (hash >>> 15)
}
