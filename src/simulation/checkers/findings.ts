/** What can go wrong in a world so that messages may be lost by it. */
export type FaultKind = 'crash' | 'pause' | 'network' | 'store'

/** One thing that went wrong. */
export interface Trouble {
  readonly kind: FaultKind
  /** The names of the nodes it happened to. */
  readonly nodes: readonly string[]
  /** Virtual milliseconds since the beginning. */
  readonly sinceMs: number
  /** Infinity while it lasts. */
  readonly untilMs: number
}

/** Where checkers say what they found. A simulation is one. */
export interface Findings {
  /** Virtual milliseconds since the beginning. */
  readonly now: number
  /** Anything but true is a violation. */
  check(name: string, holds: boolean, detail?: string): void
  /** A deviation that a rule permits, because of an injected fault: counted and printed with the result. */
  excuse(name: string): void
  /** What has gone wrong so far, oldest first. */
  readonly troubles: readonly Trouble[]
  /** The run has come to a place that is worth testing: counted and printed with the result. */
  reached(name: string): void
}

/** One life of a node, as checkers see it. */
export interface WatchedLife {
  /** `a#2`: the second life of node a. */
  readonly label: string
  readonly isAlive: boolean
  readonly isPaused: boolean
  /** How often it has been paused. */
  readonly pauseCount: number
}
