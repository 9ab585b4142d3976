/**
 * One entity on a stage of its own: the very code that runs it on a node, on a journal in memory and on manual time, without
 * a cluster around it. Hears of every command what it persisted and whom it called.
 */
import { type ActorRef, ActorSystem, PoisonPill } from '../../actor/index.ts'
import {
  type AnyEntity,
  entityBehavior,
  type EntityCall,
  EntityCalls,
  EntityWorld,
  type WitnessedCommand,
} from '../../entity/internals.ts'
import { MemoryJournal, MemoryStore, RecoveryPermits } from '../../persistence/index.ts'
import { codecOfStore } from '../../serialization/internals.ts'
import { ManualTime } from '../manual-time.ts'
import { EventHandlerNotPure } from './entity-kit-failure.ts'
import { type RecordedCall, Stubs } from './stubs.ts'
import { withoutPresent } from './timeless.ts'

/** Calls of the kit's own, which the entity takes beside its commands. */
const give = 'sherd:give'
const look = 'sherd:look'
const set = 'sherd:set'

/** Of one command: less than any journal takes at once. */
const givenAtOnceMax = 100

/** No caller gives up while a test moves the clock. */
const callOptions = { timeout: '30d' } as const

/** An event as a value: its name, then what it says. */
export type Event = readonly [name: string, ...args: readonly unknown[]]

type EntityBehavior = ReturnType<typeof entityBehavior>

interface AnySelf {
  state: unknown
  persist(name: string, ...args: readonly unknown[]): unknown
}

export class EntityStage {
  readonly time = new ManualTime()
  /** Everything it has persisted since it deleted itself last, oldest first. */
  readonly events: Event[] = []
  /** What the command that runs, or ran last, has persisted. */
  persisted: Event[] = []
  readonly stubs: Stubs
  readonly #entity: AnyEntity
  readonly #id: string
  readonly #system: ActorSystem
  readonly #codec = codecOfStore()
  readonly #calls: EntityCalls
  readonly #behavior: EntityBehavior
  /** The same without snapshots: reads all events. */
  readonly #replaying: EntityBehavior
  #isReplaying = false
  #ref: ActorRef<EntityCall> | undefined = undefined
  /** It has asked to be passivated: who comes now waits for its next life. */
  #resting: Promise<void> | undefined = undefined
  #seen: unknown = undefined

