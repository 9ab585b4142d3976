/**
 * Callers that never rest: one per entity, each appends one unique id after the other, through any node that runs, and
 * tries again elsewhere when it fails. So every entity is asked all the time, and how long one did not answer is how
 * long it was gone.
 */
import type { Ledger, Outcome } from './ledger.ts'

export interface LoadOptions {
  readonly entities: readonly string[]
  readonly ledger: Ledger
  /** One attempt: resolves when the id is stored. */
  readonly append: (entity: string, id: string, attempt: number) => Promise<Outcome>
  /** How long a caller rests after an answer. */
  readonly paceMs: number
  /** Attempts of one call; one more and the call has failed. 40 when not given. */
  readonly attemptsMax?: number | undefined
  /** Aborted when nothing is to be called any more, not even until a call has been answered. */
  readonly over: AbortSignal
}

/** A caller that was refused tries again after so long. */
const retryMs = 50

export class Load {
  /** The longest time between two answers of one entity. */
  longestGapMs = 0
  /** Calls that were given up. */
  readonly failures: string[] = []
  readonly #options: LoadOptions
  readonly #lastAckMs = new Map<string, number>()
  /** Of the newest call that was acknowledged, per entity. */
  readonly #ackedBegunMs = new Map<string, number>()
  #callers: Promise<void>[] = []
  #isStopping = false
  #listeners: (() => void)[] = []

  constructor(options: LoadOptions) {
    this.#options = options
    options.over.addEventListener('abort', () => this.#tell(), { once: true })
  }

  start(): void {
    this.#callers = this.#options.entities.map((entity) => this.#callUntilStopped(entity))
  }

  /** Lets every caller finish its call. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#callers)
  }

  /** Resolves when every entity has answered a call that began after this moment; answers how long that took. */
  async answeredSince(sinceMs: number): Promise<number> {
    const { entities, over } = this.#options
    const isAnswered = (entity: string) => (this.#ackedBegunMs.get(entity) ?? -1) >= sinceMs
    while (!entities.every(isAnswered)) {
      over.throwIfAborted()
      await new Promise<void>((resolve) => this.#listeners.push(resolve))
    }
    return performance.now() - sinceMs
  }

  /** Entities that have not answered since; for the words of a wait that failed. */
  silentSince(sinceMs: number): string[] {
    return this.#options.entities.filter((e) => (this.#ackedBegunMs.get(e) ?? -1) < sinceMs)
  }

  async #callUntilStopped(entity: string): Promise<void> {
    for (let call = 1; !this.#isStopping && !this.#isOver; call++) {
      await this.#call(entity, call)
      await rest(this.#options.paceMs)
    }
  }

  async #call(entity: string, call: number): Promise<void> {
    const { ledger, append, attemptsMax = 40 } = this.#options
    for (let attempt = 1; attempt <= attemptsMax && !this.#isOver; attempt++) {
      const id = `${entity}.${call}.${attempt}`
      const begunMs = performance.now()
      ledger.begin(id, entity)
      const outcome = await append(entity, id, attempt)
      ledger.settle(id, outcome)
      if (outcome === 'acked') return this.#acked(entity, begunMs)
      await rest(retryMs)
    }
    if (this.#isOver) return
    this.failures.push(`${entity} did not answer call ${call} in ${attemptsMax} attempts`)
  }

  get #isOver(): boolean {
    return this.#options.over.aborted
  }

  #acked(entity: string, begunMs: number): void {
    const nowMs = performance.now()
    const gapMs = nowMs - (this.#lastAckMs.get(entity) ?? nowMs)
    this.longestGapMs = Math.max(this.longestGapMs, gapMs)
    this.#lastAckMs.set(entity, nowMs)
    this.#ackedBegunMs.set(entity, begunMs)
    this.#tell()
  }

  #tell(): void {
    const listeners = this.#listeners
    this.#listeners = []
    for (const look of listeners) look()
  }
}

/** The pace of the load; nothing waits for anything here. */
function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
