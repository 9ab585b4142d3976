/** The messages of this room on the wire: their names, versions and shapes. */
import { isRef } from '../actor/internals.ts'
import { isCount, type Shape } from '../foundation/shape.ts'
import { isNodeId } from '../foundation/node-id.ts'
import { type MessageKind, MessageProtocol } from '../serialization/internals.ts'
import type { SingletonMessage } from './singleton-messages.ts'
import { wireTermLimit } from './singleton-terms.ts'

const isTerm: Shape = (value) => isCount(value) && (value as number) < wireTermLimit
const signed: Readonly<Record<string, Shape>> = { from: isNodeId, term: isTerm }
const kind: MessageKind = { version: 1, fields: signed }

export const singletonProtocol: MessageProtocol<SingletonMessage> = new MessageProtocol(
  'singleton',
  {
    HandOverToMe: kind,
    HandOverInProgress: kind,
    HandOverDone: kind,
    WhereIsInstance: kind,
    InstanceIsHere: { version: 1, fields: { ...signed, instance: isRef } },
    InstanceStops: kind,
  },
)