  /** `isKept`: states are kept as snapshots after every event, and begun with. */
  constructor(entity: AnyEntity, id: string, isKept: boolean) {
    this.#entity = this.#withOwnCalls(entity)
    this.#id = id
    this.#system = new ActorSystem('kit', { environment: this.time.environment })
    const world = new EntityWorld({
      journal: new MemoryJournal({ store: new MemoryStore({ storeId: 'kit' }) }),
      codec: this.#codec,
      recoveryPermits: new RecoveryPermits(),
      writer: 'kit',
    })
    world.witness = { begins: (type, entityId, call) => this.#begins(type, entityId, call) }
    world.rest = () => void (this.#resting ??= this.stop())
    this.stubs = new Stubs(this.#system, world, entity)
    // A version of its own, since the one that is derived would ask for a state.
    const { snapshotVersion = 0 } = entity
    const replaying = { ...this.#entity, snapshots: false, snapshotVersion } as const
    // All events stay, so that both ways can be gone.
    const keeping = { ...replaying, snapshots: { every: 1, keep: 2 } }
    this.#replaying = entityBehavior(replaying, world)
    this.#behavior = isKept ? entityBehavior(keeping, world) : this.#replaying
    this.#calls = new EntityCalls({
      system: this.#system,
      travelling: world.travelling,
      targetOf: (type, entityId) =>
        type === entity.name && entityId === id
          ? this.#running
          : this.stubs.targetOf(type, entityId),
      explain: async () => 'it runs in a kit for tests.',
      isStopping: () => false,
    })
    world.entityOf = (type, entityId, options) => {
      // To itself: that is refused by whoever asks for it.
      const isItself = type.name === entity.name && entityId === id
      if (!isItself) this.stubs.mustKnow(type.name, entityId)
      return this.#calls.handle(type, entityId, options)
    }
  }

  /** As any caller would: what cannot travel is refused, and what it throws is what a caller gets. */
  call(command: string, args: readonly unknown[]): Promise<unknown> {
    this.persisted = []
    this.stubs.calls = []
    return this.#call(command, args)
  }

  /** Lets these events happen, in order. */
  async give(events: readonly Event[]): Promise<void> {
    for (let from = 0; from < events.length; from += givenAtOnceMax) {
      this.persisted = []
      await this.#call(give, [events.slice(from, from + givenAtOnceMax)])
    }
  }

  /** Lets this be the state of an entity that stores it itself. */
  async set(state: unknown): Promise<void> {
    await this.#call(set, [state])
  }

  /** The state that all events give, without any snapshot. */
  async replayed(): Promise<unknown> {
    await this.stop()
    this.#isReplaying = true
    try {
      const state = await this.look()
      await this.stop()
      return state
    } finally {
      this.#isReplaying = false
    }
  }

  /** The state as a command would see it now. */
  async look(): Promise<unknown> {
    const ref = this.#running
    const stopped = this.#system.whenStopped(ref).then(() => true)
    const isGone = await Promise.race([this.#call(look, []).then(() => false), stopped])
    // It was about to stop, and has not seen the call.
    if (isGone) await this.#call(look, [])
    return this.#seen
  }

  /** What the store would give back of it. Throws `CannotSerialize`. */
  stored(value: unknown, name: string): unknown {
    return this.#codec.copy(value, name)
  }

  /** Ends the entity as passivation does; whoever calls it next brings it back. */
  async stop(): Promise<void> {
    const ref = this.#ref
    if (ref === undefined) return
    ref.tell(PoisonPill)
    await this.#system.whenStopped(ref)
    this.#ref = undefined
  }

  get calls(): readonly RecordedCall[] {
    return this.stubs.calls
  }

  async #call(command: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#resting !== undefined) {
      await this.#resting
      this.#resting = undefined
    }
    const handle = this.#calls.handle(this.#entity, this.#id, callOptions)
    const call = (handle as Record<string, (...given: readonly unknown[]) => Promise<unknown>>)[
      command
    ]
    return call!.call(handle, ...args)
  }

  get #running(): ActorRef<EntityCall> {
    if (this.#ref !== undefined) return this.#ref
    const behavior = this.#isReplaying ? this.#replaying : this.#behavior
    const ref = this.#system.spawn(behavior(this.#id))
    this.#ref = ref
    void this.#system.whenStopped(ref).then(() => {
      if (this.#ref === ref) this.#ref = undefined
    })
    return ref
  }

  #begins(entityType: string, id: string, call: EntityCall): WitnessedCommand | undefined {
    if (entityType !== this.#entity.name || id !== this.#id) {
      this.stubs.calls.push([entityType, id, call.command, ...call.args])
      return undefined
    }
    if (call.command === look) return undefined
    const { persisted, events } = this
    let isAnew = false
    return {
      persists: (name, args) => void persisted.push([name, ...args]),
      ends: (eventCount) => void persisted.splice(0, persisted.length - eventCount),
      deletes: () => void (isAnew = true),
      answers: () => void events.splice(isAnew ? 0 : events.length, Infinity, ...persisted),
    }
  }

  #withOwnCalls(entity: AnyEntity): AnyEntity {
    const commands = {
      ...entity.commands,
      [give]: (self: AnySelf, events: readonly Event[]) => {
        for (const [name, ...args] of events) self.persist(name, ...args)
      },
      [set]: (self: AnySelf, state: unknown) => {
        self.state = state
      },
      [look]: (self: AnySelf) => {
        this.#seen = self.state
      },
    }
    return { ...entity, commands, events: timeless(entity) }
  }
}

/** Its event handlers, in a world without a present. */
function timeless({ name, events }: AnyEntity): object {
  type Handler = (state: unknown, ...args: readonly unknown[]) => unknown
  const wrapped = Object.entries(events as Record<string, Handler>).map(([event, handler]) => [
    event,
    (...given: Parameters<Handler>) =>
      withoutPresent(
        (called) => {
          throw new EventHandlerNotPure(name, event, called)
        },
        () => handler(...given),
      ),
  ])
  return Object.fromEntries(wrapped) as object
}
