/** The tags of MessagePack, and the extensions of msgpackr, as far as they need to be told apart. */

export const tags = {
  nil: 0xc0,
  never: 0xc1,
  false: 0xc2,
  true: 0xc3,
  bin8: 0xc4,
  bin32: 0xc6,
  float64: 0xcb,
  uint8: 0xcc,
  uint16: 0xcd,
  uint32: 0xce,
  int8: 0xd0,
  int16: 0xd1,
  int32: 0xd2,
  fixext1: 0xd4,
  str8: 0xd9,
  str16: 0xda,
  array16: 0xdc,
  array32: 0xdd,
  map16: 0xde,
} as const

export const extensions = {
  undefined: 0x00,
  bigint: 0x42,
  record: 0x72,
  set: 0x73,
  typedArray: 0x74,
  date: 0xff,
} as const

const X = 99

/** What `leafSize` answers for tags whose length is not in the tag. */
export const VARIABLE = X

/** Bytes after each tag from 0xc0 to 0xdf: nil, never, false, true, bin, ext, floats, unsigned, signed, the rest. */
const leafSizes: readonly number[] = [
  ...[0, X, 0, 0, X, X, X, X, X, X, 4, 8, 1, 2, 4, 8],
  ...[1, 2, 4, 8, X, X, X, X, X, X, X, X, X, X, X, X],
]

export function leafSize(tag: number): number {
  return leafSizes[tag - 0xc0] as number
}

/** How many bytes hold the length, for each tag from 0xc0 on; below zero the length itself, zero for none. */
const lengthSizes: readonly number[] = [
  ...[0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 0, 0, -1, -2, -4, -8, -16, 1, 2, 4, 2, 4, 2, 4],
]

export function lengthSize(tag: number): number {
  return lengthSizes[tag - 0xc0] as number
}

/** Bytes per element, by msgpackr's number of the typed array: Int8, Uint8, Uint8Clamped, Int16, … BigUint64. */
const elementSizes: readonly number[] = [1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8]

const ARRAY_BUFFER = 0x10
const DATA_VIEW = 0x11

/** Zero for a number that stands for nothing. */
export function elementSize(typedArray: number): number {
  if (typedArray === ARRAY_BUFFER || typedArray === DATA_VIEW) return 1
  return elementSizes[typedArray] ?? 0
}

export function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  let bits = 0
  for (let index = start; index < end; index++) bits |= bytes[index] as number
  return bits < 0x80
}
