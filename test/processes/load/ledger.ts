/**
 * What callers know about what they wanted stored. Every attempt has an id of its own, never used twice, so what the
 * entities have in the end can be held against it: an acknowledged attempt is there exactly once, one with an unknown
 * outcome at most once, a refused one not at all.
 */

export type Outcome = 'acked' | 'unknown' | 'refused'

interface Attempt {
  readonly entity: string
  outcome: Outcome
}

export interface Verdict {
  readonly acked: number
  readonly unknown: number
  readonly refused: number
  /** Empty when all is well. */
  readonly problems: readonly string[]
}

/** Problems listed; the others are only counted. */
const problemsMax = 10

export class Ledger {
  readonly #attempts = new Map<string, Attempt>()

  /** Until it is settled the outcome is unknown: whoever dies now leaves it so. */
  begin(id: string, entity: string): void {
    this.#attempts.set(id, { entity, outcome: 'unknown' })
  }

  settle(id: string, outcome: Outcome): void {
    const attempt = this.#attempts.get(id)
    if (attempt !== undefined) attempt.outcome = outcome
  }

  /** Holds the ids that each entity has against what is known. */
  check(stored: ReadonlyMap<string, readonly string[]>): Verdict {
    const problems: string[] = []
    const times = new Map<string, number>()
    for (const [entity, ids] of stored) {
      for (const id of ids) {
        times.set(id, (times.get(id) ?? 0) + 1)
        const attempt = this.#attempts.get(id)
        if (attempt === undefined) problems.push(`${entity} has ${id}, which nobody sent`)
        else if (attempt.entity !== entity)
          problems.push(`${entity} has ${id} of ${attempt.entity}`)
      }
    }
    const counts = { acked: 0, unknown: 0, refused: 0 }
    for (const [id, { entity, outcome }] of this.#attempts) {
      counts[outcome]++
      const found = times.get(id) ?? 0
      if (outcome === 'acked' && found === 0) problems.push(`${entity} lost ${id}, acknowledged`)
      if (outcome === 'refused' && found > 0) problems.push(`${entity} has ${id}, refused`)
      if (found > 1) problems.push(`${entity} has ${id} ${found} times`)
    }
    return { ...counts, problems: shortened(problems) }
  }
}

function shortened(problems: readonly string[]): string[] {
  const more = problems.length - problemsMax
  return more <= 0
    ? [...problems]
    : [...problems.slice(0, problemsMax), `and ${more} more such problems`]
}
