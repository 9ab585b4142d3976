/**
 * One listener per AbortSignal for all asks that share it: a request with a hundred asks is no leak, and Node need not
 * warn of one.
 */
export interface Abortable {
  abort(reason: unknown): void
}

export class AbortFanOut {
  readonly #waiting = new WeakMap<AbortSignal, { readonly all: Set<Abortable>; stop(): void }>()

  /** Calls `abort` when the signal fires, unless the answer is called before. */
  listen(signal: AbortSignal, abortable: Abortable): () => void {
    const waiting = this.#waiting.get(signal) ?? this.#begin(signal)
    waiting.all.add(abortable)
    return () => {
      waiting.all.delete(abortable)
      if (waiting.all.size === 0) waiting.stop()
    }
  }

  #begin(signal: AbortSignal): { readonly all: Set<Abortable>; stop(): void } {
    const all = new Set<Abortable>()
    const fire = (): void => {
      for (const each of [...all]) each.abort(signal.reason)
    }
    const stop = (): void => {
      signal.removeEventListener('abort', fire)
      this.#waiting.delete(signal)
    }
    signal.addEventListener('abort', fire, { once: true })
    const waiting = { all, stop }
    this.#waiting.set(signal, waiting)
    return waiting
  }
}
