/**
 * One message or signal on its way through an interceptor. The behavior inside gets one thing at a time, and the actor is
 * not free before that is done, whether the interceptor waits for it or not.
 */
import { ActorStopped, ContextOutsideTurn } from '../actor-errors.ts'
import type { Cell } from '../cell/cell.ts'
import type { Next, Result } from './behavior.ts'
import { isPromise } from './interpret.ts'

export class Relay<M> {
  readonly #cell: Cell
  readonly #deliver: (message: M) => Result<unknown>
  /** The last that was handed on and has not settled. */
  #inFlight: Promise<unknown> | undefined
  #isOver = false
  readonly #isPostStop: boolean

  constructor(cell: Cell, deliver: (message: M) => Result<unknown>) {
    this.#cell = cell
    this.#deliver = deliver
    this.#isPostStop = isPostStopUnderWay(cell)
  }

  /** Hands one on to the behavior inside. An interceptor may call it after an await, but not when its turn is over. */
  readonly next = (message: M): Result<unknown> => {
    const result =
      this.#inFlight === undefined
        ? this.#handOn(message)
        : this.#inFlight.then(() => this.#handOn(message))
    if (isPromise(result)) this.#track(result)
    return result
  }

  /** What the interceptor answers; a promise when it, or what it handed on, is async. */
  answerOf(around: () => Result<unknown>): Result<unknown> {
    let result: Result<unknown>
    try {
      result = around()
    } catch (error) {
      const fail = (): never => {
        throw error
      }
      result = this.#inFlight === undefined ? fail() : this.#inFlight.then(fail, fail)
    }
    if (isPromise(result) || this.#inFlight !== undefined) return this.#settle(result)
    this.#isOver = true
    return result
  }

  async #settle(result: Result<unknown>): Promise<Next<unknown>> {
    try {
      const answer = await result
      while (this.#inFlight !== undefined) await this.#inFlight
      return answer
    } catch (error) {
      // Whoever answers for the failure may build the behavior anew: the old one has come to its end by then.
      while (this.#inFlight !== undefined) await this.#inFlight.catch(() => undefined)
      throw error
    } finally {
      this.#isOver = true
    }
  }

  #handOn(message: M): Result<unknown> {
    const cell = this.#cell
    // One that a stopping actor did not wait for any longer must not come upon its PostStop.
    const isGivenUp = isPostStopUnderWay(cell) && !this.#isPostStop
    if (isGivenUp || cell.isTerminated) throw new ActorStopped('next', `${cell}`, 'interceptor')
    if (this.#isOver) throw new ContextOutsideTurn('next', `${cell}`, 'interceptor')
    return this.#deliver(message)
  }

  #track(promise: Promise<unknown>): void {
    this.#inFlight = promise
    const settled = (): void => {
      if (this.#inFlight === promise) this.#inFlight = undefined
    }
    promise.then(settled, settled)
  }
}

function isPostStopUnderWay(cell: Cell): boolean {
  return cell.stateIfAny?.stopStage === 'post-stop'
}
