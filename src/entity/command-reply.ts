/** What a command comes to, in words for its caller. */
import { Question } from '../actor/internals.ts'
import type { Logger } from '../foundation/logger.ts'
import { show } from '../foundation/show.ts'
import { clip } from '../foundation/text.ts'
import {
  EventsOutcomeUnknown,
  type PersistenceFailure,
  RecoveryFailure,
  WriterFenced,
} from '../persistence/index.ts'
import { CannotSerialize } from '../serialization/index.ts'
import type { AnyEntity } from './define-entity.ts'
import { CallError, CommandChangedState } from './entity-errors.ts'
import type { EntityCall, EntityReply } from './entity-messages.ts'
import { isCall } from './entity-wire.ts'
import type { EntityWorld } from './entity-world.ts'
import { isFrozenComplaint } from './frozen-state.ts'
import type { Travelling } from './travelling.ts'

/** A command as it is called here: its types were checked where it was written. */
export type CommandHandler = (self: unknown, ...args: readonly unknown[]) => unknown

/** Undefined when there is none: what a caller sends may be any text. */
export function commandOf({ commands }: AnyEntity, name: string): CommandHandler | undefined {
  if (!Object.hasOwn(commands, name)) return undefined
  return (commands as Readonly<Record<string, CommandHandler>>)[name]
}

/** In the async context of its caller, where that is kept: one on this node. Otherwise in nobody's. */
export function runCommand(
  handler: CommandHandler,
  self: unknown,
  { args, replyTo }: EntityCall,
): unknown {
  const context = replyTo instanceof Question ? replyTo.context : undefined
  if (context === undefined) return handler(self, ...args)
  return context.runInAsyncScope(handler, undefined, self, ...args)
}

export function unknownCommand({ commands }: AnyEntity): EntityReply {
  return { type: 'CommandUnknown', version: 1, known: Object.keys(commands) }
}

/** True for a call that this node does not understand, of another version of Sherd: its caller has been told. */
export function refusesCall(message: unknown): boolean {
  if (!isCall(message)) return false
  message.replyTo.tell({ type: 'NotHandled', version: 1, reason: 'unknown-version' })
  return true
}

/** Throws CannotSerialize, before anything of the command is stored. */
export function answer(value: unknown, command: string, travelling: Travelling): EntityReply {
  return { type: 'Answered', version: 1, value: travelling.copy(value, `the result of ${command}`) }
}

export interface FailedCommand {
  readonly entity: AnyEntity
  readonly id: string
  readonly command: string
  readonly world: Pick<EntityWorld, 'travelling' | 'writer'>
  readonly log: Logger
}

/** The command threw, or gave what cannot travel. Whatever it threw, its caller is answered. */
export function refusal(thrown: unknown, failing: FailedCommand): EntityReply {
  try {
    return refusalOf(thrown, failing)
  } catch (problem) {
    // A getter or a proxy of the user's, which throws when it is looked at.
    const { command } = failing
    const text = `The command ${command} threw a value that cannot be read: ${show(thrown)}. Reading it throws ${show(problem)}`
    return refusalOf(new Error(text), failing)
  }
}

function refusalOf(
  thrown: unknown,
  { entity, id, command, world, log }: FailedCommand,
): EntityReply {
  const { travelling, writer: node } = world
  // What is thrown on purpose is meant for the caller, who gets it. A slip is for whoever wrote the command, and its stack
  // does not leave this node.
  const level = isSlip(thrown) ? 'warn' : 'debug'
  log[level](
    { err: thrown, entityType: entity.name, entityId: id, command },
    `The command ${command} of ${entity.name} ${show(id)} failed: ${thrown instanceof Error ? thrown.message : show(thrown)}`,
  )
  const mayHaveHappened = !entity.isDurable || comesOfOpenCall(thrown)
  if (thrown instanceof CannotSerialize) {
    const { path, message } = thrown
    const problem = message.startsWith(path) ? message.slice(path.length).trimStart() : message
    return { type: 'ResultRefused', version: 1, path, problem, mayHaveHappened }
  }
  const error =
    entity.isDurable && isFrozenComplaint(thrown)
      ? new CommandChangedState(entity.name, command, thrown, entity.keepsState)
      : thrown
  return { type: 'Refused', version: 1, error: travelling.error(error), node, mayHaveHappened }
}

/** Causes that are looked at; they may go in a circle. */
const causesMax = 8

/** Whether it comes of a call that the command made and that may have happened: nothing undoes that with the command. */
function comesOfOpenCall(thrown: unknown): boolean {
  let error = thrown
  try {
    for (let seen = 0; error instanceof Error && seen < causesMax; seen++, error = error.cause) {
      if (error instanceof CallError && error.mayHaveHappened) return true
    }
  } catch {
    // A getter or a proxy of the user's.
  }
  return false
}

/** In place of the code of a failed recovery, when the next one may go well. */
export const storeUnavailable = 'STORE_UNAVAILABLE'

/** `adviceOn` knows more about a writer that has the stream now. */
export function notDone(
  error: PersistenceFailure,
  adviceOn?: EntityWorld['adviceOnWriter'],
): EntityReply {
  const mayHaveHappened = error instanceof EventsOutcomeUnknown
  const advice = error instanceof WriterFenced ? adviceOn?.(error.byWriter) : undefined
  const problem = advice === undefined ? error.message : `${error.message} ${advice}`
  // It must fit into an answer, whatever a handler threw at the recovery.
  const isPassing = error instanceof RecoveryFailure && error.mayPass
  const code = isPassing ? storeUnavailable : error.code
  return { type: 'NotDone', version: 1, code, problem: clip(problem, 16_384), mayHaveHappened }
}

const slips: ReadonlySet<unknown> = new Set([
  TypeError,
  ReferenceError,
  RangeError,
  SyntaxError,
  EvalError,
  URIError,
])

/**
 * Whether this looks like a mistake in the program: what the engine, Node or an assertion throws. A class of one's own, and
 * an error with a code of one's own, is meant for the caller.
 */
function isSlip(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const code: unknown = 'code' in thrown ? thrown.code : undefined
  if (code !== undefined) return typeof code === 'string' && code.startsWith('ERR_')
  return slips.has(thrown.constructor) || thrown.name === 'AssertionError'
}
