/**
 * About how often an entity was used lately, also one that is not here any more, in a few bits each: every row counts an id in
 * one of its counters, and the smallest count is the estimate, which is never too low. When enough was counted, all counts are
 * halved, so that what was popular once is forgotten.
 */
import { assert } from '../../foundation/assert.ts'
import { sketchDepthMax } from './spots.ts'

export interface SketchOptions {
  /** Rows, 1 to 4. More make the estimate better, and cost memory and time. */
  readonly depth: number
  /** Bits of one counter: 2, 4, 8, 16 or 32. With 4 of them a count ends at 15. */
  readonly counterBits: number
  /** Counters of a row per entity that there may be. */
  readonly widthMultiplier: number
  /** Counts are halved after so many uses per entity that there may be. */
  readonly resetMultiplier: number
}

/** Counters of one row, at most. */
export const sketchWidthMax = 2 ** 30

/** Undefined when it would be too wide. */
export function sketchWidth(capacity: number, widthMultiplier: number): number | undefined {
  const width = nextPowerOfTwo(widthMultiplier) * nextPowerOfTwo(capacity)
  return width <= sketchWidthMax ? width : undefined
}

export class FrequencySketch {
  readonly #depth: number
  readonly #bits: number
  readonly #countMax: number
  /** Where in a word a counter is, and in which. */
  readonly #inWord: number
  readonly #wordShift: number
  readonly #spotMask: number
  readonly #rowWords: number
  readonly #resetSize: number
  readonly #words: Int32Array
  #size = 0
  #halvings = 0

  constructor(capacity: number, options: SketchOptions) {
    const { depth, counterBits, widthMultiplier, resetMultiplier } = options
    const width = sketchWidth(capacity, widthMultiplier)
    assert(width !== undefined && depth <= sketchDepthMax, 'the check of definitions refuses this')
    const perWord = 32 / counterBits
    this.#depth = depth
    this.#bits = counterBits
    this.#countMax = 2 ** counterBits - 1
    this.#inWord = perWord - 1
    this.#wordShift = Math.log2(perWord)
    this.#spotMask = width - 1
    this.#rowWords = Math.max(1, width / perWord)
    this.#resetSize = Math.max(1, Math.floor(resetMultiplier * capacity))
    this.#words = new Int32Array(depth * this.#rowWords)
  }

  /** Uses since all was forgotten, as far as they still count. */
  get size(): number {
    return this.#size
  }

  /** How often all counts were halved. */
  get halvings(): number {
    return this.#halvings
  }

  /** The spots begin at this index of the table. False when nothing has changed: all its counters are full. */
  increment(spots: Int32Array, at: number): boolean {
    let hasChanged = false
    for (let row = 0; row < this.#depth; row++) {
      if (this.#bump(spots[at + row] as number, row)) hasChanged = true
    }
    if (hasChanged && ++this.#size === this.#resetSize) this.#halve()
    return hasChanged
  }

  frequency(spots: Int32Array, at: number): number {
    let least = this.#countMax
    for (let row = 0; row < this.#depth; row++) {
      least = Math.min(least, this.#countAt(spots[at + row] as number, row))
    }
    return least
  }

  #bump(spot: number, row: number): boolean {
    const counter = spot & this.#spotMask
    const index = row * this.#rowWords + (counter >>> this.#wordShift)
    const shift = (counter & this.#inWord) * this.#bits
    const word = this.#words[index] as number
    if (((word >>> shift) & this.#countMax) >>> 0 === this.#countMax) return false
    this.#words[index] = word + (1 << shift)
    return true
  }

  #countAt(spot: number, row: number): number {
    const counter = spot & this.#spotMask
    const word = this.#words[row * this.#rowWords + (counter >>> this.#wordShift)] as number
    return ((word >>> ((counter & this.#inWord) * this.#bits)) & this.#countMax) >>> 0
  }

  /** From then on as much is counted as is left in the row that has most. */
  #halve(): void {
    const kept = halvedBits(this.#bits)
    this.#size = 0
    this.#halvings++
    for (let row = 0; row < this.#depth; row++) {
      let sum = 0
      const end = (row + 1) * this.#rowWords
      for (let index = row * this.#rowWords; index < end; index++) {
        const word = this.#words[index] as number
        if (word === 0) continue
        const halved = (word >>> 1) & kept
        this.#words[index] = halved
        sum += sumOfCounters(halved, this.#bits)
      }
      this.#size = Math.max(this.#size, sum)
    }
  }
}

/** All bits of a word but the highest of every counter: what comes there by a shift is of the counter beside it. */
function halvedBits(bits: number): number {
  let highest = 0
  for (let shift = bits - 1; shift < 32; shift += bits) highest |= 1 << shift
  return ~highest
}

/** Neighbours are added up, then their sums, and so on: a large sketch is halved in a few milliseconds, not in tens of them. */
function sumOfCounters(word: number, bits: number): number {
  let sums = word
  if (bits <= 2) sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333)
  if (bits <= 4) sums = (sums & 0x0f0f0f0f) + ((sums >>> 4) & 0x0f0f0f0f)
  if (bits <= 8) sums = (sums & 0x00ff00ff) + ((sums >>> 8) & 0x00ff00ff)
  if (bits <= 16) sums = (sums & 0x0000ffff) + (sums >>> 16)
  return sums >>> 0
}

function nextPowerOfTwo(value: number): number {
  return 2 ** Math.ceil(Math.log2(value))
}
