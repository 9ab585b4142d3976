/**
 * Tells the operator that actors have failed: the first failure of a cause at once, with its error; more of the same are
 * counted and told once in an interval. A fault that is in the data, as an entity that cannot be recovered, comes again
 * with every message for it, and would otherwise hide everything else.
 */
import type { Clock } from '../../foundation/clock.ts'
import { CountedRepeats, type Repeats } from '../../foundation/counted-repeats.ts'
import { formatMs } from '../../foundation/duration.ts'
import type { Logger } from '../../foundation/logger.ts'

/** Causes that are told apart; all others are one. */
const causesMax = 100

/** Of a text that is looked at. */
const textLengthMax = 500

interface ActorFailure {
  readonly actor: string
  readonly cause: unknown
}

export interface FailureLogOptions {
  readonly logger: Logger
  readonly clock: Clock
  readonly settings: { readonly logFailuresIntervalMs: number }
}

export class FailureLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #repeats: CountedRepeats<ActorFailure>

  constructor({ logger, clock, settings }: FailureLogOptions) {
    this.#logger = logger
    this.#clock = clock
    this.#repeats = new CountedRepeats(settings.logFailuresIntervalMs, causesMax)
  }

  record(actor: string, cause: unknown): void {
    const failure = { actor, cause }
    const nowMs = this.#clock.monotonicMs()
    const { isFirst, due } = this.#repeats.add(kindOfCause(cause), failure, nowMs)
    for (const repeats of due) this.#summarize(repeats)
    if (isFirst) this.#logger.error({ err: cause, actor }, 'actor failed and stops')
  }

  /** The system ends. */
  end(): void {
    for (const repeats of this.#repeats.end(this.#clock.monotonicMs())) this.#summarize(repeats)
  }

  #summarize({ count, sinceMs, last: { actor, cause } }: Repeats<ActorFailure>): void {
    const times = count === 1 ? 'Once' : `${count} times`
    this.#logger.error(
      { err: cause, actor, count },
      `${times} more in the last ${formatMs(sinceMs)} an actor failed for the same cause and stopped. This is the latest.`,
    )
  }
}

/** Ids, paths and numbers differ from one failure to the next; the rest of the text says what it was. */
const whatDiffers = /'[^']*'|"[^"]*"|\S*[/\d]\S*/g

function kindOfCause(cause: unknown): string {
  try {
    if (!(cause instanceof Error)) return typeof cause
    const code = 'code' in cause ? String(cause.code) : ''
    return `${cause.name} ${code} ${cause.message.slice(0, textLengthMax).replace(whatDiffers, '?')}`
  } catch {
    // A getter or a proxy of the user's.
    return 'unreadable'
  }
}
