/** Entities on a plain actor system, without a cluster: one actor per id, started when it is first called. */
import { type ActorRef, ActorSystem, PoisonPill } from '../../src/actor/index.ts'
import type { LocalRef } from '../../src/actor/internals.ts'
import type { EntityDefinition, EntityHandle } from '../../src/entity/index.ts'
import {
  type AnyEntity,
  entityBehavior,
  type EntityCall,
  EntityCalls,
  EntityWorld,
} from '../../src/entity/internals.ts'
import { MemoryJournal, RecoveryPermits } from '../../src/persistence/index.ts'
import { codecOfStore } from '../../src/serialization/internals.ts'
import { ManualTime } from '../../src/testkit/index.ts'
import { faultyJournal } from '../persistence/faulty-journal.ts'

export class Stage {
  readonly time = new ManualTime()
  readonly system = new ActorSystem('stage', { environment: this.time.environment })
  readonly memory = new MemoryJournal()
  readonly journal = faultyJournal(this.memory, this.time.environment)
  readonly world = new EntityWorld({
    journal: this.journal,
    codec: codecOfStore(),
    recoveryPermits: new RecoveryPermits(),
    writer: 'stage',
  })
  readonly #refs = new Map<string, ActorRef<EntityCall>>()
  #isStopping = false

  call<State, Events, Commands>(
    entity: EntityDefinition<State, Events, Commands>,
    id: string,
    options = {},
  ): EntityHandle<Commands> {
    const calls = new EntityCalls({
      system: this.system,
      travelling: this.world.travelling,
      targetOf: (entityType, entityId) =>
        this.refOf(entity as unknown as AnyEntity, entityId, entityType),
      explain: async () => 'nobody knows.',
      isStopping: () => this.#isStopping,
    })
    return calls.handle(entity, id, options)
  }

  refOf(entity: AnyEntity, id: string, entityType = entity.name): ActorRef<EntityCall> {
    const name = `${entityType}-${id}`
    const known = this.#refs.get(name)
    if (known !== undefined) return known
    const ref = this.system.spawn(entityBehavior(entity, this.world)(id))
    this.#refs.set(name, ref)
    return ref
  }

  /** Stops the entity and forgets it: the next call starts it anew. */
  async passivate(entity: { readonly name: string }, id: string): Promise<void> {
    const name = `${entity.name}-${id}`
    const ref = this.#refs.get(name)
    this.#refs.delete(name)
    if (ref === undefined) return
    const stopped = this.system.whenStopped(ref)
    ref.tell(PoisonPill)
    await this.settle()
    await stopped
  }

  /** Stops the entity, whatever it is at, and forgets it. */
  async end(entity: { readonly name: string }, id: string): Promise<void> {
    const name = `${entity.name}-${id}`
    const ref = this.#refs.get(name) as LocalRef | undefined
    this.#refs.delete(name)
    if (ref === undefined) return
    const stopped = this.system.whenStopped(ref)
    ref.cell?.stop()
    await this.settle()
    await this.time.advance(this.system.settings.handlerStopTimeoutMs)
    await stopped
  }

  refuseCalls(): void {
    this.#isStopping = true
  }

  settle(): Promise<void> {
    return this.time.settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.journal.flow()
    await this.settle()
    await this.system.terminate()
  }
}

/** What a promise came to: its value, or the error itself. */
export function outcome<T>(promise: Promise<T>): Promise<T | Error> {
  return promise.catch((error: unknown) => error as Error)
}
