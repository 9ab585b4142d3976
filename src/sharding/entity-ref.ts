/**
 * The address of an entity, wherever it lives and whether it runs or not. It knows its shard, so that a message costs one
 * lookup; and it remembers the way to another node for as long as the route there is the same.
 */
import { type ActorRef, type AskOptions, InvalidMessage, type StatusReply } from '../actor/index.ts'
import { ask, askWithStatus, type Question } from '../actor/internals.ts'
import type { RemoteRef } from '../remote/internals.ts'
import { encodeName } from './entity-name.ts'
import type { Region } from './region/region.ts'
import type { Route } from './region/routing-table.ts'
import type { LocalAddress } from './shard/shard.ts'
import type { EntityId, ShardId } from './shard-id.ts'

export interface EntityRef<in Message> {
  readonly entityId: EntityId
  readonly entityType: string
  /** Sends a message and returns at once. At most once, in order per sender and entity, also while the entity moves. */
  tell(message: Message): void
  /** Sends a message that carries the address for the answer. Rejects with `AskTimeout`, `AskAborted` or why not. */
  ask<Reply>(
    makeMessage: (replyTo: ActorRef<Reply>) => Message,
    options?: AskOptions,
  ): Promise<Reply>
  /** As `ask`, for answers that say success or error: resolves with the value, rejects with the error. */
  askWithStatus<Value>(
    makeMessage: (replyTo: ActorRef<StatusReply<Value>>) => Message,
    options?: AskOptions,
  ): Promise<Value>
  /**
   * Starts the entity if it does not run, without a message; resolves when it was started, and is remembered where its type
   * remembers entities. Rejects with `AskTimeout` or `AskAborted`.
   */
  start(options?: AskOptions): Promise<void>
  toString(): string
}

export class RoutedEntityRef<Message> implements EntityRef<Message>, LocalAddress {
  readonly entityId: EntityId
  readonly shard: ShardId
  /** The route to another node that was used last, and the address at its end. */
  route: Route | undefined = undefined
  remote: RemoteRef | undefined = undefined
  /** While it is at home on this node: where it was found. */
  foundIn: LocalAddress['foundIn'] = undefined
  found: LocalAddress['found'] = undefined
  readonly #region: Region
  #sendQuestion: ((message: unknown, question: Question) => void) | undefined = undefined

  constructor(region: Region, entityId: EntityId, shard: ShardId) {
    this.entityId = entityId
    this.shard = shard
    this.#region = region
  }

  get entityType(): string {
    return this.#region.entityType
  }

  /** An entity never ends for good. */
  get isTerminated(): boolean {
    return false
  }

  /** For the name of the address to which an answer goes. */
  get askLabel(): string {
    return `${encodeName(this.entityType)}-${encodeName(this.entityId)}`
  }

  tell(message: Message): void {
    if (message === undefined) throw new InvalidMessage(this.toString())
    this.#region.routeBy(this, message, undefined)
  }

  ask<Reply>(
    makeMessage: (replyTo: ActorRef<Reply>) => Message,
    options?: AskOptions,
  ): Promise<Reply> {
    return ask(this, makeMessage, options, this.#region.runtime)
  }

  askWithStatus<Value>(
    makeMessage: (replyTo: ActorRef<StatusReply<Value>>) => Message,
    options?: AskOptions,
  ): Promise<Value> {
    return askWithStatus(this, makeMessage, options, this.#region.runtime)
  }

  start(options?: AskOptions): Promise<void> {
    return this.#region.starts.start(this, options, `${this}`)
  }

  get sendQuestion(): (message: unknown, question: Question) => void {
    return (this.#sendQuestion ??= (message, question) => {
      if (message === undefined) throw new InvalidMessage(this.toString())
      this.#region.routeBy(this, message, question)
    })
  }

  toString(): string {
    return `entity ${this.entityId} of type ${this.entityType}`
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `EntityRef(${this})`
  }
}
