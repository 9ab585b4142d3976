/**
 * Nothing comes behind the stop message of an entity: it has let go of what it had, and what is sent while it stops waits
 * for its next instance. Entities say themselves when they were told to stop.
 */
import type { Findings, WatchedLife } from './findings.ts'

/** Nothing comes behind the stop message of an entity. */
export class StopComesLast {
  readonly #findings: Findings
  /** When it was told to stop, by life and entity. */
  readonly #stopping = new Map<string, number>()

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** The instance on that node was told to stop. */
  told(life: WatchedLife, entity: string): void {
    this.#stopping.set(keyOf(life, entity), this.#findings.now)
  }

  /** The instance on that node has a message. */
  acted(life: WatchedLife, entity: string): void {
    const sinceMs = this.#stopping.get(keyOf(life, entity))
    if (sinceMs === undefined) return
    this.#findings.check(
      'nothing comes behind the stop message of an entity',
      false,
      `${entity} on ${life.label} was told to stop at ${sinceMs} ms, and then got a message`,
    )
  }

  /** Its instance there has stopped, or a new one starts. */
  isOver(life: WatchedLife, entity: string): void {
    this.#stopping.delete(keyOf(life, entity))
  }
}

function keyOf({ label }: WatchedLife, entity: string): string {
  return `${label} ${entity}`
}
