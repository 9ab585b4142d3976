/** Finds where two runs of one seed part, for `npm run simulate -- --twice`. */
import type { SeedResult, Violation } from '../../src/simulation/index.ts'

const EVENTS_PER_CHECKPOINT = 10_000

/** The first result, with one violation more when the second is not the same. */
export function compared(first: SeedResult, second: SeedResult): SeedResult {
  if (first.hash === second.hash) return first
  const block = first.checkpoints.findIndex((hash, index) => hash !== second.checkpoints[index])
  const where =
    block < 0
      ? `after event ${Math.min(first.checkpoints.length, second.checkpoints.length) * EVENTS_PER_CHECKPOINT}`
      : `between events ${block * EVENTS_PER_CHECKPOINT} and ${(block + 1) * EVENTS_PER_CHECKPOINT}`
  const violation: Violation = {
    name: 'the same seed does the same',
    detail: `hash ${first.hash} and then ${second.hash}; the runs part ${where}`,
    seed: first.seed,
    timeMs: first.simulatedMs,
  }
  return { ...first, violations: [...first.violations, violation] }
}
