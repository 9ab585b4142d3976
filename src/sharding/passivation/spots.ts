/**
 * Where the rows of a frequency sketch count an id: four numbers of 32 bits, of which a sketch takes as many low bits as it is
 * wide. The same on every node and in every version, so that figures of traces can be compared.
 */

/** Odd numbers of 64 bits, as high and low halves. */
const seeds = [
  [0xc3a5c85c, 0x97cb3127],
  [0xb492b66f, 0xbe98f273],
  [0x9ae16a3b, 0x2f90404f],
  [0xcbf29ce4, 0x84222325],
] as const

/** As many rows as there are seeds. */
export const sketchDepthMax = seeds.length

/** Numbers of a table for the spots of one id. */
export const spotsPerId = seeds.length

/** From this index of the table on. */
export function writeSpots(id: string, table: Int32Array, at: number): void {
  const hash = mixed(hashOf(id))
  for (const [row, [high, low]] of seeds.entries()) table[at + row] = spotOf(hash, high, low)
}

/** The polynomial of its code units in 31. Weak by itself, so it is mixed before use. */
function hashOf(id: string): number {
  let hash = 0
  for (let index = 0; index < id.length; index++) {
    hash = (Math.imul(hash, 31) + id.charCodeAt(index)) | 0
  }
  return hash
}

function mixed(hash: number): number {
  const once = Math.imul((hash >>> 15) ^ hash, 0xd168aaad)
  const twice = Math.imul((once >>> 15) ^ once, 0xaf723597)
  return (twice >>> 15) ^ twice
}

/** (hash + seed) · seed in 64 bits, its halves added up. */
function spotOf(hash: number, seedHigh: number, seedLow: number): number {
  const sum = (hash | 0) + seedLow
  const low = sum >>> 0
  const high = (seedHigh + Math.floor(sum / 0x1_0000_0000)) | 0
  const productHigh =
    highHalf(low, seedLow) + Math.imul(high, seedLow) + Math.imul(low, seedHigh | 0)
  return (Math.imul(low, seedLow) + productHigh) | 0
}

/** The upper 32 bits of the product of two unsigned numbers of 32 bits. */
function highHalf(a: number, b: number): number {
  const [aHigh, aLow] = [a >>> 16, a & 0xffff]
  const [bHigh, bLow] = [b >>> 16, b & 0xffff]
  const low = aLow * bLow
  const middle = aHigh * bLow + Math.floor(low / 0x1_0000)
  const other = aLow * bHigh + (middle % 0x1_0000)
  return aHigh * bHigh + Math.floor(middle / 0x1_0000) + Math.floor(other / 0x1_0000)
}
