/** What was asked of the store and is not answered yet: at most one look and one write that count, each by its number. */
import type { ReadFounding, WriteFounding } from './founding-inputs.ts'
import type { FoundingRecord } from './founding-record.ts'

export interface Look {
  readonly number: number
  readonly beganAt: number
}

export interface Write extends Look {
  readonly record: FoundingRecord
}

/** So many looks may an answer take; then it does not count any more. */
const patienceLooks = 5

export class FoundingCalls {
  readonly #intervalMs: number
  #number = 0
  #look: Look | undefined
  #write: Write | undefined
  #lastAt = -Infinity
  /** When to look next, if nothing else comes before. */
  nextLookAt = Infinity
  /** What the last call came to, when it failed. */
  problem: string | undefined

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  get isWriting(): boolean {
    return this.#write !== undefined
  }

  isLookDue(now: number): boolean {
    return this.#look === undefined && this.#write === undefined && now >= this.nextLookAt
  }

  /** The next look begins no later than this after the last call, if that was answered. */
  hurry(withinMs: number): void {
    this.nextLookAt = Math.min(this.nextLookAt, this.#lastAt + withinMs)
  }

  /** An answer to an earlier look does not count any more: this one begins now. */
  look(now: number): ReadFounding {
    const number = ++this.#number
    this.#look = { number, beganAt: now }
    this.#lastAt = now
    this.nextLookAt = now + this.#intervalMs
    return { type: 'ReadFounding', number }
  }

  write(record: FoundingRecord, expectedRevision: number, now: number): WriteFounding {
    const number = ++this.#number
    this.#write = { number, beganAt: now, record }
    this.#lastAt = now
    return { type: 'WriteFounding', number, expectedRevision, record }
  }

  /** The look with this number; undefined when it does not count any more. */
  lookAnswered(number: number, problem?: string): Look | undefined {
    const look = this.#look
    if (look?.number !== number) return undefined
    this.#look = undefined
    this.problem = problem
    return look
  }

  /** The same for a write. */
  writeAnswered(number: number, problem?: string): Write | undefined {
    const write = this.#write
    if (write?.number !== number) return undefined
    this.#write = undefined
    this.problem = problem
    return write
  }

  /** Gives up on what was not answered for long. */
  expire(now: number): void {
    for (const call of [this.#look, this.#write]) {
      if (call === undefined || now - call.beganAt <= patienceLooks * this.#intervalMs) continue
      if (call === this.#look) this.#look = undefined
      else this.#write = undefined
      this.problem = 'no answer'
    }
  }
}
