/** Makes a run that fails smaller: leaves planned faults out as long as the same invariant is broken. */
import { formatMs } from '../../src/foundation/duration.ts'
import {
  type PlannedFault,
  type Scenario,
  type SeedResult,
  simulateSeeds,
} from '../../src/simulation/index.ts'
import { smallestPart } from './smallest-part.ts'

/** How much may be tried. */
export interface ShrinkLimits {
  readonly runsMax: number
  readonly timeMaxMs: number
  /** Milliseconds. */
  readonly now: () => number
}

/** What is left of a plan. */
export interface Shrunk {
  /** How many faults it had. */
  readonly before: number
  readonly plan: readonly PlannedFault[]
  readonly runs: number
}

/** Undefined when nothing was planned, or when nothing can be left out. */
export async function shrink(
  scenario: Scenario,
  { seed, plan, violations: [first] }: SeedResult,
  { runsMax, timeMaxMs, now }: ShrinkLimits,
): Promise<Shrunk | undefined> {
  if (first === undefined || plan.length === 0) return undefined
  const endMs = now() + timeMaxMs
  let runs = 0
  let smallest = plan
  const stillFails = async (kept: readonly number[]): Promise<boolean> => {
    runs++
    for await (const result of simulateSeeds({ scenario, seed, seeds: 1, only: kept })) {
      if (!result.violations.some(({ name }) => name === first.name)) return false
      smallest = result.plan
    }
    return true
  }
  const numbers = plan.map(({ number }) => number)
  await smallestPart(numbers, stillFails, () => runs < runsMax && now() < endMs)
  return smallest.length < plan.length ? { before: plan.length, plan: smallest, runs } : undefined
}

/** `3,7-9`, and `none`. */
export function numbersInWords(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  const texts = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
  return texts.join(',') || 'none'
}

/** What is left, line by line. */
export function describePlan({ before, plan, runs }: Shrunk): string[] {
  const count =
    plan.length === 0 ? 'no fault is' : plan.length === 1 ? '1 is' : `${plan.length} are`
  return [
    `Of ${before} planned faults ${count} needed (${runs} runs):`,
    ...plan.map(
      ({ number, timeMs, what }) =>
        `  ${String(number).padStart(3)}  ${formatMs(timeMs).padStart(9)}  ${what}`,
    ),
  ]
}
