/**
 * The faults that a run plans, in the order in which they were drawn. Each has a number, by which it can be left out, and
 * chance of its own: without it the others meet the same luck. So a run that fails can be made smaller.
 */
import { SeededRandom } from './seeded-random.ts'

/** A fault of the plan that was carried out. */
export interface PlannedFault {
  /** In the order of the plan, from 1. */
  readonly number: number
  readonly timeMs: number
  /** What it was, in words. */
  readonly what: string
}

export class FaultPlan {
  readonly #seed: number
  readonly #only: ReadonlySet<number> | undefined
  readonly #carriedOut: PlannedFault[] = []
  #count = 0
  /** What the fault that is carried out has said of itself. */
  #words: string[] | undefined

  /** `only` are the numbers of those that are carried out; all when not given. */
  constructor(seed: number, only?: Iterable<number>) {
    this.#seed = seed
    this.#only = only && new Set(only)
  }

  get carriedOut(): readonly PlannedFault[] {
    return this.#carriedOut
  }

  /** Carries the next fault out, unless it is left out. `name` is what it is called when it says nothing of itself. */
  carryOut(timeMs: number, name: string, fault: (random: SeededRandom) => void): void {
    const number = ++this.#count
    if (this.#only?.has(number) === false) return
    const words: string[] = []
    this.#words = words
    try {
      fault(new SeededRandom(this.#seed, `plan/${number}`))
    } finally {
      this.#words = undefined
      this.#carriedOut.push({ number, timeMs, what: words.join('; ') || name })
    }
  }

  /** Something is injected; by the fault that is carried out, if there is one. */
  note(description: string): void {
    this.#words?.push(description)
  }
}
