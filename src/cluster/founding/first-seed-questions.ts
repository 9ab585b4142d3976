/**
 * Asks the first seed whether it lives: as long as it does, nobody founds another cluster. An answer counts from when its
 * question was asked, since it may have been on its way for long and the first seed dead by now.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { GetStanding, Standing } from '../cluster-messages.ts'

/** Far from the numbers of other questions about a node's standing. */
const firstQuestion = 2 ** 40
const questionsKept = 8

interface Asked {
  readonly question: number
  readonly node: NodeId
  readonly at: number
}

export class FirstSeedQuestions {
  readonly #self: NodeId
  readonly #intervalMs: number
  #asked: Asked[] = []
  #question = firstQuestion
  #askAgainAt = -Infinity
  #livedAt = -Infinity

  constructor(self: NodeId, intervalMs: number) {
    this.#self = self
    this.#intervalMs = intervalMs
  }

  /** It lived then, at the least. */
  get livedAt(): number {
    return this.#livedAt
  }

  /** What to ask that node now; undefined when it was asked just before. */
  ask(node: NodeId, now: number): GetStanding | undefined {
    if (now < this.#askAgainAt) return undefined
    this.#askAgainAt = now + this.#intervalMs
    const question = ++this.#question
    this.#asked = [...this.#asked, { question, node, at: now }].slice(-questionsKept)
    return { type: 'GetStanding', from: this.#self, question }
  }

  heard({ from, question }: Standing): void {
    const asked = this.#asked.find((each) => each.question === question && each.node === from)
    if (asked !== undefined) this.#livedAt = Math.max(this.#livedAt, asked.at)
  }
}
