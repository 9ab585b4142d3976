/**
 * `setTimeout` and its family in virtual time, with the objects they return. They belong to the place where they were
 * called: when that node crashes, its timers vanish with it.
 */
import { inContext } from '../microtasks.ts'
import type { Surroundings, SurroundingTimer } from './surroundings.ts'

type Callback = (...values: unknown[]) => void

const DELAY_MAX = 2_147_483_647
const SIGNAL_DELAY_MAX = 4_294_967_295

/** What `setTimeout` and `setInterval` return: all that Node's own timer object offers. */
export class VirtualTimeout {
  readonly #place: Surroundings
  readonly #delayMs: number
  readonly #repeats: boolean
  readonly #fire: () => void
  #timer: SurroundingTimer
  #hasRef = true
  #isOver = false
  readonly #id: number
  readonly #numbers: NumberedTimers

  constructor(place: Surroundings, plan: TimeoutPlan) {
    this.#place = place
    this.#delayMs = plan.delayMs
    this.#repeats = plan.repeats
    this.#id = ++plan.numbers.given
    this.#numbers = plan.numbers
    this.#fire = inContext(() => this.#fired(plan.callback, plan.values))
    this.#timer = this.#start()
  }

  ref(): this {
    return this.#setRef(true)
  }

  unref(): this {
    return this.#setRef(false)
  }

  hasRef(): boolean {
    return this.#hasRef
  }

  refresh(): this {
    if (this.#isOver) return this
    this.#timer.cancel()
    this.#timer = this.#start()
    return this
  }

  close(): this {
    this.#isOver = true
    this.#timer.cancel()
    this.#numbers.byId.delete(this.#id)
    return this
  }

  /** A number that `clearTimeout` takes too. */
  [Symbol.toPrimitive](): number {
    this.#numbers.byId.set(this.#id, this)
    return this.#id
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #start(): SurroundingTimer {
    const timer = this.#place.after(
      this.#delayMs,
      this.#repeats ? 'interval' : 'timeout',
      this.#fire,
    )
    timer.isAwaited = this.#hasRef
    return timer
  }

  #setRef(hasRef: boolean): this {
    this.#hasRef = hasRef
    this.#timer.isAwaited = hasRef
    return this
  }

  #fired(callback: Callback, values: unknown[]): void {
    if (!this.#repeats) this.#numbers.byId.delete(this.#id)
    try {
      Reflect.apply(callback, this, values)
    } finally {
      if (this.#repeats) this.refresh()
    }
  }
}

interface TimeoutPlan {
  readonly callback: Callback
  readonly delayMs: number
  readonly values: unknown[]
  readonly repeats: boolean
  readonly numbers: NumberedTimers
}

/** The timers of one place that `clearTimeout` knows by a number. */
class NumberedTimers {
  /** Only of those that were turned into a number: nobody else can be cleared by one. */
  readonly byId = new Map<number, VirtualTimeout>()
  given = 0
}

/** What `setImmediate` returns. */
export class VirtualImmediate {
  readonly #timer: SurroundingTimer

  constructor(place: Surroundings, callback: Callback, values: unknown[]) {
    this.#timer = place.soon(inContext(() => Reflect.apply(callback, this, values)))
  }

  ref(): this {
    this.#timer.isAwaited = true
    return this
  }

  unref(): this {
    this.#timer.isAwaited = false
    return this
  }

  hasRef(): boolean {
    return this.#timer.isAwaited
  }

  close(): void {
    this.#timer.cancel()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** The functions as one world offers them; `current` is where the caller runs. */
export class VirtualTimerFunctions {
  readonly #current: () => Surroundings
  /** Numbers are those of one process, so that they are the same again in the next world. */
  readonly #numbered = new WeakMap<Surroundings, NumberedTimers>()

  constructor(current: () => Surroundings) {
    this.#current = current
  }

  readonly setTimeout = (
    callback: unknown,
    delay?: unknown,
    ...values: unknown[]
  ): VirtualTimeout => this.#start(callback, delay, values, false)

  readonly setInterval = (
    callback: unknown,
    delay?: unknown,
    ...values: unknown[]
  ): VirtualTimeout => this.#start(callback, delay, values, true)

  readonly setImmediate = (callback: unknown, ...values: unknown[]): VirtualImmediate =>
    new VirtualImmediate(this.#current(), assertCallable(callback), values)

  /** `AbortSignal.timeout`. */
  readonly abortAfter = (delay: unknown): AbortSignal => {
    if (typeof delay !== 'number') {
      throw coded(TypeError, 'ERR_INVALID_ARG_TYPE', 'The "delay" argument must be of type number.')
    }
    if (!(Number.isInteger(delay) && delay >= 0 && delay <= SIGNAL_DELAY_MAX)) {
      const message = `The value of "delay" is out of range. Received ${delay}`
      throw coded(RangeError, 'ERR_OUT_OF_RANGE', message)
    }
    const controller = new AbortController()
    const abort = inContext(() =>
      controller.abort(
        new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
      ),
    )
    this.#current().after(toDelayMs(delay), 'timeout', abort).isAwaited = false
    return controller.signal
  }

  /** For all three kinds. Answers false for what is none of ours: a timer of the real world. */
  readonly clear = (timer: unknown): boolean => {
    const isNumber = typeof timer === 'number' || typeof timer === 'string'
    const found = isNumber ? this.#numbersAt(this.#current()).byId.get(Number(timer)) : timer
    if (!(found instanceof VirtualTimeout || found instanceof VirtualImmediate)) return false
    found.close()
    return true
  }

  #start(callback: unknown, delay: unknown, values: unknown[], repeats: boolean): VirtualTimeout {
    const place = this.#current()
    return new VirtualTimeout(place, {
      callback: assertCallable(callback),
      delayMs: toDelayMs(delay),
      values,
      repeats,
      numbers: this.#numbersAt(place),
    })
  }

  #numbersAt(place: Surroundings): NumberedTimers {
    let numbers = this.#numbered.get(place)
    if (numbers === undefined) this.#numbered.set(place, (numbers = new NumberedTimers()))
    return numbers
  }
}

/** As Node has it: whole milliseconds, and 1 for anything that is too small, too large or no number. */
export function toDelayMs(delay: unknown): number {
  const ms = Number(delay)
  return ms >= 1 && ms <= DELAY_MAX ? Math.trunc(ms) : 1
}

function assertCallable(callback: unknown): Callback {
  if (typeof callback === 'function') return callback as Callback
  throw coded(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    'The "callback" argument must be of type function.',
  )
}

/** As Node's own look. */
function coded(kind: new (message: string) => Error, code: string, message: string): Error {
  return Object.assign(new kind(message), { code })
}
