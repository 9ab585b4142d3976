/**
 * The ways from one region to entities on other nodes. An address stands for one entity by one route; its text holds the
 * stamp of the route and the id, travels once per connection, and then as a number.
 */
import type { Question } from '../../actor/internals.ts'
import { assert } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Remoting } from '../../remote/index.ts'
import { RemoteQuestion, RemoteRef } from '../../remote/internals.ts'
import { encodeName } from '../entity-name.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import type { BetweenPeers, ShardingProtocol } from '../sharding-wire.ts'
import type { Parcel } from './parcel.ts'
import type { Route } from './routing-table.ts'

/** Addresses that are kept; with more entities than this in use, some are made anew again and again. */
const keptMax = 65_536

interface Line {
  readonly stamp: number
  readonly entities: Map<EntityId, RemoteRef>
}

export class PeerLines {
  readonly #remoting: Remoting
  readonly #path: string
  readonly #protocol: ShardingProtocol
  readonly #lines: (Line | undefined)[] = []
  #kept = 0

  constructor(remoting: Remoting, path: string, protocol: ShardingProtocol) {
    this.#remoting = remoting
    this.#path = path
    this.#protocol = protocol
  }

  /** The address of an entity by a route to another node. */
  to(route: Route, shard: ShardId, entityId: EntityId): RemoteRef {
    const line = this.#lines[shard]
    const { entities } = line?.stamp === route.stamp ? line : this.#renew(shard, route.stamp)
    const known = entities.get(entityId)
    if (known !== undefined) return known
    assert(route.node !== undefined, 'a line leads to another node')
    const made = this.#refAt(route.node, `${this.#path}/${route.stamp}/${encodeName(entityId)}`)
    if (this.#kept >= keptMax) this.#forgetAll()
    this.#kept++
    entities.set(entityId, made)
    return made
  }

  /** Behind everything that was sent to that node before. */
  send(to: NodeId, message: BetweenPeers): void {
    this.#refAt(to, this.#path).tell(this.#protocol.betweenPeers.pack(message))
  }

  /** Whoever asked on another node hears of the loss as well, and need not wait for the timeout. */
  tellAsker(entityId: EntityId, message: unknown, reason: string): void {
    if (typeof message !== 'object' || message === null) return
    for (const question of Object.values(message) as unknown[]) {
      if (!(question instanceof RemoteQuestion)) continue
      this.send(question.node, { type: 'Undelivered', entityId, question, reason })
    }
  }

  /** For messages that waited. What cannot travel is told to whoever asked, or is a dead letter. */
  forward(route: Route, shard: ShardId, { entityId, message, question }: Parcel): void {
    const entity = this.to(route, shard, entityId)
    if (question === undefined) return entity.tell(message)
    try {
      sendBy(entity, message, question)
    } catch (error) {
      question.fail(error)
    }
  }

  #refAt(node: NodeId, path: string): RemoteRef {
    const ref = this.#remoting.refAt(node, path)
    assert(ref instanceof RemoteRef, `${node} is another node`)
    return ref
  }

  #renew(shard: ShardId, stamp: number): Line {
    this.#kept -= this.#lines[shard]?.entities.size ?? 0
    const line = { stamp, entities: new Map<EntityId, RemoteRef>() }
    this.#lines[shard] = line
    return line
  }

  #forgetAll(): void {
    for (const line of this.#lines) line?.entities.clear()
    this.#kept = 0
  }
}

/** Throws CannotSerialize for a question. */
export function sendBy(entity: RemoteRef, message: unknown, question: Question | undefined): void {
  if (question === undefined) entity.tell(message)
  else entity.tellQuestion(message, question)
}
