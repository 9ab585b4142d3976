/**
 * When a commit moves the checkpoint: how much the tail of the log may hold. Every process reads the tail when it first
 * writes, and again when it cannot go on from what it knows; a read behind the index scans it; so it is kept short.
 */
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import type { StoreCount } from './lmdb-layout.ts'

export interface FoldLimits {
  /** More make appends cheaper, because a stream that was written often is folded once. */
  readonly foldAfterEvents: number
  readonly foldAfterBytes: number
  /** Streams whose heads are folded at once. More keep the write lock longer each time. */
  readonly foldAfterHeads: number
  /** Claims of others that a process can still catch up with one by one. */
  readonly foldAfterClaims: number
}

export const defaultFoldLimits: FoldLimits = {
  foldAfterEvents: 16_384,
  foldAfterBytes: 4_194_304,
  foldAfterHeads: 4096,
  foldAfterClaims: 4096,
}

/** Whether a commit that leaves this count, and so many heads behind the log, has to fold. */
export function mustFold(count: StoreCount, headsBehind: number, limits: FoldLimits): boolean {
  return (
    count.lastOrder - count.headsOrder > limits.foldAfterEvents ||
    count.tailBytes > limits.foldAfterBytes ||
    headsBehind > limits.foldAfterHeads ||
    count.claimCount - count.foldedClaims > limits.foldAfterClaims
  )
}

export function checkFoldLimits(limits: FoldLimits): void {
  const problems: string[] = []
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= 0) continue
    problems.push(`${name} must be a whole number of at least 0, not ${String(value)}`)
  }
  if (problems.length > 0) throw new InvalidSettings('The fold limits of the journal', problems)
}
