/**
 * What each node is told when it asks where the others are. All is well at first; then some are told of a part, of what was
 * true before, of nobody, get an error, or no answer for long. Whom nobody is told of may still be there.
 */
import type { SeededRandom, Simulation } from '../../../src/simulation/index.ts'

type Answer =
  | { readonly type: 'part'; readonly names: readonly string[] }
  /** As it was when some had not come, and others were there that are gone. */
  | { readonly type: 'old'; readonly names: readonly string[] }
  | { readonly type: 'none' }
  | { readonly type: 'error' }
  | { readonly type: 'late'; readonly ms: number }

/** Nodes that were there once. Nobody answers at their addresses. */
const gone = ['y', 'z']

export const answerPlaces: readonly string[] = ['part', 'old', 'none', 'error', 'late'].map(
  (type) => `a node that looks for others is told: ${type}`,
)

export class NameServer {
  readonly #simulation: Simulation
  readonly #names: readonly string[]
  readonly #answers = new Map<string, Answer>()

  constructor(simulation: Simulation, names: readonly string[]) {
    this.#simulation = simulation
    this.#names = names
  }

  lookUpFor(name: string): () => Promise<readonly string[]> {
    return async () => {
      const answer = this.#answers.get(name)
      if (answer === undefined) return this.#names.map(addressOf)
      this.#simulation.reached(`a node that looks for others is told: ${answer.type}`)
      if (answer.type === 'error') throw new Error('SERVFAIL')
      if (answer.type === 'late') await later(answer.ms)
      if (answer.type === 'none') return []
      return (answer.type === 'late' ? this.#names : answer.names).map(addressOf)
    }
  }

  /** From now on some are told something else, each for itself, until it is over. */
  confuse(random: SeededRandom): void {
    const some = this.#names.filter(() => random.chance(0.6))
    const forMs = 2_000 + random.below(15_000)
    for (const name of some) {
      const answer = this.#draw(random)
      this.#answers.set(name, answer)
      this.#simulation.fault(`${name} looks for others and is told: ${inWords(answer)}`)
      this.#simulation.after(forMs, () => {
        if (this.#answers.get(name) === answer) this.#answers.delete(name)
      })
    }
  }

  /** Two groups are told of themselves alone. */
  divide(random: SeededRandom): void {
    const side = this.#names.filter(() => random.chance(0.5))
    const forMs = 4_000 + random.below(15_000)
    for (const name of this.#names) {
      const isIn = side.includes(name)
      const names = this.#names.filter((each) => side.includes(each) === isIn)
      const answer: Answer = { type: 'part', names }
      this.#answers.set(name, answer)
      this.#simulation.after(forMs, () => {
        if (this.#answers.get(name) === answer) this.#answers.delete(name)
      })
    }
    this.#simulation.fault(`those who look for others are told of ${side.join()} or of the rest`)
  }

  /** All are told the truth again. */
  calm(): void {
    this.#answers.clear()
  }

  #draw(random: SeededRandom): Answer {
    const some = this.#names.filter(() => random.chance(0.5))
    return random.pick<Answer>([
      { type: 'part', names: some },
      { type: 'old', names: [...some, ...gone.filter(() => random.chance(0.7))] },
      { type: 'none' },
      { type: 'error' },
      { type: 'late', ms: random.below(8_000) },
    ])
  }
}

function inWords(answer: Answer): string {
  if (answer.type === 'late') return `the truth, ${answer.ms} ms late`
  return 'names' in answer ? `${answer.type} of it, ${answer.names.join()}` : answer.type
}

function addressOf(name: string): string {
  return `${name}:2552`
}

/** By the clock of the node that asks. */
function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
