/**
 * Tells an actor that nothing has arrived for a while. A message only notes the time; the timer, when it fires too
 * early because of that, waits for the rest.
 */
import type { WheelTimer } from '../../foundation/timer-wheel.ts'
import type { Cell } from '../cell/cell.ts'
import { Envelope } from '../cell/envelope.ts'
import { notInfluenceReceiveTimeout } from '../events/lost-messages.ts'

export class ReceiveTimeout implements WheelTimer {
  deadlineMs = 0
  next: WheelTimer | undefined = undefined
  previous: WheelTimer | undefined = undefined
  slot = -1
  readonly #cell: Cell
  readonly #timeoutMs: number
  readonly #message: unknown
  #lastMs: number

  constructor(cell: Cell, timeoutMs: number, message: unknown) {
    this.#cell = cell
    this.#timeoutMs = timeoutMs
    this.#message = message
    this.#lastMs = cell.runtime.environment.clock.monotonicMs()
    cell.runtime.wheel.start(this, timeoutMs)
  }

  get isInternal(): boolean {
    return this.#cell.isInternal
  }

  /** A message was taken up; most of them push the timeout back. */
  push(message: unknown): void {
    if (!isWithoutInfluence(message)) this.touch()
  }

  /** The actor has been busy until now. */
  touch(): void {
    this.#lastMs = this.#cell.runtime.environment.clock.monotonicMs()
  }

  fire(): void {
    const restMs = this.#restMs()
    if (restMs > 0) this.#cell.runtime.wheel.start(this, restMs)
    else this.#cell.sendEnvelope(new Envelope({ type: 'ReceiveTimeout', timeout: this }))
  }

  /** The news was reached in the mailbox. It counts only if nothing was taken up and nothing changed since. */
  deliver(): void {
    if (this.#cell.state().receiveTimeout !== this) return
    const restMs = this.#restMs()
    this.#cell.runtime.wheel.start(this, restMs > 0 ? restMs : this.#timeoutMs)
    if (restMs <= 0) this.#cell.receiveTick(this.#message)
  }

  cancel(): void {
    this.#cell.runtime.wheel.cancel(this)
  }

  #restMs(): number {
    return this.#lastMs + this.#timeoutMs - this.#cell.runtime.environment.clock.monotonicMs()
  }
}

function isWithoutInfluence(message: unknown): boolean {
  return (
    typeof message === 'object' &&
    message !== null &&
    (message as Record<symbol, unknown>)[notInfluenceReceiveTimeout] === true
  )
}
