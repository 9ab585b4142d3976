/**
 * What MessagePack has no word for travels as a mark: an array that begins with the byte MessagePack never uses, then
 * the kind of mark, then its parts. No value of a user's can look like one, and msgpackr needs no extension for it:
 * its extensions belong to the whole process, while a ref means something to one node only.
 */
import { C1 } from 'msgpackr'

/** The number is on the wire and on disk: kinds are added, never changed. */
export const markKinds = {
  /** `[-, kind]`: MessagePack would lose the sign. */
  negativeZero: 0,
  /** `[-, kind, text]` */
  ref: 1,
  /** `[-, kind, name, message, code, cause]` */
  error: 2,
  /** `[-, kind, key, value, key, value, …]`: an object that cannot be a record. */
  dictionary: 3,
  /** `[-, kind, text]`: a text that begins with U+FEFF, which a decoder may take for a byte order mark. */
  text: 4,
} as const

/** Stands before the text of a `text` mark, so that U+FEFF is not the first character. */
export const MARKED_TEXT_BEGIN = 'x'

/** How many parts each kind has, by its number; a dictionary has any even number. */
const partCounts: readonly number[] = [0, 1, 4, -1, 1]

/** An error takes as much work and memory to make as so many other values, and counts for them, besides its parts. */
export const ERROR_ELEMENTS = 20

/** Half of the parts. */
const KEYS = -1

/**
 * How many of them were no values of their own to the sender, by kind: a text that stands for the whole, keys, the
 * places of a code and a cause that are not there. Negative when it counted more than there are.
 */
const uncounted: readonly number[] = [0, 1, 2 - ERROR_ELEMENTS, KEYS, 1]

export function uncountedParts(kind: number, partCount: number): number {
  const count = uncounted[kind] ?? 0
  return count === KEYS ? partCount / 2 : count
}

export function mark(kind: number, parts: readonly unknown[] = []): unknown[] {
  const begin: unknown[] = [C1, kind]
  return begin.concat(parts)
}

export function isMark(values: readonly unknown[]): boolean {
  return values[0] === C1
}

export function isMarkOf(kind: number, partCount: number): boolean {
  const expected = partCounts[kind]
  if (expected === undefined || partCount < 0) return false
  return expected === -1 ? partCount % 2 === 0 : expected === partCount
}
