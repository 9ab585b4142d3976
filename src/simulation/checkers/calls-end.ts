/**
 * A call gets an answer or an error before its time is over, unless the node that made it has died. One that hangs would
 * keep its caller for ever, whatever the caller does when calls fail.
 */
import type { Findings, WatchedLife } from './findings.ts'

/** Where a call comes from, and how long it may take. */
export interface FollowedCall {
  readonly life: WatchedLife
  /** In words for people. */
  readonly what: string
  readonly timeoutMs: number
}

interface OpenCall extends FollowedCall {
  readonly madeMs: number
  /** The pauses its node had had when it was made. */
  readonly pauses: number
}

/** What its caller may need to find out, after the end, why there was no answer. */
const LEEWAY_MS = 1_000

/** Every call ends before its time is over. */
export class CallsEnd {
  readonly #findings: Findings
  readonly #open = new Set<OpenCall>()

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** To be told of every call when it is made. Hears of its end from the promise itself. */
  made(call: FollowedCall, promise: Promise<unknown>): void {
    const { life, what, timeoutMs } = call
    const open = { life, what, timeoutMs, madeMs: this.#findings.now, pauses: life.pauseCount }
    this.#open.add(open)
    const ended = (): void => {
      this.#open.delete(open)
      // Who sleeps cannot look at the clock.
      if (life.pauseCount === open.pauses) this.#look(open, 'ended')
    }
    promise.then(ended, ended)
  }

  /** Nor does one that gets to nothing for want of CPU. When that is over a call has its time once more, and not for ever. */
  #wasHeldUp({ life: { label }, timeoutMs, madeMs }: OpenCall): boolean {
    return this.#findings.troubles.some(({ kind, nodes, untilMs }) => {
      const isHere = nodes.some((name) => label.startsWith(`${name}#`))
      const isSince = untilMs >= madeMs && this.#findings.now <= untilMs + timeoutMs + LEEWAY_MS
      return kind === 'pause' && isHere && isSince
    })
  }

  /** When nothing is under way any more. */
  conclude(): void {
    for (const open of this.#open) {
      if (open.life.isAlive && !open.life.isPaused) this.#look(open, 'has not ended')
    }
  }

  #look(call: OpenCall, how: string): void {
    const { life, what, timeoutMs, madeMs } = call
    const tookMs = this.#findings.now - madeMs
    const isLate = tookMs > timeoutMs + LEEWAY_MS
    this.#findings.check(
      'a call ends before its time is over',
      !isLate || this.#wasHeldUp(call),
      `${what}, made on ${life.label} at ${madeMs} ms with ${timeoutMs} ms, ${how} after ${tookMs} ms`,
    )
  }
}
