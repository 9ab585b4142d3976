/** What has gone wrong in a world: each trouble with its place and its time, for checkers that ask what explains a loss. */
import type { FaultKind, Trouble } from './checkers/findings.ts'

interface Kept extends Trouble {
  untilMs: number
}

export class Troubles {
  readonly #all: Kept[] = []

  /** Oldest first. */
  get all(): readonly Trouble[] {
    return this.#all
  }

  /** `forMs` is 0 for what is over at once, and Infinity for what lasts until it is healed. */
  add(kind: FaultKind, nodes: readonly string[], sinceMs: number, forMs = 0): void {
    this.#all.push({ kind, nodes, sinceMs, untilMs: sinceMs + forMs })
  }

  /** The network is well again; only between these, when they are given. */
  healed(nowMs: number, between?: readonly [string, string]): void {
    for (const trouble of this.#all) {
      if (trouble.kind !== 'network' || trouble.untilMs <= nowMs) continue
      const isMeant =
        between === undefined ||
        (trouble.nodes.length === 2 && trouble.nodes.every((node) => between.includes(node)))
      if (isMeant) trouble.untilMs = nowMs
    }
  }
}
