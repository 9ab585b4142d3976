/**
 * The messages that the runtime's own actors send each other: each travels with its wire name, `cluster.Heartbeat@1`, and
 * is taken only when this node knows that name and the message has the agreed shape.
 */
import { assert } from '../foundation/assert.ts'
import { type Shape, recordOf } from '../foundation/shape.ts'
import { show } from '../foundation/show.ts'

export interface MessageKind {
  /** A change that old readers would misread is a new version. */
  readonly version: number
  readonly fields: Readonly<Record<string, Shape>>
}

/** What stands on the wire. */
export type PackedMessage = readonly [wireName: string, message: object]

/** Why something that came is not a message of this protocol. */
export class NotAMessage {
  readonly problem: string

  constructor(problem: string) {
    this.problem = problem
  }
}

const wireNameForm = /^[a-z]+(-[a-z]+)*\.[A-Z][A-Za-z0-9]*@[1-9][0-9]{0,5}$/

export class MessageProtocol<Message extends { readonly type: string }> {
  readonly #wireNames = new Map<string, string>()
  readonly #shapes = new Map<string, { readonly type: string; readonly shape: Shape }>()

  constructor(group: string, kinds: Readonly<Record<Message['type'], MessageKind>>) {
    for (const [type, { version, fields }] of Object.entries<MessageKind>(kinds)) {
      const wireName = `${group}.${type}@${version}`
      assert(wireNameForm.test(wireName), `${wireName} has the form group.Type@version`)
      this.#wireNames.set(type, wireName)
      this.#shapes.set(wireName, { type, shape: recordOf(fields) })
    }
  }

  get wireNames(): string[] {
    return [...this.#shapes.keys()]
  }

  pack(message: Message): PackedMessage {
    const wireName = this.#wireNames.get(message.type)
    assert(wireName !== undefined, `${message.type} is in the table of its protocol`)
    return [wireName, message]
  }

  /** Never throws: whatever a peer sends is a message or is not. */
  unpack(value: unknown): Message | NotAMessage {
    if (!Array.isArray(value) || value.length !== 2) return new NotAMessage('it has no wire name')
    const [wireName, message] = value as readonly unknown[]
    const kind = this.#shapes.get(wireName as string)
    if (kind === undefined) {
      return new NotAMessage(
        `${show(wireName)} is unknown here: the sender may run another version`,
      )
    }
    if (!kind.shape(message) || (message as Message).type !== kind.type) {
      return new NotAMessage(`it is called ${show(wireName)} and does not have its shape`)
    }
    return message as Message
  }
}
