/** What nodes tell each other about the lives of actors, and how it stands on the wire. Delivered in order, exactly once. */
import type { ByteBuffer } from '../../serialization/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { type ByteCursor, MalformedFrame } from '../wire/byte-cursor.ts'
import { writeByte, writeText, writeVarint } from '../wire/byte-writing.ts'
import { beginFrame, endFrame, frameKinds } from '../wire/frame.ts'
import { tableTextBytesMax } from '../wire/text-table.ts'

/** Watching node -> node of the actor: tell me when it is gone. `id` is the watching node's. */
export interface Watch {
  readonly type: 'Watch'
  readonly id: number
  readonly path: string
}

/** Watching node -> node of the actor: never mind. */
export interface Unwatch {
  readonly type: 'Unwatch'
  readonly id: number
}

/** Node of the actor -> watching node: it is gone. */
export interface Died {
  readonly type: 'Died'
  readonly id: number
}

export type SystemMessage = Watch | Unwatch | Died

/** With the incarnation it is meant for; undefined for whichever is there. */
export interface AddressedSystemMessage {
  readonly message: SystemMessage
  readonly node: NodeId | undefined
}

const kinds = { Watch: 1, Unwatch: 2, Died: 3 } as const

/** One whole frame. */
export function writeSystemFrame(
  target: ByteBuffer,
  sequence: number,
  message: SystemMessage,
): void {
  const start = beginFrame(target, frameKinds.system)
  writeVarint(target, sequence)
  writeByte(target, kinds[message.type])
  writeVarint(target, message.id)
  if (message.type === 'Watch') writeText(target, message.path)
  endFrame(target, start)
}

/** From behind the kind of the frame. Throws MalformedFrame. */
export function readSystemFrame(cursor: ByteCursor): {
  readonly sequence: number
  readonly message: SystemMessage
} {
  const sequence = cursor.varint()
  const kind = cursor.byte()
  const id = cursor.varint()
  switch (kind) {
    case kinds.Watch:
      return { sequence, message: { type: 'Watch', id, path: cursor.text(tableTextBytesMax) } }
    case kinds.Unwatch:
      return { sequence, message: { type: 'Unwatch', id } }
    case kinds.Died:
      return { sequence, message: { type: 'Died', id } }
    default:
      throw new MalformedFrame('a system message of an unknown kind')
  }
}
