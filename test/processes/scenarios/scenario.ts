/** What a chaos scenario is: a run under faults that ends with figures and, when something was broken, problems. */
import type { ProcessCluster, ClusterOptions } from '../harness/process-cluster.ts'

/** What the scenario gets: by tests, or by `npm run chaos`. */
export interface Stage {
  readonly rounds: number
  /** Short waits and faults for tests; otherwise the settings that users get. */
  readonly isQuick: boolean
  /** A cluster that is gone when the run is over, and shows its words when the run failed. */
  cluster<N, O extends object>(kind: string, options?: ClusterOptions): ProcessCluster<N, O>
  /** Aborted when the run is over, however it ended: nothing that goes on by itself may outlive it. */
  readonly over: AbortSignal
  /** Progress, a line each. */
  say(line: string): void
}

export interface Outcome {
  /** Empty when all is well. */
  readonly problems: readonly string[]
  /** For the summary, in this order. */
  readonly figures: Readonly<Record<string, number>>
}

export interface Scenario {
  readonly name: string
  readonly summary: string
  /** As many as end within a minute. */
  readonly defaultRounds: number
  /** What this machine lacks for it, in words; nothing when left out. */
  readonly missing?: () => readonly string[]
  run(stage: Stage): Promise<Outcome>
}
