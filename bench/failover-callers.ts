/**
 * The callers of `failover`: one for each counter, who calls it again as soon as it has answered, repeats what failed, and
 * keeps the books. Every answer must tell the count that its caller has come to: nothing acknowledged is lost or doubled.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { CallError } from '../src/entity/index.ts'
import type { CounterReply } from './failover-counter.ts'

/** Between a call and the next: two cores serve four processes, and the measure is not throughput. */
const pauseMs = 10

/** Failures after which a call may be repeated; any other ends the benchmark. */
const repeated: ReadonlySet<string> = new Set(['CALL_TIMEOUT', 'ENTITY_UNAVAILABLE', 'NOT_STORED'])

export type CallCounter = (operation: number) => Promise<CounterReply>

export class Caller {
  readonly #call: CallCounter
  acknowledged = 0
  /** Where the counter lived when it answered last. */
  pid = 0
  /** When the call that was answered last was sent. */
  sentMs = -Infinity
  answeredMs = performance.now()
  longestGapMs = 0
  /** Why calls had to be repeated. */
  readonly failures: string[] = []
  #awaited: { readonly sinceMs: number; readonly resolve: (nowMs: number) => void } | undefined

  constructor(call: CallCounter) {
    this.#call = call
  }

  async callOnce(): Promise<void> {
    const operation = this.acknowledged + 1
    for (;;) {
      const sentMs = performance.now()
      const reply = await this.#attempt(operation)
      if (reply === undefined) {
        await pause(pauseMs)
        continue
      }
      if (reply.count !== operation) {
        throw new Error(`the counter is at ${reply.count} after ${operation} calls`)
      }
      this.acknowledged = operation
      this.#note(sentMs, reply.pid)
      return
    }
  }

  answerSince(sinceMs: number): Promise<number> {
    return new Promise((resolve) => (this.#awaited = { sinceMs, resolve }))
  }

  async #attempt(operation: number): Promise<CounterReply | undefined> {
    try {
      return await this.#call(operation)
    } catch (error) {
      if (!(error instanceof CallError && repeated.has(error.code))) throw error
      this.failures.push(error.message)
      return undefined
    }
  }

  #note(sentMs: number, pid: number): void {
    const now = performance.now()
    this.longestGapMs = Math.max(this.longestGapMs, now - this.answeredMs)
    this.answeredMs = now
    this.sentMs = sentMs
    this.pid = pid
    if (this.#awaited === undefined || sentMs < this.#awaited.sinceMs) return
    this.#awaited.resolve(now)
    this.#awaited = undefined
  }
}

export function longestGapMs(callers: readonly Caller[]): number {
  return Math.max(...callers.map((caller) => caller.longestGapMs))
}

export class Callers {
  readonly #callers: readonly Caller[]
  #isOver = false
  /** Only ever rejects before `stop`. */
  #running: Promise<number[]> = Promise.resolve([])

  constructor(calls: readonly CallCounter[]) {
    this.#callers = calls.map((call) => new Caller(call))
  }

  /** One answer of the first counter. */
  async callFirst(): Promise<void> {
    await this.#callers[0]?.callOnce()
  }

  /** Every counter answers once; from then on all are called without end. */
  async start(): Promise<void> {
    await Promise.all(this.#callers.map((caller) => caller.callOnce()))
    this.#running = Promise.all(this.#callers.map((caller) => this.#callOnAndOn(caller)))
    // Whoever waits next hears of it.
    this.#running.catch(() => {})
  }

  /** Calls that each counter has answered. */
  get acknowledged(): number[] {
    return this.#callers.map((caller) => caller.acknowledged)
  }

  /** Those whose counter lives in that process, and the others. */
  split(pid: number): { readonly there: readonly Caller[]; readonly elsewhere: readonly Caller[] } {
    return {
      there: this.#callers.filter((caller) => caller.pid === pid),
      elsewhere: this.#callers.filter((caller) => caller.pid !== pid),
    }
  }

  /** What went wrong since it was last asked for, and was repeated. */
  takeFailures(): string[] {
    return this.#callers.flatMap((caller) => caller.failures.splice(0))
  }

  /** Gaps are measured anew; one that is open now counts whole. */
  forgetGaps(): void {
    for (const caller of this.#callers) caller.longestGapMs = 0
  }

  /** Resolves, with the moments, when every counter has answered a call that was sent after this one. */
  async answersSince(momentMs: number, patienceMs: number): Promise<number[]> {
    const answers = Promise.all(this.#callers.map((caller) => caller.answerSince(momentMs)))
    const isLate = new AbortController()
    const late = async (): Promise<never> => {
      await pause(patienceMs, undefined, { signal: isLate.signal })
      const open = this.#callers.filter(({ sentMs }) => sentMs < momentMs)
      const failure = open.flatMap(({ failures }) => failures).at(-1) ?? 'no call failed'
      throw new Error(`${open.length} counters gave no answer in ${patienceMs} ms: ${failure}`)
    }
    try {
      return await Promise.race([answers, this.#running, late()])
    } finally {
      isLate.abort()
    }
  }

  /** Ends the calls; the last ones are answered. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  async #callOnAndOn(caller: Caller): Promise<number> {
    while (!this.#isOver) {
      await pause(pauseMs)
      await caller.callOnce()
    }
    return caller.acknowledged
  }
}
