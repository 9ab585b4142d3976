/**
 * What a benchmark is: a name to run it by, one line about what it counts, and cases measured in
 * one run.
 */
import type { Peers } from './peer-libraries.ts'

export interface Benchmark {
  readonly name: string
  /** What is counted, in one line. */
  readonly summary: string
  readonly smallerIsBetter?: boolean
  readonly run: (peers: Peers, options?: BenchmarkOptions) => Promise<MeasuredCase[]>
}

/** For benchmarks that can do more than a minute's work. */
export interface BenchmarkOptions {
  readonly events?: number
  readonly members?: number
}

/** One case and every contestant's figures. */
export interface MeasuredCase {
  readonly name: string
  readonly unit: string
  readonly contestants: readonly Measured[]
}

/** What one contestant came to in each round: operations per second, or bytes. */
export interface Measured {
  readonly name: string
  readonly samples: readonly number[]
}
