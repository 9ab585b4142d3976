/**
 * The address of an actor on another node. One per actor and node, so refs can be compared with `===` (for the most
 * recent ones, see `refsMax`). A message goes straight into the outbound queue of the link; a question stays on the node
 * that asks, and only its number travels.
 */
import {
  type ActorPath,
  type ActorRef,
  type AskOptions,
  InvalidMessage,
  type StatusReply,
} from '../../actor/index.ts'
import {
  ask,
  askWithStatus,
  type InternalRef,
  type Question,
  type Runtime,
  type Watcher,
} from '../../actor/internals.ts'
import { addressOfNode, type NodeId } from '../../foundation/node-id.ts'
import type { WireRecipient } from '../wire/message-writer.ts'
import { localText, pathOf, type RefText, refText } from './ref-text.ts'

/** Somebody on another node, with the incarnation that is meant; undefined for whichever is there. */
export interface RemoteRecipient extends InternalRef, WireRecipient {
  readonly node: NodeId | undefined
}

/** Where messages to another node go in. Never throws but for a question that cannot travel. */
export interface Outbox {
  send(recipient: RemoteRecipient, message: unknown): void
  /** Throws CannotSerialize: there is a caller to tell. */
  sendQuestion(recipient: RemoteRecipient, message: unknown, question: Question): void
}

/** What a ref needs to know about its node. */
export interface RefHome {
  readonly runtime: Runtime
  /** Whether that incarnation is over or given up. */
  isGone(node: NodeId | undefined): boolean
  watch(ref: RemoteRef, watcher: Watcher): void
  unwatch(ref: RemoteRef, watcher: Watcher): void
}

export class RemoteRef implements RemoteRecipient {
  readonly node: NodeId | undefined
  readonly wireText: string
  readonly askNumber = -1
  tableSlot = -1
  readonly #home: RefHome
  readonly #outbox: Outbox
  readonly #text: RefText
  readonly #sendQuestion = (message: unknown, question: Question): void => {
    if (message === undefined) throw new InvalidMessage(this.toString())
    this.#outbox.sendQuestion(this, message, question)
  }

  constructor(home: RefHome, outbox: Outbox, text: RefText) {
    this.#home = home
    this.#outbox = outbox
    this.#text = text
    this.node = text.nodeUid === undefined ? undefined : `${text.address}#${text.nodeUid}`
    this.wireText = localText(text.names, text.uid)
  }

  get path(): ActorPath {
    return pathOf(this.#text)
  }

  /** With the incarnation of the node, for other nodes to read. */
  get fullText(): string {
    return refText(this.#text)
  }

  get isTerminated(): boolean {
    return this.#home.isGone(this.node)
  }

  tell(message: unknown): void {
    if (message === undefined) throw new InvalidMessage(this.toString())
    this.#outbox.send(this, message)
  }

  /** For rooms of the runtime: a message with the question of somebody who asked something else. Throws CannotSerialize. */
  tellQuestion(message: unknown, question: Question): void {
    this.#outbox.sendQuestion(this, message, question)
  }

  ask<Reply>(make: (replyTo: ActorRef<Reply>) => never, options?: AskOptions): Promise<Reply> {
    return ask(this, make, options, this.#home.runtime, this.#sendQuestion)
  }

  askWithStatus<Value>(
    make: (replyTo: ActorRef<StatusReply<Value>>) => never,
    options?: AskOptions,
  ): Promise<Value> {
    return askWithStatus(this, make, options, this.#home.runtime, this.#sendQuestion)
  }

  addWatcher(watcher: Watcher): void {
    this.#home.watch(this, watcher)
  }

  removeWatcher(watcher: Watcher): void {
    this.#home.unwatch(this, watcher)
  }

  toString(): string {
    return this.path.toString()
  }

  toJSON(): string {
    return this.toString()
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `ActorRef(${this})`
  }
}

/** The address for the answer to a question that another node asked. Lives as long as whoever is to answer holds it. */
export class RemoteQuestion implements RemoteRecipient {
  readonly node: NodeId
  readonly wireText = ''
  readonly askNumber: number
  /** When it came here, on the monotonic clock of this node. Whole: a fraction would take memory of its own. */
  readonly arrivedMs: number
  tableSlot = -1
  readonly #home: RefHome
  readonly #outbox: Outbox

  constructor(home: RefHome, outbox: Outbox, node: NodeId, askNumber: number, arrivedMs: number) {
    this.node = node
    this.askNumber = askNumber
    this.arrivedMs = Math.floor(arrivedMs)
    this.#home = home
    this.#outbox = outbox
  }

  /** The number in a text that names a question; undefined when it names an actor. */
  static numberIn({ names }: RefText): number | undefined {
    const [first, name = ''] = names
    const isQuestion = first === 'temp' && /^\$ask-\d{1,15}$/.test(name)
    return isQuestion ? Number(name.slice(askNamePrefix.length)) : undefined
  }

  get path(): ActorPath {
    return pathOf(this.#text())
  }

  get fullText(): string {
    return refText(this.#text())
  }

  #text(): RefText {
    return askText(this.#home.runtime.system.name, this.node, this.askNumber)
  }

  get isTerminated(): boolean {
    return this.#home.isGone(this.node)
  }

  tell(reply: unknown): void {
    if (reply === undefined) throw new InvalidMessage(this.toString())
    this.#outbox.send(this, reply)
  }

  ask<Reply>(make: (replyTo: ActorRef<Reply>) => never, options?: AskOptions): Promise<Reply> {
    return ask(this, make, options, this.#home.runtime)
  }

  askWithStatus<Value>(
    make: (replyTo: ActorRef<StatusReply<Value>>) => never,
    options?: AskOptions,
  ): Promise<Value> {
    return askWithStatus(this, make, options, this.#home.runtime)
  }

  /** A question is over when its answer is sent, as far as anybody here can tell. */
  addWatcher(watcher: Watcher): void {
    watcher.watchedTerminated(this, undefined)
  }

  removeWatcher(): void {}

  toString(): string {
    return this.path.toString()
  }

  toJSON(): string {
    return this.toString()
  }
}

/** How the number of an ask stands in a path. */
export const askNamePrefix = '$ask-'

export function askText(system: string, node: NodeId, askNumber: number): RefText {
  const names = ['temp', `${askNamePrefix}${askNumber}`]
  return { system, address: addressOfNode(node), names, uid: 0, nodeUid: node.slice(-16) }
}
