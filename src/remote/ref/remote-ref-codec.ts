/** Refs inside values: each becomes its full text, and a text becomes the one ref that this node has for it. */
import type { ActorPath } from '../../actor/index.ts'
import { type InternalRef, isRef, LocalRef, Question, type Runtime } from '../../actor/internals.ts'
import type { RefCodec } from '../../serialization/internals.ts'
import { addressOfNode, type NodeId } from '../../foundation/node-id.ts'
import { InvalidActorAddress, PathTooLong } from '../remote-errors.ts'
import { tableTextBytesMax } from '../wire/text-table.ts'
import { AbsentRef } from './absent-ref.ts'
import type { AskTable } from './ask-table.ts'
import { parseRefText, type RefText, refText } from './ref-text.ts'
import { askText, RemoteQuestion, RemoteRef } from './remote-ref.ts'

export interface RemoteRefCodecOptions {
  readonly self: NodeId
  readonly runtime: Runtime
  readonly asks: AskTable
  readonly refTo: (text: RefText) => InternalRef
}

export class RemoteRefCodec implements RefCodec {
  readonly #options: RemoteRefCodecOptions

  constructor(options: RemoteRefCodecOptions) {
    this.#options = options
  }

  isRef(value: object): boolean {
    return isRef(value)
  }

  toText(ref: object): string {
    if (ref instanceof RemoteRef || ref instanceof RemoteQuestion || ref instanceof AbsentRef) {
      return ref.fullText
    }
    const { self, runtime, asks } = this.#options
    const system = runtime.system.name
    if (ref instanceof Question) return refText(askText(system, self, asks.register(ref)))
    if (ref instanceof LocalRef && ref.cell?.runtime !== runtime) {
      throw new InvalidActorAddress(`${ref}, an actor of another system in this process`)
    }
    const { path } = ref as InternalRef
    const text = refText(homeText(path, system, self))
    // What the other end could not read would cost the connection.
    if (text.length > tableTextBytesMax && parseRefText(text) === undefined) {
      throw new PathTooLong(text)
    }
    return text
  }

  fromText(text: string): unknown {
    const parsed = parseRefText(text)
    if (parsed === undefined) throw new InvalidActorAddress(text)
    return this.#options.refTo(parsed)
  }
}

function homeText(path: ActorPath, system: string, self: NodeId): RefText {
  const address = addressOfNode(self)
  return { system, address, names: path.elements, uid: path.uid, nodeUid: self.slice(-16) }
}
