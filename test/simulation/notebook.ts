/** What checkers need of a world, for their tests. */
import type { FaultKind, Findings, Trouble } from '../../src/simulation/index.ts'

/** Collects what a checker finds; time goes on by one with every look. */
export class Notebook implements Findings {
  readonly found: string[] = []
  readonly excuses: string[] = []
  now = 0
  readonly troubles: Trouble[] = []
  readonly places: string[] = []

  trouble(kind: FaultKind, nodes: readonly string[] = ['a'], forMs = 0): void {
    this.troubles.push({ kind, nodes, sinceMs: this.now, untilMs: this.now + forMs })
  }

  reached(name: string): void {
    this.places.push(name)
  }

  check(name: string, holds: boolean): void {
    if (!holds) this.found.push(name)
  }

  excuse(name: string): void {
    this.excuses.push(name)
  }
}

export const life = (label: string) => ({ label, isAlive: true, isPaused: false, pauseCount: 0 })
