/**
 * A2 for what is stored: an instance that has stopped asks the store for nothing more, whatever its handlers still do; and
 * while an instance runs, no former one of the same node does. What was asked before may take effect at any time.
 */
import type { Findings } from './findings.ts'

interface Known {
  isRunning: boolean
  /** Of the newest claim that was answered. */
  epoch: number
}

export class NoLateWrites {
  readonly #findings: Findings
  /** By life and entity, for entities that were seen there. */
  readonly #known = new Map<string, Known>()

  constructor(findings: Findings) {
    this.#findings = findings
  }

  started(label: string, entity: string): void {
    const { epoch = 0 } = this.#known.get(keyOf(label, entity)) ?? {}
    this.#known.set(keyOf(label, entity), { isRunning: true, epoch })
  }

  stopped(label: string, entity: string): void {
    const known = this.#known.get(keyOf(label, entity))
    if (known !== undefined) known.isRunning = false
  }

  claimed(label: string, entity: string, epoch: number): void {
    const known = this.#known.get(keyOf(label, entity))
    if (known !== undefined) known.epoch = epoch
  }

  /** The store is asked to write under this epoch. */
  asked(label: string, entity: string, epoch: number): void {
    const known = this.#known.get(keyOf(label, entity))
    if (known === undefined) return
    this.#findings.check(
      'an entity that has stopped stores nothing',
      known.isRunning && epoch >= known.epoch,
      `${entity} on ${label} writes under epoch ${epoch}, and ${known.isRunning ? `an instance with ${known.epoch} runs there` : 'no instance runs there'}`,
    )
  }
}

function keyOf(label: string, entity: string): string {
  return `${label} ${entity}`
}
