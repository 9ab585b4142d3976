/**
 * Moves the checkpoint: when, and how much of it in one transaction. Every process reads the tail of the log when it first
 * writes, and again when it cannot go on from what it knows; a read behind the index scans it; so it is kept short.
 *
 * A fold takes up all heads that are behind when it begins, writes some of them in each transaction, and moves the
 * checkpoint to where it began once all are written. Until then nothing in the store says that it is under way: a head that
 * is ahead of the checkpoint is nothing new, as a claim leaves one, too. Whoever dies in between leaves less to be done.
 */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import type { StoreCount } from './lmdb-layout.ts'

export interface FoldLimits {
  /** More make appends cheaper, because a stream that was written often is folded once. */
  readonly foldAfterEvents: number
  readonly foldAfterBytes: number
  /** Streams whose heads are behind. More take more memory in every process. */
  readonly foldAfterHeads: number
  /** Claims of others that a process can still catch up with one by one. */
  readonly foldAfterClaims: number
  /** Heads that one transaction folds, or as many as it has events. More keep the event loop and the write lock longer. */
  readonly foldHeadsMax: number
}

export const defaultFoldLimits: FoldLimits = {
  foldAfterEvents: 16_384,
  foldAfterBytes: 4_194_304,
  foldAfterHeads: 4096,
  foldAfterClaims: 4096,
  foldHeadsMax: 128,
}

/** A fold rides on commits until the tail is so many times as long as it may be; then commits wait for it. */
const overdueFactor = 2

/** Whether a fold is due at this count, with so many heads behind the log. */
export function mustFold(count: StoreCount, headsBehind: number, limits: FoldLimits): boolean {
  return isBeyond(count, headsBehind, limits, 1)
}

/** Whether a fold that is under way has to go on before anything more is written. */
export function isOverdue(count: StoreCount, headsBehind: number, limits: FoldLimits): boolean {
  return isBeyond(count, headsBehind, limits, overdueFactor)
}

function isBeyond(
  count: StoreCount,
  headsBehind: number,
  limits: FoldLimits,
  factor: number,
): boolean {
  return (
    count.lastOrder - count.headsOrder > limits.foldAfterEvents * factor ||
    count.tailBytes > limits.foldAfterBytes * factor ||
    headsBehind > limits.foldAfterHeads * factor ||
    count.claimCount - count.foldedClaims > limits.foldAfterClaims * factor
  )
}

/** A fold under way, in one process. It ends when the checkpoint moves, whoever moves it. */
export class LmdbFold {
  /** Sorted, so that the heads of one transaction lie on pages side by side. */
  readonly #ids: readonly string[]
  readonly #begun: StoreCount
  #next = 0

  constructor(idsBehind: Iterable<string>, begun: StoreCount) {
    this.#ids = [...idsBehind].toSorted()
    this.#begun = begun
  }

  /** Of streams that were behind when it began; they may not be so any more. */
  take(atMost: number): readonly string[] {
    const from = this.#next
    this.#next = Math.min(from + atMost, this.#ids.length)
    return this.#ids.slice(from, this.#next)
  }

  get isDone(): boolean {
    return this.#next === this.#ids.length
  }

  /** What its last transaction leaves. Claims made since are in the heads, too: who has missed one reads all anew. */
  leaves(count: StoreCount): StoreCount {
    const { lastOrder, tailBytes } = this.#begun
    return {
      ...count,
      headsOrder: lastOrder,
      tailBytes: count.tailBytes - tailBytes,
      foldedClaims: count.claimCount,
    }
  }
}

export function checkFoldLimits(limits: FoldLimits): void {
  const problems: string[] = []
  for (const [name, value] of Object.entries(limits)) {
    const least = name === 'foldHeadsMax' ? 1 : 0
    if (Number.isSafeInteger(value) && value >= least) continue
    problems.push(`${name} must be a whole number of at least ${least}, not ${String(value)}`)
  }
  if (problems.length > 0) throw new InvalidSettings('The fold limits of the journal', problems)
}
