/**
 * The entities of one shard: started by their first message, stopped when they ask, idle, or move.
 *
 *   absent ──message──▶ active ──Passivate, idle, hand-off──▶ stopping ──terminated──▶ absent
 *                         ▲──────────────terminated, and messages wait─────┘
 *
 * Invariant: an entity has at most one instance; a message for one that is stopping waits for the next instance, in order;
 * the shard finishes only when no instance is left.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { ActiveEntities } from '../passivation/active-entities.ts'
import type { Victims } from '../passivation/passivation-strategy.ts'
import { Tracked } from '../passivation/tracked.ts'
import type { EntityId } from '../shard-id.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import { Entities, type Entity, type LiveEntity } from './entities.ts'
import type { ShardEffect, ShardInput, ShardTimer } from './shard-inputs.ts'
import { StopGrace } from './stop-grace.ts'

/** What a machine sees of the actor of an entity. */
export interface CellLook<Cell> {
  /** How many messages wait in its mailbox. */
  readonly mailIn: (cell: Cell) => number
  /** Whether it is busy although it takes no message: it is being recovered, or waits for its store. */
  readonly isRecovering: (cell: Cell) => boolean
}

export class ShardMachine<Cell, Parcel> {
  readonly #settings: ShardingSettings
  readonly #look: CellLook<Cell>
  /** Sweeps that an entity outlasts after the one that first finds it idle. */
  readonly #idleSweeps: number
  readonly #forceSweeps: number
  readonly #entities: Entities<Cell, Parcel>
  /** Where a limit holds: it knows every entity that takes messages. */
  readonly #active: ActiveEntities | undefined
  readonly #grace = new StopGrace()
  #sweep = 0
  #isFrozen = false
  #phase: 'serving' | 'handing-off' | 'forcing' | 'finished' = 'serving'

  constructor(settings: ShardingSettings, look: CellLook<Cell>, active?: ActiveEntities) {
    this.#settings = settings
    this.#look = look
    this.#active = active
    this.#entities = new Entities(settings.entityBufferedMessagesMax)
    const { passivateIdleAfterMs, passivationSweepIntervalMs, passivationTimeoutMs } = settings
    this.#idleSweeps = Math.ceil(passivateIdleAfterMs / passivationSweepIntervalMs)
    this.#forceSweeps = Math.ceil(passivationTimeoutMs / passivationSweepIntervalMs)
  }

