/**
 * The questions of this node that other nodes may answer, by number. A number is a slot and how often the slot was used
 * before: the answer to a question that is long over finds the slot in other hands, and is a dead letter.
 */
import type { Question } from '../../actor/internals.ts'
import { TooManyAsks } from '../remote-errors.ts'
import { headNumberMax } from '../wire/message-frame.ts'

const slotsMax = 2 ** 20
const generationsMax = Math.floor((headNumberMax + 1) / slotsMax)

export class AskTable {
  readonly #questions: (Question | undefined)[] = []
  readonly #generations: number[] = []
  readonly #free: number[] = []
  /** When no slot is free: how many there must be before looking for questions that are over is worth it again. */
  #sweepAt = 64

  /** Gives the question a number, unless it has one. Throws TooManyAsks. */
  register(question: Question): number {
    if (question.wireNumber >= 0) return question.wireNumber
    const slot = this.#takeSlot()
    this.#questions[slot] = question
    question.wireNumber = this.#generations[slot]! * slotsMax + slot
    return question.wireNumber
  }

  /** The question, also when it is over; undefined when its slot has been given to another. */
  find(number: number): Question | undefined {
    const question = this.#questions[number % slotsMax]
    return question?.wireNumber === number ? question : undefined
  }

  /** Finds the question and lets go of it: there is one answer. */
  take(number: number): Question | undefined {
    const question = this.find(number)
    if (question !== undefined) this.#release(number % slotsMax)
    return question
  }

  #takeSlot(): number {
    const free = this.#free.pop()
    if (free !== undefined) return free
    // Questions that ended without an answer leave their slot behind; nobody tells us, so we look now and then.
    if (this.#questions.length >= this.#sweepAt) this.#sweep()
    const found = this.#free.pop()
    if (found !== undefined) return found
    const slot = this.#questions.length
    if (slot === slotsMax) throw new TooManyAsks(slotsMax)
    this.#questions.push(undefined)
    this.#generations.push(0)
    return slot
  }

  #sweep(): void {
    for (const [slot, question] of this.#questions.entries()) {
      if (question?.isOver === true) this.#release(slot)
    }
    const { length } = this.#questions
    const isWorthIt = this.#free.length > length / 4
    this.#sweepAt = Math.min(slotsMax, isWorthIt ? length : 2 * length)
  }

  #release(slot: number): void {
    this.#questions[slot] = undefined
    this.#generations[slot] = (this.#generations[slot]! + 1) % generationsMax
    this.#free.push(slot)
  }
}
