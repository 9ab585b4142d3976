/**
 * `setTimeout` and its family in virtual time, with the objects they return. They belong to the place where they were
 * called: when that node crashes, its timers vanish with it.
 */
import { inContext } from '../microtasks.ts'
import type { Surroundings, SurroundingTimer } from './surroundings.ts'

type Callback = (...values: unknown[]) => void

const DELAY_MAX = 2_147_483_647

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
  readonly #onId: (timeout: VirtualTimeout, id: number) => void

  constructor(place: Surroundings, plan: TimeoutPlan) {
    this.#place = place
    this.#delayMs = plan.delayMs
    this.#repeats = plan.repeats
    this.#id = plan.id
    this.#onId = plan.onId
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
    return this
  }

  /** A number that `clearTimeout` takes too. */
  [Symbol.toPrimitive](): number {
    this.#onId(this, this.#id)
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
  readonly id: number
  readonly onId: (timeout: VirtualTimeout, id: number) => void
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
  /** Only of those that were turned into a number: nobody else can be cleared by one. */
  readonly #byId = new Map<number, VirtualTimeout>()
  #idsGiven = 0

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

  /** For all three kinds. Answers false for what is none of ours: a timer of the real world. */
  readonly clear = (timer: unknown): boolean => {
    const found =
      typeof timer === 'number' || typeof timer === 'string' ? this.#byId.get(Number(timer)) : timer
    if (!(found instanceof VirtualTimeout || found instanceof VirtualImmediate)) return false
    found.close()
    if (found instanceof VirtualTimeout && found !== timer) this.#byId.delete(Number(timer))
    return true
  }

  #start(callback: unknown, delay: unknown, values: unknown[], repeats: boolean): VirtualTimeout {
    return new VirtualTimeout(this.#current(), {
      callback: assertCallable(callback),
      delayMs: toDelayMs(delay),
      values,
      repeats,
      id: ++this.#idsGiven,
      onId: (timeout, id) => this.#byId.set(id, timeout),
    })
  }
}

/** As Node has it: whole milliseconds, and 1 for anything that is too small, too large or no number. */
export function toDelayMs(delay: unknown): number {
  const ms = Number(delay)
  return ms >= 1 && ms <= DELAY_MAX ? Math.trunc(ms) : 1
}

function assertCallable(callback: unknown): Callback {
  if (typeof callback === 'function') return callback as Callback
  throw Object.assign(new TypeError('The "callback" argument must be of type function.'), {
    code: 'ERR_INVALID_ARG_TYPE',
  })
}
