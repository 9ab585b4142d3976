/** What a command comes to, in words for its caller. */
import type { Logger } from '../foundation/logger.ts'
import { EventsOutcomeUnknown, type PersistenceFailure } from '../persistence/index.ts'
import { CannotSerialize } from '../serialization/index.ts'
import type { AnyEntity } from './define-entity.ts'
import type { EntityReply } from './entity-messages.ts'
import type { Travelling } from './travelling.ts'

/** A command as it is called here: its types were checked where it was written. */
export type CommandHandler = (self: unknown, ...args: readonly unknown[]) => unknown

/** Undefined when there is none: what a caller sends may be any text. */
export function commandOf({ commands }: AnyEntity, name: string): CommandHandler | undefined {
  if (!Object.hasOwn(commands, name)) return undefined
  return (commands as Readonly<Record<string, CommandHandler>>)[name]
}

export function unknownCommand({ commands }: AnyEntity): EntityReply {
  return { type: 'CommandUnknown', known: Object.keys(commands) }
}

/** Throws CannotSerialize, before anything of the command is stored. */
export function answer(value: unknown, command: string, travelling: Travelling): EntityReply {
  return { type: 'Answered', value: travelling.copy(value, `the result of ${command}`) }
}

export interface Failing {
  readonly entity: AnyEntity
  readonly id: string
  readonly command: string
  readonly travelling: Travelling
  readonly log: Logger
}

/** The command threw, or gave what cannot travel. */
export function refusal(
  thrown: unknown,
  { entity, id, command, travelling, log }: Failing,
): EntityReply {
  // Most are meant for the caller, who gets them; the stack is only here.
  log.debug({ err: thrown, entity: entity.name, id, command }, 'a command failed')
  const mayHaveHappened = !entity.isDurable
  if (thrown instanceof CannotSerialize) {
    const { path, message } = thrown
    const problem = message.startsWith(path) ? message.slice(path.length).trimStart() : message
    return { type: 'ResultRefused', path, problem, mayHaveHappened }
  }
  return { type: 'Refused', error: travelling.error(thrown), mayHaveHappened }
}

export function notDone(error: PersistenceFailure): EntityReply {
  const mayHaveHappened = error instanceof EventsOutcomeUnknown
  return { type: 'NotDone', code: error.code, problem: error.message, mayHaveHappened }
}
