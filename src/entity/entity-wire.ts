/**
 * Calls of entities and their answers as they stand on the wire. They are the hot path, so they travel as they are and
 * carry their version as one small number, not as a name. What came from another node is checked here.
 *
 * For ever: `version` and `replyTo` are in every version of a call, and every version of Sherd reads `NotHandled@1`. So
 * whoever gets a call that it does not understand can say so.
 */
import { isRef } from '../actor/internals.ts'
import { isObject } from '../foundation/is-object.ts'
import {
  isCount,
  isFlag,
  isText,
  listOf,
  maybe,
  recordOf,
  type Shape,
} from '../foundation/shape.ts'
import type { EntityCall, EntityReply } from './entity-messages.ts'

/** What can be said of a call whatever its version. */
export type AnyCall = Pick<EntityCall, 'replyTo'>

interface EntityMessageKind {
  /** A change that old readers would misread is a new version. */
  readonly version: number
  readonly shape: Shape
}

const isError: Shape = (value) => value instanceof Error
const done = { mayHaveHappened: isFlag }

const replyKinds: Readonly<Record<EntityReply['type'], EntityMessageKind>> = {
  Answered: { version: 1, shape: recordOf({}) },
  Refused: { version: 1, shape: recordOf({ error: isError, node: isText, ...done }) },
  CommandUnknown: { version: 1, shape: recordOf({ known: listOf(isText) }) },
  ResultRefused: { version: 1, shape: recordOf({ path: isText, problem: isText, ...done }) },
  NotDone: { version: 1, shape: recordOf({ code: isText, problem: isText, ...done }) },
  NotHandled: { version: 1, shape: recordOf({ reason: isText, waiting: maybe(isCount) }) },
  CutOff: { version: 1, shape: recordOf({}) },
}

/** Every kind by its name. */
export const entityKinds: Readonly<Record<string, EntityMessageKind>> = {
  EntityCall: { version: 1, shape: isEntityCall },
  ...replyKinds,
}

/** A call of the version that this node knows, with its shape. */
export function isEntityCall(message: unknown): message is EntityCall {
  if (typeof message !== 'object' || message === null) return false
  const { version, command, args, replyTo } = message as Partial<EntityCall>
  return version === 1 && typeof command === 'string' && Array.isArray(args) && isRef(replyTo)
}

/** A call, perhaps of a version that this node does not know, or of none: its caller can be answered. */
export function isCall(message: unknown): message is AnyCall {
  return isObject(message) && isRef(message['replyTo'])
}

export function isEntityReply(reply: unknown): reply is EntityReply {
  if (typeof reply !== 'object' || reply === null) return false
  const { type, version } = reply as Partial<EntityReply>
  // Nearly all are, and anything can be a value.
  if (type === 'Answered') return version === 1
  if (typeof type !== 'string' || !Object.hasOwn(replyKinds, type)) return false
  const kind = replyKinds[type]
  return version === kind.version && kind.shape(reply)
}
