/**
 * Measures contestants against each other in one process. Each gets a number of operations that
 * fills about `roundMs`; rounds of all contestants alternate (A B C, B C A, …), so what the machine
 * does meanwhile hits all alike. What a round must not count (systems built up and torn down,
 * garbage of the one before) lies outside the clock.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MeasuredCase } from './benchmark.ts'

const roundMs = 200
const warmUpRounds = 3
export const timedRounds = 9

export interface Contestant {
  readonly name: string
  /** Builds what the rounds work on. Not timed. */
  readonly setUp: () => Running | Promise<Running>
}

export interface Running {
  /** Does that many operations; resolves when the last one is done. Throws if one was lost. */
  readonly round: (operations: number) => Promise<void>
  /** Runs after every round, not timed: takes away what the round left. */
  readonly afterRound?: () => Promise<void> | void
  readonly tearDown?: () => Promise<void> | void
}

export interface BenchmarkCase {
  readonly name: string
  readonly unit: string
  readonly contestants: readonly Contestant[]
  /** Operations come in multiples of this. */
  readonly operationsStep?: number
  /** No round is bigger than this, for work that piles up while the round lasts. */
  readonly operationsMax?: number
}

/** The contestant, or none when its library is not installed. */
export function contestantIf<Library>(
  name: string,
  library: Library | undefined,
  setUp: (library: Library) => Running,
): Contestant[] {
  return library === undefined ? [] : [{ name, setUp: () => setUp(library) }]
}

/** A contestant while it is being measured. */
interface Lane {
  readonly name: string
  readonly running: Running
  readonly samples: number[]
  operations: number
}

export async function measure(benchmarkCase: BenchmarkCase): Promise<MeasuredCase> {
  const { name, unit } = benchmarkCase
  const lanes: Lane[] = []
  console.error(`measuring ${name}: ${benchmarkCase.contestants.map((c) => c.name).join(', ')}`)
  try {
    for (const contestant of benchmarkCase.contestants) {
      const running = await contestant.setUp()
      lanes.push({ name: contestant.name, running, samples: [], operations: 0 })
    }
    for (const lane of lanes) await calibrate(lane, benchmarkCase)
    await alternate(lanes, warmUpRounds, (lane, elapsedMs) =>
      resize(lane, elapsedMs, benchmarkCase),
    )
    await alternate(lanes, timedRounds, (lane, elapsedMs) =>
      lane.samples.push((lane.operations * 1000) / elapsedMs),
    )
  } finally {
    for (const lane of lanes) await lane.running.tearDown?.()
  }
  return {
    name,
    unit,
    contestants: lanes.map((lane) => ({ name: lane.name, samples: lane.samples })),
  }
}

/** Every lane once per round; who goes first moves on by one. */
async function alternate(
  lanes: readonly Lane[],
  rounds: number,
  record: (lane: Lane, elapsedMs: number) => void,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < lanes.length; turn++) {
      const lane = lanes[(round + turn) % lanes.length] as Lane
      record(lane, await timeRound(lane))
    }
  }
}

async function timeRound({ running, operations }: Lane): Promise<number> {
  // Only the young: a full collection also throws away compiled code, and the round would measure the compiler.
  globalThis.gc?.({ type: 'minor' })
  await nextTurn()
  const start = performance.now()
  await running.round(operations)
  const elapsedMs = performance.now() - start
  await running.afterRound?.()
  return elapsedMs
}

/** Grows the round until its time says something. */
async function calibrate(lane: Lane, benchmarkCase: BenchmarkCase): Promise<void> {
  lane.operations = roundSize(1000, benchmarkCase)
  for (;;) {
    const before = lane.operations
    const elapsedMs = await timeRound(lane)
    if (elapsedMs >= roundMs / 2) return
    lane.operations = roundSize(before * Math.min(10, roundMs / elapsedMs), benchmarkCase)
    if (lane.operations === before) return
  }
}

/** The code gets faster while it warms up, so the round grows with it. */
function resize(lane: Lane, elapsedMs: number, benchmarkCase: BenchmarkCase): void {
  lane.operations = roundSize((lane.operations * roundMs) / elapsedMs, benchmarkCase)
}

/** The nearest number of operations that the case allows. */
function roundSize(wanted: number, { operationsStep = 1, operationsMax }: BenchmarkCase): number {
  const size = Math.max(1, Math.round(wanted / operationsStep)) * operationsStep
  return Math.min(size, operationsMax ?? size)
}
