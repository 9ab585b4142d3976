/**
 * Carries out transfers on a node: takes the money, then brings it. An answer that does not come may mean that the booking
 * was made or not, so the teller asks again, with the same order, until it knows.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as rest } from 'node:timers/promises'
import type { HandleOf } from '../../src/index.ts'
import type { Account, Receipt } from './account.ts'
import { Latencies } from './latency.ts'
import type { Report } from './messages.ts'
import type { Outcome, Statement, Transfer } from './transfers.ts'

export type AccountOf = (id: string) => HandleOf<typeof Account>

/** Between two attempts; the first few come quickly, since most trouble is over soon. */
const shortestRestMs = 50
const longestRestMs = 500

export class Teller {
  readonly #account: AccountOf
  readonly #latencies = new Latencies()
  #takenMs = performance.now()
  #calls = 0
  #askedAgain = 0

  constructor(account: AccountOf) {
    this.#account = account
  }

  /** Undefined when another node has finished it and its teller has gone on: there is nothing left to say. */
  async carryOut(transfer: Transfer): Promise<Outcome | undefined> {
    const { teller, number, amount, from, to } = transfer
    const order = { teller, number, amount }
    const taken = await this.#untilAnswered(() => this.#account(from).withdraw(order))
    if (taken !== 'booked') return taken === 'refused' ? 'refused' : undefined
    const brought = await this.#untilAnswered<Receipt>(() => this.#account(to).deposit(order))
    return brought === 'booked' ? 'done' : undefined
  }

  statementOf(account: string): Promise<Statement> {
    return this.#untilAnswered(() => this.#account(account).statement())
  }

  /** The figures since this was called last. */
  takeFigures(): Pick<Report, 'intervalMs' | 'calls' | 'askedAgain' | 'latencies'> {
    const nowMs = performance.now()
    const figures = {
      intervalMs: Math.max(1, nowMs - this.#takenMs),
      calls: this.#calls,
      askedAgain: this.#askedAgain,
      latencies: this.#latencies.take(),
    }
    this.#takenMs = nowMs
    this.#calls = 0
    this.#askedAgain = 0
    return figures
  }

  async #untilAnswered<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const begunMs = performance.now()
    for (let restMs = shortestRestMs; ; restMs = Math.min(restMs * 2, longestRestMs)) {
      try {
        const answer = await call()
        this.#calls++
        // With all attempts: this is how long the customer waited.
        this.#latencies.add(performance.now() - begunMs)
        return answer
      } catch {
        // Whatever it was, the order is the same when it is given again, and is booked once.
        this.#askedAgain++
        await rest(restMs)
      }
    }
  }
}
