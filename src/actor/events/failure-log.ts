/**
 * Tells the operator that actors have failed: the first failure of a cause at once, with its error; more of the same are
 * counted and told once in an interval. A fault that is in the data, as an entity that cannot be recovered, comes again
 * with every message for it, and would otherwise hide everything else.
 */
import type { Clock } from '../../foundation/clock.ts'
import { CountedRepeats, type Repeats } from '../../foundation/counted-repeats.ts'
import { formatMs } from '../../foundation/duration.ts'
import type { Logger, LogFields } from '../../foundation/logger.ts'
import { show } from '../../foundation/show.ts'
import type { ActorRef } from '../ref/actor-ref.ts'
import type { NameOfActor } from './dead-letter-log.ts'

/** Causes that are told apart; all others are one. */
const causesMax = 100

/** Of a text that is looked at. */
const textLengthMax = 500

interface ActorFailure {
  readonly fields: LogFields
  readonly cause: unknown
}

export interface FailureLogOptions {
  readonly logger: Logger
  readonly clock: Clock
  readonly settings: { readonly logFailuresIntervalMs: number }
  readonly nameOf: NameOfActor
}

export class FailureLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #nameOf: NameOfActor
  readonly #repeats: CountedRepeats<ActorFailure>

  constructor({ logger, clock, settings, nameOf }: FailureLogOptions) {
    this.#logger = logger
    this.#clock = clock
    this.#nameOf = nameOf
    this.#repeats = new CountedRepeats(settings.logFailuresIntervalMs, causesMax)
  }

  record(ref: ActorRef<never>, cause: unknown): void {
    const name = this.#nameOf(ref)
    const fields = { actor: ref.toString(), ...name?.fields }
    const nowMs = this.#clock.monotonicMs()
    // Entities of two types may fail in the same words, and each is news.
    const kind = `${show(name?.fields['entityType'])} ${kindOfCause(cause)}`
    const { isFirst, due } = this.#repeats.add(kind, { fields, cause }, nowMs)
    for (const repeats of due) this.#summarize(repeats)
    if (!isFirst) return
    this.#logger.error({ err: cause, ...fields }, `${name?.text ?? 'actor'} failed and stops`)
  }

  /** The system ends. */
  end(): void {
    for (const repeats of this.#repeats.end(this.#clock.monotonicMs())) this.#summarize(repeats)
  }

  #summarize({ count, sinceMs, last: { fields, cause } }: Repeats<ActorFailure>): void {
    const times = count === 1 ? 'Once' : `${count} times`
    this.#logger.error(
      { err: cause, ...fields, count },
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