  /**
   * For the synchronous path: the entity, if a message may go straight to its mailbox; that counts as its last message.
   * Otherwise the message must come as an input.
   */
  touch(entityId: EntityId): LiveEntity<Cell> | undefined {
    const entity = this.#entities.get(entityId)
    if (entity === undefined || entity.isStopping || this.#isFrozen) return undefined
    entity.touched = this.#sweep
    if (this.#roomFor(entity) <= 0) return undefined
    if (entity.tracked !== undefined) this.#active?.touch(entity.tracked)
    return entity
  }

  /** Asked here and not of the mailbox: a bound of its own would cost every idle entity its memory. */
  #roomFor({ cell }: Entity<Cell, Parcel>): number {
    const { mailboxMessagesMax } = this.#settings
    return cell === undefined ? mailboxMessagesMax : mailboxMessagesMax - this.#look.mailIn(cell)
  }

  step(input: ShardInput<Parcel>): ShardEffect<Parcel>[] {
    const effects = this.#handle(input)
    if (this.#phase !== 'finished' && this.#grace.begins()) {
      effects.push({ type: 'StartTimer', timer: 'grace', delayMs: this.#settings.stopGraceMs })
    }
    return effects
  }

  #handle(input: ShardInput<Parcel>): ShardEffect<Parcel>[] {
    switch (input.type) {
      case 'Message':
        return this.#message(input)
      case 'Passivate':
        return this.#passivate(this.#entities.find(input.entityId, input.instance))
      case 'EntityTerminated':
        return this.#terminated(this.#entities.find(input.entityId, input.instance))
      case 'Sweep':
        return this.#sweepUp()
      case 'LimitActiveEntities':
        this.#active?.limitTo(input.limit)
        return this.#settleLimit()
      case 'HandOff':
        return this.#handOff(input.isForced)
      case 'Abandoned':
        return this.#abandon()
      case 'Frozen':
        this.#isFrozen = true
        return []
      case 'Thawed':
        return this.#thaw()
      case 'TimerFired':
        return this.#timerFired(input.timer)
      default:
        return unreachable(input)
    }
  }

  /** Ids with a live instance, or with messages that wait for one. */
  get entityIds(): EntityId[] {
    return this.#entities.ids
  }

  get entityCount(): number {
    return this.#entities.size
  }

  /** For whoever performs `StartEntity`, and for looking. */
  entityOf(entityId: EntityId): LiveEntity<Cell> | undefined {
    return this.#entities.get(entityId)
  }

  get waitingCount(): number {
    return this.#entities.waitingCount
  }

  #message({
    entityId,
    parcel,
  }: Extract<ShardInput<Parcel>, { type: 'Message' }>): ShardEffect<Parcel>[] {
    assert(this.#phase === 'serving', 'the region sends nothing to a shard that stops')
    const known = this.#entities.get(entityId)
    const entity = known ?? this.#entities.add(entityId, !this.#isFrozen, this.#sweep)
    if (entity.isStopping || this.#isFrozen) {
      if (this.#entities.wait(entity, parcel)) return []
      // One that was made only to wait, for a message that may not.
      if (known === undefined) this.#entities.delete(entity)
      return [{ type: 'Drop', parcel, reason: 'entity-buffer-full' }]
    }
    entity.touched = this.#sweep
    const delivered = this.#deliver(entity, [parcel])
    if (known === undefined) return [startOf(entity), ...delivered, ...this.#track(entity)]
    if (entity.tracked !== undefined) this.#active?.touch(entity.tracked)
    return delivered
  }

  /** It takes messages from now on, and others may have to rest for it; or it itself, behind what it got. */
  #track(entity: Entity<Cell, Parcel>): ShardEffect<Parcel>[] {
    if (this.#active === undefined) return []
    entity.tracked = new Tracked(entity.entityId)
    return this.#rest(this.#active.add(entity.tracked))
  }

  #untrack(entity: Entity<Cell, Parcel>): void {
    if (entity.tracked !== undefined) this.#active?.remove(entity.tracked)
    entity.tracked = undefined
  }

  #rest(victims: Victims): ShardEffect<Parcel>[] {
    return victims.flatMap(({ entityId }) => {
      const entity = this.#entities.get(entityId)
      assert(entity?.isStopping === false, 'only entities that take messages are tracked')
      entity.touched = this.#sweep
      // After a freeze, messages may still wait for the thaw that brings them.
      const waited = this.#deliver(entity, this.#entities.take(entity))
      return [...waited, this.#stop(entity)]
    })
  }

  /** Nobody rests for a limit while the shard moves or has no turn. */
  #settleLimit(): ShardEffect<Parcel>[] {
    if (this.#active === undefined || this.#phase !== 'serving' || this.#isFrozen) return []
    return this.#rest(this.#active.settle())
  }

  /** As many as there is room for, in order; the rest is dropped. */
  #deliver(entity: Entity<Cell, Parcel>, parcels: readonly Parcel[]): ShardEffect<Parcel>[] {
    const { entityId, instance } = entity
    const room = this.#roomFor(entity)
    return parcels.map((parcel, index) =>
      index < room
        ? { type: 'Deliver', entityId, instance, parcel }
        : { type: 'Drop', parcel, reason: 'mailbox-full' },
    )
  }

  /** Ignored while messages wait: the next instance would only have to start at once. */
  #passivate(entity: Entity<Cell, Parcel> | undefined): ShardEffect<Parcel>[] {
    if (entity === undefined || entity.isStopping || entity.waiting !== undefined) return []
    entity.touched = this.#sweep
    return [this.#stop(entity)]
  }

  #stop(entity: Entity<Cell, Parcel>): ShardEffect<Parcel> {
    entity.isStopping = true
    this.#untrack(entity)
    this.#grace.asked(entity)
    return { type: 'StopEntity', entityId: entity.entityId, instance: entity.instance }
  }

