/**
 * Tells the operator about lost messages: counts every one, and logs them until it would be too much. After a number of
 * lines it falls silent for a while, says so, and afterwards says how many it kept to itself. It names the kind of a
 * message, never what is in it: that may be nobody's business who reads logs.
 */
import type { ActorRef } from '../ref/actor-ref.ts'
import type { Clock } from '../../foundation/clock.ts'
import { formatMs } from '../../foundation/duration.ts'
import type { Logger, LogFields } from '../../foundation/logger.ts'
import type { ActorSettings } from '../actor-settings.ts'
import { kindOfMessage } from './kind-of-message.ts'
import { type LostMessage, suppressDeadLetterLog } from './lost-messages.ts'

/** The part of the actor settings that speaks of lost messages. */
export type DeadLetterLogSettings = Pick<
  ActorSettings,
  'logDeadLettersMax' | 'logDeadLettersSuspendMs' | 'logDeadLettersDuringShutdown'
>

export interface DeadLetterLogOptions {
  readonly logger: Logger
  readonly clock: Clock
  readonly settings: DeadLetterLogSettings
}

export class DeadLetterLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #settings: DeadLetterLogSettings
  readonly #counts = new Map<string, number>()
  readonly #lostLimit: LogLimit
  /** Apart, so that a chatty sender of unhandled messages does not hide the loss of others. */
  readonly #unhandledLimit: LogLimit
  #isSilent: boolean
  /** Who a recipient is to people, where its path is the affair of the runtime. */
  nameOf: NameOfActor = () => undefined

  constructor({ logger, clock, settings }: DeadLetterLogOptions) {
    this.#logger = logger
    this.#clock = clock
    this.#settings = settings
    this.#isSilent = !(settings.logDeadLettersMax > 0)
    this.#lostLimit = new LogLimit(settings)
    this.#unhandledLimit = new LogLimit(settings)
  }

  record(event: LostMessage): void {
    const kind = kindOf(event)
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    if (!this.#isSilent && !isSuppressed(event.message)) this.#log(event)
  }

  /** How many messages were lost since the start, by `type/reason`: `Dropped/mailbox-full`, `UnhandledMessage`. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts)
  }

  /** From now on messages are lost because actors stop, which is no news. */
  shutdownBegan(): void {
    if (!this.#settings.logDeadLettersDuringShutdown) this.#isSilent = true
  }

  #log(event: LostMessage): void {
    // Whoever waited for an answer has been told that it did not come.
    const isNoNews = event.type === 'UnhandledMessage' || isAnswer(event)
    const limit = isNoNews ? this.#unhandledLimit : this.#lostLimit
    const turn = limit.next(this.#clock.monotonicMs())
    if (turn === undefined) return
    const write = (fields: LogFields, text: string): void =>
      isNoNews ? this.#logger.debug(fields, text) : this.#logger.info(fields, text)
    const what = isNoNews ? 'unhandled messages' : 'lost messages'
    const { skipped, isLast } = turn
    if (skipped > 0) write({ skipped }, `Logging of ${what} resumes; ${skipped} were not logged.`)
    const suspended = `; logging of ${what} is suspended for ${formatMs(this.#settings.logDeadLettersSuspendMs)}`
    const { fields, text } = inWords(event, this.nameOf(event.recipient))
    write(fields, isLast ? `${text}${suspended}` : text)
  }
}

/** Lets a number of lines pass, then none for a while, and so on. */
class LogLimit {
  readonly #linesMax: number
  readonly #suspendMs: number
  #lines = 0
  #skipped = 0
  #resumesMs = 0

  constructor(settings: DeadLetterLogSettings) {
    this.#linesMax = settings.logDeadLettersMax
    this.#suspendMs = settings.logDeadLettersSuspendMs
  }

  /** Undefined when the line must not pass; else how many did not since the last one, and whether it is the last. */
  next(nowMs: number): { readonly skipped: number; readonly isLast: boolean } | undefined {
    if (this.#lines >= this.#linesMax) {
      if (nowMs < this.#resumesMs) {
        this.#skipped++
        return undefined
      }
      this.#lines = 0
    }
    const skipped = this.#skipped
    this.#skipped = 0
    this.#lines++
    const isLast = this.#lines >= this.#linesMax
    if (isLast) this.#resumesMs = nowMs + this.#suspendMs
    return { skipped, isLast }
  }
}

function kindOf(event: LostMessage): string {
  return event.type === 'UnhandledMessage' ? event.type : `${event.type}/${event.reason}`
}

/** How an actor of the runtime is called in a log: in words, and by fields. */
export type NameOfActor = (
  recipient: ActorRef<never>,
) => { readonly text: string; readonly fields: LogFields } | undefined

function isAnswer(event: LostMessage): boolean {
  return event.recipient.path.elements[0] === 'temp'
}

const openings: Readonly<Record<LostMessage['type'], string>> = {
  DeadLetter: 'A message was lost',
  Dropped: 'A message was dropped',
  UnhandledMessage: 'A message was not handled',
}

function inWords(
  event: LostMessage,
  name: ReturnType<NameOfActor>,
): { readonly fields: LogFields; readonly text: string } {
  const { type } = event
  const kind = kindOfMessage(event.message)
  const recipient = String(event.recipient)
  const fields = { type, kind, ...(name?.fields ?? { recipient }) }
  const text = `${openings[type]}: ${kind} to ${name?.text ?? recipient}`
  if (event.type === 'UnhandledMessage') return { fields, text }
  const { reason } = event
  return { fields: { ...fields, reason }, text: `${text} (${reason})` }
}

function isSuppressed(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false
  try {
    return (message as { [suppressDeadLetterLog]?: unknown })[suppressDeadLetterLog] === true
  } catch {
    // A proxy: whatever it threw is not our subject.
    return false
  }
}
