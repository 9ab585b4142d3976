/**
 * S2: what one life of a sender sends to one entity arrives in that order and at most once, over all instances of the
 * entity. Gaps are somebody else's business.
 */
import type { Findings } from './findings.ts'

/** What one sender sends to one entity arrives in order and at most once. */
export class SenderOrder {
  readonly #findings: Findings
  readonly #last = new Map<string, number>()

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** Numbers grow per sender and entity, in the order of sending. */
  received(sender: string, entity: string, number: number): void {
    const key = `${sender} -> ${entity}`
    const last = this.#last.get(key) ?? 0
    if (number > last) {
      this.#last.set(key, number)
      return
    }
    const problem = number === last ? 'came twice' : `came after ${last}`
    this.#findings.check(
      'messages of a sender arrive in order',
      false,
      `${key}: ${number} ${problem}`,
    )
  }
}
