/** One command in a story: `withdraw(70)  ->  persisted Withdrawn(70) #4  ->  answered 30`. Complete when it has answered. */
import type { EntityReply, WitnessedCommand } from '../../entity/internals.ts'
import { unreachable } from '../../foundation/assert.ts'
import { show, showCall } from '../../foundation/show.ts'
import { shownTime, type StoryEntry } from './story-lines.ts'

/** An event that a command lets happen. */
export interface EventEntry {
  readonly text: string
  /** Its number in the store, as soon as it is there. */
  sequenceNr: number | undefined
}

interface Beginning {
  readonly order: number
  readonly node: string
  readonly who: string
  readonly command: string
  readonly args: readonly unknown[]
}

export class CommandEntry implements StoryEntry, WitnessedCommand {
  readonly order: number
  readonly timeUs: number
  readonly node: string
  readonly who: string
  /** Put into words at once: what is shown later may have been changed. */
  readonly #call: string
  readonly #clock: { readonly nowUs: number }
  /** Those of its entity that the store has not accepted yet. */
  readonly #unstored: EventEntry[]
  readonly #events: EventEntry[] = []
  #end: string | undefined = undefined

  constructor(
    { order, node, who, command, args }: Beginning,
    clock: { readonly nowUs: number },
    unstored: EventEntry[],
  ) {
    this.order = order
    this.timeUs = clock.nowUs
    this.node = node
    this.who = who
    this.#call = showCall(command, args)
    this.#clock = clock
    this.#unstored = unstored
  }

  persists(name: string, args: readonly unknown[]): void {
    this.#events.push({ text: showCall(name, args), sequenceNr: undefined })
  }

  ends(eventCount: number): void {
    this.#events.splice(0, this.#events.length - eventCount)
    this.#unstored.push(...this.#events)
  }

  answers(reply: EntityReply): void {
    const now = shownTime(this.#clock.nowUs)
    const later = now === shownTime(this.timeUs) ? '' : ` at ${now}`
    this.#end = `${inWords(reply)}${later}`
  }

  inWords(): string {
    const events = this.#events.map(({ text, sequenceNr }) =>
      sequenceNr === undefined ? `${text}, not stored` : `${text} #${sequenceNr}`,
    )
    const persisted = events.length === 0 ? [] : [`persisted ${events.join(', ')}`]
    return [this.#call, ...persisted, this.#end ?? 'not answered'].join('  ->  ')
  }
}

function inWords(reply: EntityReply): string {
  switch (reply.type) {
    case 'Answered':
      return `answered ${show(reply.value)}`
    case 'Refused': {
      const { error } = reply
      const code = 'code' in error ? `${String(error.code)}: ` : ''
      return `failed: ${code}${error.message}`
    }
    case 'CommandUnknown':
      return 'failed: there is no such command'
    case 'ResultRefused':
      return `failed: ${reply.path} ${reply.problem}`
    case 'NotDone':
      return `${reply.mayHaveHappened ? 'may not have been' : 'was not'} done: ${reply.code}`
    case 'NotHandled':
      return `was not handled: ${reply.reason}`
    case 'CutOff':
      return 'was cut off'
    default:
      return unreachable(reply)
  }
}
