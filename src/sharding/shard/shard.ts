/**
 * One life of a shard on this node: runs its machine and the actors of its entities. A message for a running entity goes
 * straight into its mailbox; everything else is a step of the machine. Nothing is decided here. One file because it is one
 * shell: all that the machine's inputs and effects are in this process.
 */
import { Behaviors, PoisonPill } from '../../actor/index.ts'
import {
  abortHandlers,
  type Cell,
  Gate,
  isMailWithheld,
  type LocalRef,
  type Question,
  type Runtime,
  spawnGated,
} from '../../actor/internals.ts'
import { assert, unreachable } from '../../foundation/assert.ts'
import type { Grant } from '../../foundation/grant.ts'
import type { Timer } from '../../foundation/timers.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { EntityContext, Passivate } from '../entity-context.ts'
import { decodeName, encodeName } from '../entity-name.ts'
import type { ActiveEntities } from '../passivation/active-entities.ts'
import type { OneAtATime } from '../region/one-at-a-time.ts'
import type { Parcel } from '../region/parcel.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import { EntityStarted, EntityStopped } from '../sharding-events.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import type { Lease } from '../../lease/index.ts'
import { GuardingLease } from '../../lease/internals.ts'
import type { RememberStore } from '../remembering/remember-store.ts'
import type { Entity } from './entities.ts'
import { ShardMachine } from './shard-machine.ts'
import { ShardMemory } from './shard-memory.ts'
import type { ShardDropReason } from '../sharding-drop-reasons.ts'
import type { ShardEffect, ShardInput, ShardTimer, StartAsker } from './shard-inputs.ts'

/** What all shards of one region share. */
export interface ShardWorld {
  readonly entityType: string
  readonly node: NodeId
  readonly runtime: Runtime
  readonly settings: ShardingSettings
  readonly turns: OneAtATime
  readonly behavior: (context: EntityContext<never>) => unknown
  readonly stopMessage: unknown
  /** Undefined where no limit holds. */
  activeEntities(): ActiveEntities | undefined
  /** `entity` is the actor that had no room for it, if one was there. */
  dropped(parcel: Parcel, reason: ShardDropReason, entity?: LocalRef): void
  finished(shard: Shard, restartAfterMs: number | undefined): void
  /** What this type does besides; undefined for one that neither remembers its entities nor has leases. */
  readonly duties: ShardDutiesWorld | undefined
  /** It takes messages now, or does not. Only of shards with duties. */
  ready(shard: Shard, isReady: boolean): void
  /** Somebody who asked for the start of entities hears of it. */
  started(entityIds: readonly EntityId[], asker: StartAsker): void
}

/** Of types that remember their entities, or have a lease for each shard. */
export interface ShardDutiesWorld {
  readonly openStore: ((shard: ShardId, grant: Grant | undefined) => RememberStore) | undefined
  readonly leaseOf: ((shard: ShardId) => Lease) | undefined
  /** The shard of an entity; throws where the extractor does. */
  readonly shardOf: (entityId: EntityId) => ShardId
  /** Remembered entities of this shard are to be started, some at a time. */
  recover(shard: Shard): void
  /** These are at home in another shard: to be started there. */
  startElsewhere(shard: Shard, home: ShardId, entityIds: readonly EntityId[]): void
}

/** Of an entity that was at home here when it was used last. */
export interface LocalAddress {
  readonly entityId: EntityId
  foundIn: Shard | undefined
  found: Entity<Cell, Parcel> | undefined
}

export class Shard {
  readonly shard: ShardId
  readonly epoch: number
  readonly #world: ShardWorld
  /** The parent of the entities; it outlives this life of the shard. */
  readonly #ref: LocalRef
  readonly #machine: ShardMachine<Cell, Parcel>
  readonly #gate: Gate
  readonly #lease: GuardingLease | undefined
  readonly #memory: ShardMemory | undefined
  readonly #timers = new Map<ShardTimer, Timer>()
  #sweep: Timer | undefined

