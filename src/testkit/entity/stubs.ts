/**
 * The other entities that an entity under test calls: what they answer is said by the test. Each is a real entity without
 * events, so arguments, answers and errors are what they are between real ones.
 */
import type { ActorRef, ActorSystem } from '../../actor/index.ts'
import type { EntityType } from '../../entity/index.ts'
import {
  type AnyEntity,
  entityBehavior,
  type EntityCall,
  type EntityWorld,
} from '../../entity/internals.ts'
import { show } from '../../foundation/show.ts'
import { EntityKitMisuse } from './entity-kit-failure.ts'

/** What a stub does in place of the commands of an entity: those that the test needs, answering at once or later. */
export type StubCommands<Commands> = {
  readonly [Name in keyof Commands]?: Commands[Name] extends (
    self: never,
    ...args: infer Args extends readonly unknown[]
  ) => infer Result
    ? (...args: Args) => Awaited<Result> | Promise<Awaited<Result>>
    : never
}

/** A call that the entity under test made: whom it called, the command, and what it said. */
export type RecordedCall = readonly [
  entityType: string,
  id: string,
  command: string,
  ...args: readonly unknown[],
]

type AnyCommands = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>

export class Stubs {
  /** Those of the command that runs, or ran last. */
  calls: RecordedCall[] = []
  readonly #system: ActorSystem
  readonly #world: EntityWorld
  readonly #caller: AnyEntity
  readonly #given = new Map<string, (id: string) => AnyCommands>()
  readonly #refs = new Map<string, ActorRef<EntityCall>>()

  constructor(system: ActorSystem, world: EntityWorld, caller: AnyEntity) {
    this.#system = system
    this.#world = world
    this.#caller = caller
  }

  /** From now on. What was given before for the type is forgotten. */
  add({ name }: EntityType<unknown>, commandsOf: (id: string) => object): void {
    this.#given.set(name, commandsOf as (id: string) => AnyCommands)
    for (const key of this.#refs.keys()) if (key.startsWith(`${name}/`)) this.#refs.delete(key)
  }

  /** Throws `EntityKitMisuse` when the test did not say what it answers. */
  mustKnow(entityType: string, id: string): void {
    if (this.#given.has(entityType)) return
    throw new EntityKitMisuse(
      `${this.#caller.name} calls ${entityType} ${show(id)}, and the test has not said what that answers: kit.stub(${entityType}, { … }).`,
    )
  }

  targetOf(entityType: string, id: string): ActorRef<EntityCall> {
    const key = `${entityType}/${id}`
    let ref = this.#refs.get(key)
    if (ref === undefined) this.#refs.set(key, (ref = this.#start(entityType, id)))
    return ref
  }

  #start(entityType: string, id: string): ActorRef<EntityCall> {
    const commandsOf = this.#given.get(entityType)
    const commands = Object.entries(commandsOf?.(id) ?? {}).map(([name, command]) => [
      name,
      (_self: unknown, ...args: readonly unknown[]) => command(...args),
    ])
    const entity: AnyEntity = {
      name: entityType,
      state: () => undefined,
      events: {},
      commands: Object.fromEntries(commands) as object,
      isDurable: false,
      keepsState: false,
    }
    return this.#system.spawn(entityBehavior(entity, this.#world)(id))
  }
}
