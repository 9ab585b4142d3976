/** The only frame that comes back on a connection: how far its receiver has got. */
import type { ByteBuffer } from '../../serialization/internals.ts'
import { type ByteCursor, MalformedFrame } from './byte-cursor.ts'
import { writeVarint } from './byte-writing.ts'
import { beginFrame, endFrame, frameKinds } from './frame.ts'

export interface Confirm {
  /** Messages taken on this connection. */
  readonly messages: number
  /** The last system message taken from this incarnation. */
  readonly system: number
}

export const confirmBytesMax = 32

/** One whole frame. */
export function writeConfirmFrame(target: ByteBuffer, { messages, system }: Confirm): void {
  const start = beginFrame(target, frameKinds.confirm)
  writeVarint(target, messages)
  writeVarint(target, system)
  endFrame(target, start)
}

/** From its kind on. Throws MalformedFrame. */
export function readConfirmFrame(cursor: ByteCursor): Confirm {
  if (cursor.byte() !== frameKinds.confirm) throw new MalformedFrame('it is not a confirmation')
  return { messages: cursor.varint(), system: cursor.varint() }
}