  #terminated(entity: Entity<Cell, Parcel> | undefined): ShardEffect<Parcel>[] {
    if (entity === undefined) return []
    entity.cell = undefined
    this.#untrack(entity)
    this.#active?.ended(entity.instance)
    if (entity.waiting === undefined) {
      this.#entities.delete(entity)
      return [...this.#settleLimit(), ...this.#finishWhenEmpty()]
    }
    if (this.#phase === 'forcing') {
      const dropped = this.#entities
        .take(entity)
        .map((parcel) => ({ type: 'Drop', parcel, reason: 'hand-off-timeout' }) as const)
      this.#entities.delete(entity)
      return [...dropped, ...this.#finishWhenEmpty()]
    }
    if (this.#isFrozen) {
      entity.instance = 0
      entity.isStopping = true
      return []
    }
    return this.#restart(entity)
  }

  /** The next instance gets what waited; during a hand-off it is stopped behind that, so that nothing is lost. */
  #restart(entity: Entity<Cell, Parcel>): ShardEffect<Parcel>[] {
    entity.instance = this.#entities.nextInstance()
    entity.touched = this.#sweep
    entity.isStopping = this.#phase !== 'serving'
    const waited = this.#deliver(entity, this.#entities.take(entity))
    const effects = [startOf(entity), ...waited]
    if (entity.isStopping) effects.push(this.#stop(entity))
    else effects.push(...this.#settleLimit(), ...this.#track(entity))
    return effects
  }

  /** Idle ones are asked to stop; those that were asked long ago are not asked any more. */
  #sweepUp(): ShardEffect<Parcel>[] {
    // Time in which they had no turn is nobody's idleness, and no sweep may be missed that forces one to stop.
    if (this.#phase !== 'serving' || this.#isFrozen) return []
    this.#sweep++
    const effects: ShardEffect<Parcel>[] = []
    for (const entity of this.#entities) {
      // One that is on its way back to its state has not even begun with what it was started for.
      if (this.#isRecovering(entity)) entity.touched = this.#sweep
      const age = this.#sweep - entity.touched
      if (!entity.isStopping) {
        if (age > this.#idleSweeps) effects.push(...this.#passivate(entity))
      } else if (age === this.#forceSweeps + 1) {
        effects.push({ type: 'ForceStop', entityId: entity.entityId, instance: entity.instance })
      }
    }
    return effects
  }

  #isRecovering({ cell, isStopping }: Entity<Cell, Parcel>): boolean {
    return !isStopping && cell !== undefined && this.#look.isRecovering(cell)
  }

  #handOff(isForced: boolean): ShardEffect<Parcel>[] {
    if (this.#phase === 'serving') {
      this.#phase = 'handing-off'
      this.#grace.beginAnew()
      const { stopTimeoutMs: delayMs } = this.#settings
      const effects: ShardEffect<Parcel>[] = [{ type: 'StartTimer', timer: 'force-stop', delayMs }]
      for (const entity of this.#entities) if (!entity.isStopping) effects.push(this.#stop(entity))
      effects.push(...this.#finishWhenEmpty())
      return isForced ? [...effects, ...this.#force()] : effects
    }
    return isForced ? this.#force() : []
  }

  #abandon(): ShardEffect<Parcel>[] {
    const parcels = [...this.#entities].flatMap((entity) => this.#entities.take(entity))
    return parcels.map((parcel) => ({ type: 'Drop', parcel, reason: 'region-stopped' }))
  }

  #timerFired(timer: ShardTimer): ShardEffect<Parcel>[] {
    switch (timer) {
      case 'grace':
        return this.#hurry()
      case 'force-stop':
        return this.#force()
      default:
        return unreachable(timer)
    }
  }

  /** Those that have not stopped in good time are doing something that takes long. */
  #hurry(): ShardEffect<Parcel>[] {
    const late = this.#grace
      .ends()
      .filter(({ entityId, instance }) => this.#entities.find(entityId, instance) !== undefined)
    for (const { instance } of late) this.#active?.overstays(instance)
    const hurried = late.map(({ entityId, instance }): ShardEffect<Parcel> => {
      return { type: 'HurryEntity', entityId, instance }
    })
    return [...hurried, ...this.#settleLimit()]
  }

  #force(): ShardEffect<Parcel>[] {
    if (this.#phase !== 'handing-off') return []
    this.#phase = 'forcing'
    const effects: ShardEffect<Parcel>[] = []
    for (const entity of [...this.#entities]) {
      const { entityId, instance } = entity
      // One that never ran cannot terminate.
      if (instance === 0) effects.push(...this.#terminated(entity))
      else effects.push({ type: 'ForceStop', entityId, instance })
    }
    return effects
  }

  #thaw(): ShardEffect<Parcel>[] {
    if (!this.#isFrozen) return []
    this.#isFrozen = false
    const effects: ShardEffect<Parcel>[] = []
    for (const entity of this.#entities) {
      if (entity.instance === 0) effects.push(...this.#restart(entity))
      else if (!entity.isStopping) {
        effects.push(...this.#deliver(entity, this.#entities.take(entity)))
      }
    }
    return [...effects, ...this.#settleLimit()]
  }

  #finishWhenEmpty(): ShardEffect<Parcel>[] {
    const isLast = this.#entities.size === 0 && this.#phase !== 'finished'
    if (this.#phase === 'serving' || !isLast) return []
    this.#phase = 'finished'
    return [{ type: 'CancelTimer', timer: 'force-stop' }, { type: 'Finish' }]
  }
}

function startOf({ entityId, instance }: LiveEntity<unknown>): ShardEffect<never> {
  return { type: 'StartEntity', entityId, instance }
}
