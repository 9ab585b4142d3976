/** The functions of `node:timers/promises` in virtual time. */
import type { Surroundings, SurroundingTimer } from './surroundings.ts'
import { toDelayMs } from './virtual-timer-functions.ts'

interface TimerOptions {
  readonly signal?: AbortSignal
  readonly ref?: boolean
}

export class VirtualTimerPromises {
  readonly #current: () => Surroundings

  constructor(current: () => Surroundings) {
    this.#current = current
  }

  readonly setTimeout = (
    delay?: unknown,
    value?: unknown,
    options?: TimerOptions,
  ): Promise<unknown> => {
    const place = this.#current()
    return wait((done) => place.after(toDelayMs(delay), 'timeout', done), value, options)
  }

  readonly setImmediate = (value?: unknown, options?: TimerOptions): Promise<unknown> => {
    const place = this.#current()
    return wait((done) => place.soon(done), value, options)
  }

  readonly setInterval = (
    delay?: unknown,
    value?: unknown,
    options?: TimerOptions,
  ): AsyncGenerator<unknown, void> => this.#ticks(this.#current(), toDelayMs(delay), value, options)

  readonly wait = (delay?: unknown, options?: TimerOptions): Promise<unknown> =>
    this.setTimeout(delay, undefined, options)

  readonly yield = (): Promise<unknown> => this.setImmediate()

  /** Ticks that nobody has taken yet are kept, as Node does. */
  async *#ticks(
    place: Surroundings,
    delayMs: number,
    value: unknown,
    options: TimerOptions = {},
  ): AsyncGenerator<unknown, void> {
    let untaken = 0
    let wake = (): void => {}
    let timer: SurroundingTimer
    const start = (): SurroundingTimer => {
      const started = place.after(delayMs, 'interval', tick)
      started.isAwaited = options.ref !== false
      return started
    }
    const tick = (): void => {
      untaken++
      timer = start()
      wake()
    }
    const onAbort = (): void => wake()
    options.signal?.addEventListener('abort', onAbort, { once: true })
    timer = start()
    try {
      for (;;) {
        if (options.signal?.aborted === true) throw abortError(options.signal)
        for (; untaken > 0; untaken--) yield value
        await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      timer.cancel()
      options.signal?.removeEventListener('abort', onAbort)
    }
  }
}

function wait(
  start: (done: () => void) => SurroundingTimer,
  value: unknown,
  { signal, ref = true }: TimerOptions = {},
): Promise<unknown> {
  if (signal?.aborted === true) return Promise.reject(abortError(signal))
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timer.cancel()
      reject(abortError(signal as AbortSignal))
    }
    const timer = start(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve(value)
    })
    timer.isAwaited = ref
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** As Node's own looks. */
function abortError(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason as unknown })
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' })
}
