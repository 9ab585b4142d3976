/** S5: no two coordinators of a type have the same term, and terms only grow. */
import type { Findings, WatchedLife } from './findings.ts'

interface Reign {
  readonly term: number
  readonly label: string
}

/** No two coordinators of a type have the same term, and terms only grow. */
export class OneCoordinator {
  readonly #findings: Findings
  readonly #latest = new Map<string, Reign>()
  #count = 0

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** How many coordinators there have been. */
  get count(): number {
    return this.#count
  }

  started(life: WatchedLife, entityType: string, term: number): void {
    this.#count++
    const latest = this.#latest.get(entityType)
    this.#latest.set(entityType, { term, label: life.label })
    if (latest === undefined) return
    this.#findings.check(
      'one coordinator per term',
      term !== latest.term,
      `term ${term} of ${entityType} belongs to ${latest.label} and to ${life.label}`,
    )
    this.#findings.check(
      'terms of coordinators grow',
      term >= latest.term,
      `${life.label} starts term ${term} of ${entityType} after ${latest.label} had ${latest.term}`,
    )
  }
}