  constructor(world: ShardWorld, ref: LocalRef, shard: ShardId, epoch: number) {
    this.shard = shard
    this.epoch = epoch
    this.#world = world
    this.#ref = ref
    const { openStore, leaseOf } = world.duties ?? {}
    this.#lease = leaseOf && this.#makeLease(leaseOf(shard))
    this.#memory = openStore && this.#makeMemory(() => openStore(shard, this.#lease?.grant))
    this.#gate = new Gate({
      onTerminated: (ended) => this.#terminated(ended),
      mayPass: this.#lease && (() => this.#lease?.isHeld() === true),
      grant: () => this.#lease?.grant,
    })
    const look = {
      mailIn: ({ mailbox }: Cell) => mailbox?.size ?? 0,
      isRecovering: isMailWithheld,
    }
    const duties = { remembers: openStore !== undefined, hasLease: leaseOf !== undefined }
    const active = world.activeEntities()
    this.#machine = new ShardMachine(world.settings, look, { ...duties, active })
    // Not all shards of a node at the same moment.
    const { random } = world.runtime.environment
    this.#sweepAfter(world.settings.passivationSweepIntervalMs * random.float())
  }

  /** As part of a step of the region, once, when it may act. */
  begin(): void {
    if (this.#world.duties !== undefined) this.#stepNow({ type: 'Begin' })
  }

  /** The same as `deliver`, for an address that is used again and again: it keeps where its entity was found. */
  deliverBy(address: LocalAddress, message: unknown, question: Question | undefined): void {
    const isHeld = this.#lease === undefined || this.#lease.isHeld()
    if (isHeld && address.foundIn === this && address.found !== undefined) {
      const cell = this.#machine.touchKnown(address.found)?.cell
      if (cell !== undefined) return cell.send(message)
    }
    this.deliver(address.entityId, message, question)
    address.foundIn = this
    address.found = this.#machine.entityOf(address.entityId)
  }

  /** A message for an entity of this shard. */
  deliver(entityId: EntityId, message: unknown, question: Question | undefined): void {
    if (this.#lease !== undefined && !this.#lease.isHeld()) {
      return this.#world.dropped({ entityId, message, question }, 'shard-failed')
    }
    const cell = this.#machine.touch(entityId)?.cell
    if (cell !== undefined) return cell.send(message)
    const parcel = { entityId, message, question }
    const input = { type: 'Message', entityId, parcel } as const
    // The region performs its effects one at a time, and this is one of them.
    if (this.#world.turns.isBusy) this.#stepNow(input)
    else this.step(input)
  }

  step(input: ShardInput<Parcel>): void {
    this.#world.turns.run(() => this.#stepNow(input))
  }

  /** As part of a step of the region. */
  handOff(isForced: boolean): void {
    this.#stepNow({ type: 'HandOff', isForced })
  }

  /** As part of a step of the region. */
  limitActiveEntities(limit: number): void {
    this.#stepNow({ type: 'LimitActiveEntities', limit })
  }

  freeze(): void {
    this.#gate.close()
    this.#stepNow({ type: 'Frozen' })
  }

  thaw(): void {
    this.#stepNow({ type: 'Thawed' })
    if (!this.#machine.hasFailed) this.#gate.open()
  }

  /** Starts those of them that do not run. */
  startEntities(entityIds: readonly EntityId[], asker: StartAsker): void {
    this.step({ type: 'StartEntities', entityIds, asker })
  }

  /** Starts the next of those that it remembers, and says how many; fewer than `count` when there are none left for now. */
  recover(count: number): number {
    const entityIds = this.#machine.nextAsleep(count)
    const { duties } = this.#world
    if (duties === undefined) return 0
    const here: EntityId[] = []
    const elsewhere = new Map<ShardId, EntityId[]>()
    for (const entityId of entityIds) {
      const home = this.#shardOf(entityId)
      if (home === this.shard) here.push(entityId)
      else if (home !== undefined) {
        const others = elsewhere.get(home)
        if (others === undefined) elsewhere.set(home, [entityId])
        else others.push(entityId)
      }
    }
    if (here.length > 0) this.step({ type: 'Recover', entityIds: here })
    for (const [home, ids] of elsewhere) {
      this.step({ type: 'BelongElsewhere', entityIds: ids })
      duties.startElsewhere(this, home, ids)
    }
    return entityIds.length
  }

  /** Undefined for one that the extractor does not understand any more: it stays remembered, and is not started. */
  #shardOf(entityId: EntityId): ShardId | undefined {
    try {
      return this.#world.duties?.shardOf(entityId)
    } catch (error) {
      const fields = { err: error, entityType: this.entityType, entityId, shard: this.shard }
      this.#world.runtime.logger.error(
        fields,
        'A remembered entity has no shard by the extractor of its type, and is not started.',
      )
      return undefined
    }
  }

  /** Somebody says that this entity wants to rest. */
  passivate({ entity }: Passivate): void {
    const { name } = entity.path
    const entityId = decodeName(name)
    const live = entityId === undefined ? undefined : this.#machine.entityOf(entityId)
    if (live?.cell?.ref !== entity) return
    this.passivateInstance(live.entityId, live.instance)
  }

  passivateInstance(entityId: EntityId, instance: number): void {
    this.step({ type: 'Passivate', entityId, instance })
  }

  get entityIds(): readonly EntityId[] {
    return this.#machine.entities.ids
  }

  /** As many as `entityIds` has, and those that rest after a failure. */
  get entityCount(): number {
    return this.#machine.entities.size
  }

  isRunning(entityId: EntityId): boolean {
    return this.#machine.entityOf(entityId)?.cell !== undefined
  }

  /** Messages in the mailbox of an entity. */
  waitingFor(entityId: EntityId): number {
    return this.#cellOf(entityId)?.mailbox?.size ?? 0
  }

  /** The actor of an entity, while it runs. */
  refOf(entityId: EntityId): LocalRef | undefined {
    return this.#cellOf(entityId)?.ref
  }

  /** The actors of all entities that run. */
  get refs(): LocalRef[] {
    return this.entityIds.flatMap((entityId) => this.refOf(entityId) ?? [])
  }

  get ref(): LocalRef {
    return this.#ref
  }

  get entityType(): string {
    return this.#world.entityType
  }

  /** Nothing fires any more, and nothing that waits will have its turn. */
  abandon(): void {
    this.step({ type: 'Abandoned' })
    this.#cancelTimers()
    this.#memory?.close()
    // Nothing of it runs any more; a lease that nobody gives back is renewed as long as the process lives.
    this.#lease?.release()
  }

  #makeLease(lease: Lease): GuardingLease {
    const { logger, environment } = this.#world.runtime
    const { entityType } = this
    return new GuardingLease({
      ...{ lease, guarded: 'a shard', logger, timers: environment.timers },
      fields: () => ({ entityType, shard: this.shard, entities: this.entityCount }),
      step: (input) => this.step(input),
    })
  }

  #makeMemory(open: () => RememberStore): ShardMemory {
    const { logger } = this.#world.runtime
    const fields = { entityType: this.entityType, shard: this.shard }
    return new ShardMemory({ open, logger, fields, step: (input) => this.step(input) })
  }

  #cancelTimers(): void {
    this.#sweep?.cancel()
    for (const timer of this.#timers.values()) timer.cancel()
  }

  #stepNow(input: ShardInput<Parcel>): void {
    for (const effect of this.#machine.step(input)) this.#perform(effect)
  }

  #perform(effect: ShardEffect<Parcel>): void {
    switch (effect.type) {
      case 'StartEntity':
        return this.#start(effect.entityId, effect.instance)
      case 'Deliver':
        return this.#deliver(effect.parcel)
      case 'StopEntity':
        return this.#cellOf(effect.entityId)?.sendUnbounded(this.#world.stopMessage ?? PoisonPill)
      case 'HurryEntity':
        return this.#hurry(effect.entityId)
      case 'ForceStop':
        return this.#cellOf(effect.entityId)?.stop()
      case 'Drop':
        return this.#drop(effect.parcel, effect.reason)
      case 'StartTimer':
        return this.#startTimer(effect.timer, effect.delayMs)
      case 'CancelTimer':
        return this.#timers.get(effect.timer)?.cancel()
      case 'Finish':
        this.#cancelTimers()
        this.#memory?.close()
        return this.#world.finished(this, effect.restartAfterMs)
      default:
        return this.#performDuty(effect)
    }
  }

  #performDuty(effect: Exclude<ShardEffect<Parcel>, { readonly type: CommonEffect }>): void {
    switch (effect.type) {
      case 'EntitiesAreStarted':
        return this.#world.started(effect.entityIds, effect.asker)
      case 'AcquireLease':
        return this.#lease?.acquire()
      case 'ReleaseLease':
        return this.#lease?.release()
      case 'LoadRemembered':
        return this.#memory?.load()
      case 'StoreRemembered':
        return this.#memory?.update(effect.change, this.#machine.remembered)
      case 'Ready':
        return this.#world.ready(this, true)
      case 'Unready':
        this.#gate.close()
        return this.#world.ready(this, false)
      case 'RecoverEntities':
        return this.#world.duties?.recover(this)
      default:
        return unreachable(effect)
    }
  }

  #start(entityId: EntityId, instance: number): void {
    const { behavior, runtime } = this.#world
    const live = this.#machine.entityOf(entityId)
    assert(live !== undefined, 'an entity is known to its shard when it starts')
    const made = guarded(behavior, new StartedEntity(this, entityId, instance))
    live.cell = spawnGated(this.#ref, made, encodeName(entityId), this.#gate)
    if (live.cell === undefined || !runtime.eventStream.hasListeners(EntityStarted)) return
    runtime.eventStream.publish(new EntityStarted(this.#news(entityId, instance)))
  }

  #deliver(parcel: Parcel): void {
    const cell = this.#cellOf(parcel.entityId)
    // All actors of the node are being stopped.
    if (cell === undefined) return this.#world.dropped(parcel, 'region-stopped')
    cell.send(parcel.message)
  }

  #drop(parcel: Parcel, reason: ShardDropReason): void {
    const full = reason === 'mailbox-full' ? this.refOf(parcel.entityId) : undefined
    this.#world.dropped(parcel, reason, full)
  }

  #cellOf(entityId: EntityId): Cell | undefined {
    return this.#machine.entityOf(entityId)?.cell
  }

  #terminated(ref: LocalRef): void {
    const entityId = decodeName(ref.name) as EntityId
    const live = this.#machine.entityOf(entityId)
    if (live === undefined || live.cell !== ref.cell) return
    const { instance } = live
    // Told inside the step: whoever hears it and sends the next message finds the entity gone.
    this.#world.turns.run(() => {
      const { eventStream } = this.#world.runtime
      if (eventStream.hasListeners(EntityStopped)) {
        eventStream.publish(new EntityStopped(this.#news(entityId, instance)))
      }
      this.#stepNow({ type: 'EntityTerminated', entityId, instance })
    })
  }

  #news(entityId: EntityId, instance: number) {
    const { entityType, node } = this.#world
    return { entityType, node, shard: this.shard, entityId, instance }
  }

  #hurry(entityId: EntityId): void {
    const cell = this.#cellOf(entityId)
    if (cell !== undefined) abortHandlers(cell)
  }

  #startTimer(timer: ShardTimer, delayMs: number): void {
    const { timers } = this.#world.runtime.environment
    this.#timers.get(timer)?.cancel()
    const started = timers.after(delayMs, () => this.step({ type: 'TimerFired', timer }))
    this.#timers.set(timer, started)
  }

  #sweepAfter(delayMs: number): void {
    const { runtime, settings } = this.#world
    this.#sweep = runtime.environment.timers.after(delayMs, () => {
      this.#sweepAfter(settings.passivationSweepIntervalMs)
      this.step({ type: 'Sweep' })
    })
  }
}

/** Of every shard. */
type CommonEffect =
  | 'StartEntity'
  | 'Deliver'
  | 'StopEntity'
  | 'HurryEntity'
  | 'ForceStop'
  | 'Drop'
  | 'StartTimer'
  | 'CancelTimer'
  | 'Finish'

/** What one instance of an entity knows about itself. */
class StartedEntity implements EntityContext<never> {
  readonly entityId: EntityId
  readonly #instance: number
  readonly #shard: Shard

  constructor(shard: Shard, entityId: EntityId, instance: number) {
    this.entityId = entityId
    this.#instance = instance
    this.#shard = shard
  }

  get entityType(): string {
    return this.#shard.entityType
  }

  get shard(): LocalRef {
    return this.#shard.ref
  }

  passivate(): void {
    this.#shard.passivateInstance(this.entityId, this.#instance)
  }
}

/** The user's code may throw: then it is the entity that fails, in its own turn. */
function guarded(behavior: ShardWorld['behavior'], context: StartedEntity): never {
  try {
    return behavior(context) as never
  } catch (error) {
    return Behaviors.setup<never>(() => {
      throw error
    }) as never
  }
}
