/**
 * Who is meant by a path on this node: an endpoint of the runtime, an actor, or nobody. Endpoints are for those
 * that take messages without a mailbox: they are asked once per connection and name, then only told.
 */
import type { ActorSystem } from '../../actor/index.ts'
import type { InternalRef } from '../../actor/internals.ts'
import { assert } from '../../foundation/assert.ts'
import { addressOfNode, type NodeId } from '../../foundation/node-id.ts'
import type { Recipient } from '../wire/message-reader.ts'
import { AbsentRef } from './absent-ref.ts'
import type { AskTable } from './ask-table.ts'
import { localText, parseLocalText, type RefText } from './ref-text.ts'
import { askNamePrefix, RemoteQuestion } from './remote-ref.ts'

/** Takes messages for everything under a path. `name` is what follows it, percent-encoded; '' for the path itself. */
export type Endpoint = (name: string, from: NodeId) => Recipient

export class LocalRecipients {
  readonly #system: ActorSystem
  readonly #self: NodeId
  readonly #asks: AskTable
  readonly #endpoints = new Map<string, Endpoint>()

  constructor(system: ActorSystem, self: NodeId, asks: AskTable) {
    this.#system = system
    this.#self = self
    this.#asks = asks
  }

  /** Takes everything under `path` from now on; answers how to end that. */
  serve(path: string, endpoint: Endpoint): () => void {
    assert(!this.#endpoints.has(path), `${path} is served once`)
    this.#endpoints.set(path, endpoint)
    return () => void this.#endpoints.delete(path)
  }

  /** For messages from another node; the text is what follows the address. Never fails. */
  recipientAt(text: string, from: NodeId): Recipient {
    const parsed = parseLocalText(text)
    if (parsed === undefined) return this.#absent([text.slice(0, 200)], 0)
    const { names, uid } = parsed
    const endpoint = this.#endpointFor(names, from)
    if (endpoint !== undefined) return endpoint
    const isAnyone = uid === 0 && this.#system.find(names, uid) === undefined
    return isAnyone ? this.#whoeverComes(names, from) : this.#refFor(names, uid)
  }

  /** Nobody is there yet: a type of entities may be started here later than on the node that asks for it. */
  #whoeverComes(names: readonly string[], from: NodeId): Recipient {
    let found: Recipient | undefined
    return {
      tell: (message) => {
        found ??= this.#endpointFor(names, from)
        const recipient = found ?? this.#refFor(names, 0)
        recipient.tell(message)
      },
    }
  }

  /** For those who watch. */
  actorAt(text: string): InternalRef {
    const parsed = parseLocalText(text)
    if (parsed === undefined) return this.#absent([text.slice(0, 200)], 0)
    return this.#system.find(parsed.names, parsed.uid) ?? this.#absent(parsed.names, parsed.uid)
  }

  /** For a ref that has come home. */
  refTo(text: RefText): InternalRef {
    const { names, uid, nodeUid } = text
    const isFormer = nodeUid !== undefined && nodeUid !== this.#self.slice(-16)
    if (isFormer) return new AbsentRef(this.#system.runtime, text, 'former-incarnation')
    if (names[0] === 'temp') return this.#questionFor(text)
    return this.#system.find(names, uid) ?? this.#absent(names, uid)
  }

  answer(askNumber: number, reply: unknown): void {
    const question = this.#asks.take(askNumber)
    if (question !== undefined) question.tell(reply)
    else this.#lateFor(askNumber).tell(reply)
  }

  #questionFor(text: RefText): InternalRef {
    return (
      this.#asks.find(RemoteQuestion.numberIn(text) ?? -1) ??
      new AbsentRef(this.#system.runtime, text, 'late-reply')
    )
  }

  #lateFor(askNumber: number): AbsentRef {
    const names = ['temp', `${askNamePrefix}${askNumber}`]
    return new AbsentRef(this.#system.runtime, this.#text(names, 0), 'late-reply')
  }

  /** The longest path that is served wins. */
  #endpointFor(names: readonly string[], from: NodeId): Recipient | undefined {
    if (this.#endpoints.size === 0) return undefined
    for (let count = names.length; count > 0; count--) {
      const endpoint = this.#endpoints.get(localText(names.slice(0, count), 0))
      if (endpoint !== undefined) return endpoint(names.slice(count).join('/'), from)
    }
    return undefined
  }

  #refFor(names: readonly string[], uid: number): Recipient {
    if (uid !== 0) return this.#system.find(names, uid) ?? this.#absent(names, uid)
    let current: InternalRef | undefined
    return {
      // By name only: whoever lives there when the message comes.
      tell: (message) => {
        if (current === undefined || current.isTerminated) current = this.#system.find(names, 0)
        const ref = current ?? this.#absent(names, 0)
        ref.tell(message as never)
      },
    }
  }

  #absent(names: readonly string[], uid: number): AbsentRef {
    return new AbsentRef(this.#system.runtime, this.#text(names, uid), 'no-such-actor')
  }

  #text(names: readonly string[], uid: number): RefText {
    const { name: system } = this.#system
    const nodeUid = this.#self.slice(-16)
    return { system, address: addressOfNode(this.#self), names, uid, nodeUid }
  }
}
