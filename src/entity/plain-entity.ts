/** An entity without events, as an actor: its state is a variable, and its answers leave at once. */
import { type ActorContext, type Behavior, Behaviors, type MessageHandler } from '../actor/index.ts'
import type { Logger } from '../foundation/logger.ts'
import {
  answer,
  commandOf,
  refusal,
  refusesCall,
  runCommand,
  unknownCommand,
} from './command-reply.ts'
import type { WitnessedCommand } from './command-witness.ts'
import type { AnyEntity, EntityType } from './define-entity.ts'
import { UnknownEvent } from './entity-errors.ts'
import type { EntityCall } from './entity-messages.ts'
import { logOf, otherEntity, type SelfSite } from './entity-self.ts'
import type { CallOptions, EntityHandle, PlainSelf } from './entity-types.ts'
import { isEntityCall } from './entity-wire.ts'
import type { EntityWorld } from './entity-world.ts'
import { isOverdue } from './overdue-calls.ts'

export function plainEntity(
  entity: AnyEntity,
  id: string,
  world: EntityWorld,
): Behavior<EntityCall> {
  return Behaviors.setup<EntityCall>(
    (context) => new PlainEntity(entity, id, world, context).receive,
  )
}

class PlainEntity implements PlainSelf<unknown> {
  readonly id: string
  state: unknown
  readonly #entity: AnyEntity
  readonly #world: EntityWorld
  readonly #context: ActorContext<EntityCall>

  constructor(
    entity: AnyEntity,
    id: string,
    world: EntityWorld,
    context: ActorContext<EntityCall>,
  ) {
    this.id = id
    this.#entity = entity
    this.#world = world
    this.#context = context
    this.state = entity.state()
    world.work.of(entity.name).lifeBegins(id)
  }

  get signal(): AbortSignal {
    return this.#context.signal
  }

  get log(): Logger {
    return logOf(this.#site)
  }

  now(): number {
    return this.#context.system.environment.clock.wallMs()
  }

  entity<Commands>(
    type: EntityType<Commands>,
    id: string,
    options?: CallOptions,
  ): EntityHandle<Commands> {
    return otherEntity(this.#site, type, id, options)
  }

  passivate(): void {
    this.#world.wantedRests.want(this)
  }

  get #site(): SelfSite {
    return { entity: this.#entity, id: this.id, world: this.#world, context: this.#context }
  }

  /** For those who write without types. */
  persist(name: unknown): never {
    throw new UnknownEvent(this.#entity.name, name, [])
  }

  readonly receive: MessageHandler<EntityCall> = (call) => {
    if (!isEntityCall(call)) return refusesCall(call) ? undefined : Behaviors.unhandled
    if (isOverdue(call, this.#context)) return undefined
    const handler = commandOf(this.#entity, call.command)
    if (handler === undefined) return call.replyTo.tell(unknownCommand(this.#entity))
    const witnessed = this.#world.witness?.begins(this.#entity.name, this.id, call)
    try {
      const result = runCommand(handler, this, call)
      if (result instanceof Promise) return this.#answerLater(call, result, witnessed)
      return this.#answer(call, result, witnessed)
    } catch (error) {
      return this.#refuse(call, error, witnessed)
    }
  }

  async #answerLater(
    call: EntityCall,
    result: Promise<unknown>,
    witnessed: WitnessedCommand | undefined,
  ): Promise<void> {
    const work = this.#world.work.of(this.#entity.name)
    work.commandBegins(this.id, call)
    try {
      const value = await result
      if (!this.#world.answered.has(call)) this.#answer(call, value, witnessed)
    } catch (error) {
      if (!this.#world.answered.has(call)) this.#refuse(call, error, witnessed)
    } finally {
      work.commandEnds(this.id, call)
    }
  }

  #answer(
    { command, replyTo }: EntityCall,
    value: unknown,
    witnessed: WitnessedCommand | undefined,
  ): void {
    const reply = answer(value, command, this.#world.travelling)
    witnessed?.answers(reply)
    replyTo.tell(reply)
    if (this.#world.wantedRests.take(this)) this.#world.rest(this.#context)
  }

  #refuse(
    { command, replyTo }: EntityCall,
    error: unknown,
    witnessed: WitnessedCommand | undefined,
  ): void {
    this.#world.wantedRests.take(this)
    const { log } = this.#context.system
    const failing = { entity: this.#entity, id: this.id, command, world: this.#world, log }
    const reply = refusal(error, failing)
    witnessed?.answers(reply)
    replyTo.tell(reply)
  }
}
