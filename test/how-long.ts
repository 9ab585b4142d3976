/**
 * How much a run of the tests tries. `npm test` is short; `npm run test:full` runs all there is. What is the same test with
 * fewer cases asks here for their number; what only a full run has time for stands in a file `*.full.test.ts`.
 */
export interface Cases {
  readonly short: number
  readonly full: number
}

/** Said by vitest.config.ts. */
export const isFull = process.env['SHERD_TESTS'] === 'full'

/** How many cases, seeds or rounds this run has time for. */
export function cases({ short, full }: Cases): number {
  return isFull ? full : short
}
