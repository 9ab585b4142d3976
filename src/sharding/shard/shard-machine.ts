/**
 * The entities of one shard: started by their first message, stopped when they ask, idle, or move.
 *
 *   absent ──message──▶ active ──Passivate, idle, hand-off──▶ stopping ──terminated──▶ absent
 *                         ▲──────────────terminated, and messages wait─────┘
 *
 *   (beginning ──▶) serving ──HandOff──▶ handing-off ──time is up──▶ forcing ──empty──▶ (releasing ──▶) finished
 *       └──────────────┴───────────store fails, lease is lost───────────▲
 *
 * One that remembers stores a start before the entity exists, and a stop after it ended (`remembered-entities.ts`); one with
 * a lease does nothing without it. Both begin by waiting for that (`shard-beginning.ts`), and HandOff does not wait for it to come:
 * what is not there yet ends at once. What is being stored, and messages that wait for that, hold it up for `stopTimeoutMs`
 * at most.
 *
 * Invariant: an entity has at most one instance; a message for one that is stopping waits for the next instance, in order;
 * the shard finishes only when no instance is left. One file because the ways of an entity are one picture.
 */
import { assert, unreachable } from '../../foundation/assert.ts'
import type { EntityId } from '../shard-id.ts'
import type { RememberedIds } from '../remembering/remember-store.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import { Entities, type Entity, type LiveEntity } from './entities.ts'
import { LimitedEntities } from './limited-entities.ts'
import { RememberedEntities, type RememberedStanding } from './remembered-entities.ts'
import { rememberedIn } from './remembered-ids.ts'
import { RestingEntities } from './resting-entities.ts'
import { type BeginningInput, ShardBeginning } from './shard-beginning.ts'
import {
  type CellLook,
  type CommonInput,
  type ShardDuties,
  type ShardEffect,
  type ShardInput,
  type ShardPhase,
  type ShardTimer,
  type StartAsker,
  startOf,
} from './shard-inputs.ts'
import { StartAskers } from './start-askers.ts'
import { StopGrace } from './stop-grace.ts'
import { Sweeps } from './sweeps.ts'

/** Ids of one write, or rested at once: what is started in a turn must not hold the event loop. */
const storedAtOnceMax = 2_000
/** It is remembered, and may run without a write. */
const standsFor: ReadonlySet<RememberedStanding> = new Set(['asleep', 'moving', 'resting'])

export class ShardMachine<Cell, Parcel> {
  readonly #settings: ShardingSettings
  readonly #look: CellLook<Cell>
  readonly #sweeps: Sweeps
  readonly #entities: Entities<Cell, Parcel>
  readonly #limited: LimitedEntities<Cell, Parcel>
  readonly #grace = new StopGrace()
  readonly #resting: RestingEntities<Cell, Parcel> | undefined
  readonly #remembered: RememberedEntities | undefined
  readonly #hasLease: boolean
  readonly #beginning: ShardBeginning
  readonly #askers = new StartAskers()
  #isFrozen = false
  #phase: ShardPhase
  /** Set when it has failed. */
  #restartAfterMs: number | undefined

  constructor(settings: ShardingSettings, look: CellLook<Cell>, duties: ShardDuties = {}) {
    this.#remembered = duties.remembers === true ? new RememberedEntities() : undefined
    this.#hasLease = duties.hasLease === true
    const [hasLease, remembered] = [this.#hasLease, this.#remembered]
    this.#beginning = new ShardBeginning({ settings, hasLease, remembered })
    this.#phase = this.#beginning.isDone ? 'serving' : 'beginning'
    this.#settings = settings
    this.#look = look
    this.#entities = new Entities(settings.entityBufferedMessagesMax)
    this.#limited = new LimitedEntities(this.#entities, duties.active)
    this.#resting = this.#remembered && new RestingEntities(this.#entities, this.#remembered)
    this.#sweeps = new Sweeps(settings)
  }

  /** For the synchronous path: the entity, if a message may go straight to its mailbox. Otherwise it must come as an input. */
  touch(entityId: EntityId): LiveEntity<Cell> | undefined {
    const entity = this.#entities.get(entityId)
    return entity === undefined ? undefined : this.touchKnown(entity)
  }

  /** The same for one that this shard has answered before. */
  touchKnown(entity: Entity<Cell, Parcel>): LiveEntity<Cell> | undefined {
    if (entity.isStopping || this.#isFrozen) return undefined
    entity.touched = this.#sweeps.now
    if (this.#roomFor(entity) <= 0) return undefined
    if (this.#entities.noteUse(entity)) this.#limited.tellUses()
    return entity
  }

  /** Asked here and not of the mailbox: a bound of its own would cost every idle entity its memory. */
  #roomFor({ cell }: Entity<Cell, Parcel>): number {
    return this.#settings.mailboxMessagesMax - (cell === undefined ? 0 : this.#look.mailIn(cell))
  }

  step(input: ShardInput<Parcel>): ShardEffect<Parcel>[] {
    const effects = this.#handle(input)
    const { stopGraceMs, entityRestartBackoffMs } = this.#settings
    if (this.#phase !== 'finished' && this.#grace.begins()) {
      effects.push({ type: 'StartTimer', timer: 'grace', delayMs: stopGraceMs })
    }
    if (this.#phase === 'serving' && this.#resting?.begins() === true) {
      effects.push({ type: 'StartTimer', timer: 'restart', delayMs: entityRestartBackoffMs })
    }
    return effects
  }

  #handle(input: ShardInput<Parcel>): ShardEffect<Parcel>[] {
    switch (input.type) {
      case 'Message':
        return this.#message(input.entityId, input.parcel)
      case 'Passivate':
        return this.#passivate(this.#entities.find(input.entityId, input.instance))
      case 'EntityTerminated':
        return this.#terminated(this.#entities.find(input.entityId, input.instance))
      case 'Sweep':
        return this.#sweepUp()
      case 'LimitActiveEntities':
        this.#limited.limitTo(input.limit)
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
        return this.#handleDuty(input)
    }
  }

  /** What only comes to one that remembers, or has a lease, and starts without a message. */
  #handleDuty(
    input: Exclude<ShardInput<Parcel>, { readonly type: CommonInput }>,
  ): ShardEffect<Parcel>[] {
    switch (input.type) {
      case 'Begin':
      case 'Loading':
      case 'Loaded':
      case 'LeaseAcquired':
      case 'LeaseRefused':
        return this.#begin(input)
      case 'StartEntities':
        return this.#startEntities(input.entityIds, input.asker)
      case 'Recover':
        return this.#recover(input.entityIds)
      case 'BelongElsewhere':
        this.#remembered?.belongElsewhere(input.entityIds)
        return []
      case 'MovedAway':
        for (const entityId of input.entityIds) this.#remembered?.movedAway(entityId)
        return this.#storeNext()
      case 'Stored':
        return this.#stored()
      case 'StoreFailed':
        return this.#fail(this.#settings.shardFailureBackoffMs)
      case 'LeaseLost':
        return this.#fail(0)
      case 'LeaseReleased':
        return this.#phase === 'releasing' ? this.#finish() : []
      default:
        return unreachable(input)
    }
  }

  get isServing(): boolean {
    return this.#phase === 'serving'
  }

  /** Then its entities do nothing any more, whatever else happens. */
  get hasFailed(): boolean {
    return this.#restartAfterMs !== undefined
  }

  /** The next of those that were loaded and do not run; fewer than `count` when it was all of them. */
  nextAsleep(count: number): readonly EntityId[] {
    const mayRun = this.#phase === 'serving' && !this.#isFrozen
    return mayRun ? (this.#remembered?.nextAsleep(count) ?? []) : []
  }

  /** For its store. */
  get remembered(): RememberedIds {
    assert(this.#remembered !== undefined, 'one that has a store remembers')
    return rememberedIn(this.#remembered, this.#entities)
  }

  /** With a live instance, or with messages that wait for one. */
  get entities(): Pick<Entities<Cell, Parcel>, 'ids' | 'size' | 'waitingCount'> {
    return this.#entities
  }

  /** For whoever performs `StartEntity`, and for looking. */
  entityOf(entityId: EntityId): Entity<Cell, Parcel> | undefined {
    return this.#entities.get(entityId)
  }

  #message(entityId: EntityId, parcel: Parcel): ShardEffect<Parcel>[] {
    // The region is about to hear that it takes none for now.
    if (this.hasFailed) return [{ type: 'Drop', parcel, reason: 'shard-failed' }]
    assert(this.#phase === 'serving', 'the region sends nothing to a shard that stops')
    const known = this.#entities.get(entityId)
    const remembered = this.#remembered
    const isAbsent = known === undefined || known.instance === 0
    if (remembered && isAbsent) return this.#messageForAbsent(remembered, entityId, parcel)
    const entity = known ?? this.#entities.add(entityId, !this.#isFrozen, this.#sweeps.now)
    if (entity.isStopping || this.#isFrozen) {
      if (this.#entities.wait(entity, parcel)) return []
      // One that was made only to wait, for a message that may not.
      if (known === undefined) this.#entities.delete(entity)
      return [{ type: 'Drop', parcel, reason: 'entity-buffer-full' }]
    }
    entity.touched = this.#sweeps.now
    const delivered = this.#deliver(entity, [parcel])
    if (known === undefined) return [startOf(entity), ...delivered, ...this.#track(entity)]
    this.#limited.touch(entity)
    return delivered
  }

  /** It takes messages from now on, and others may have to rest for it; or it itself, behind what it got. */
  #track(entity: Entity<Cell, Parcel>): ShardEffect<Parcel>[] {
    return this.#evict(this.#limited.add(entity))
  }

  #evict(victims: readonly Entity<Cell, Parcel>[]): ShardEffect<Parcel>[] {
    return victims.flatMap((entity) => {
      entity.touched = this.#sweeps.now
      // After a freeze, messages may still wait for the thaw that brings them.
      return [...this.#deliver(entity, this.#entities.take(entity)), this.#stop(entity)]
    })
  }

  /** Nobody rests for a limit while the shard moves or has no turn. */
  #settleLimit(): ShardEffect<Parcel>[] {
    if (this.#phase !== 'serving' || this.#isFrozen) return []
    return this.#evict(this.#limited.settle())
  }

  /** It is started at once if it is remembered already; otherwise it is stored first. */
  #messageForAbsent(
    remembered: RememberedEntities,
    entityId: EntityId,
    parcel: Parcel,
  ): ShardEffect<Parcel>[] {
    const known = this.#entities.get(entityId)
    const entity = known ?? this.#entities.add(entityId, false, this.#sweeps.now)
    const mayRun = standsFor.has(remembered.standingOf(entityId)) && !this.#isFrozen
    if (mayRun && entity.waiting === undefined) return this.#wake(remembered, entity, [parcel])
    if (!this.#entities.wait(entity, parcel)) {
      if (known === undefined) this.#entities.delete(entity)
      return [{ type: 'Drop', parcel, reason: 'entity-buffer-full' }]
    }
    return this.#wake(remembered, entity)
  }

  /** One that does not run, as soon as it may. */
  #wake(
    remembered: RememberedEntities,
    entity: Entity<Cell, Parcel>,
    parcels?: readonly Parcel[],
  ): ShardEffect<Parcel>[] {
    if (this.#isFrozen) return []
    assert(entity.instance === 0, 'one that runs is not started once more')
    const standing = remembered.standingOf(entity.entityId)
    if (standsFor.has(standing)) {
      remembered.runs(entity.entityId)
      return this.#restart(entity, parcels)
    }
    if (standing === 'absent') remembered.start(entity.entityId)
    return this.#storeNext()
  }

  /** Whoever is not answered asks again. */
  #startEntities(entityIds: readonly EntityId[], asker: StartAsker): ShardEffect<Parcel>[] {
    if (this.#phase !== 'serving' || this.#isFrozen) return []
    const effects = entityIds.flatMap((entityId) => this.#startOne(entityId, asker))
    return [...effects, ...this.#storeNext(), ...this.#askers.takeAnswers()]
  }

  #startOne(entityId: EntityId, asker: StartAsker): ShardEffect<Parcel>[] {
    const known = this.#entities.get(entityId)
    if (known !== undefined && known.instance > 0) {
      if (!known.isStopping) this.#askers.tell(asker, entityId)
      return []
    }
    const remembered = this.#remembered
    const standing = remembered?.standingOf(entityId) ?? 'asleep'
    if (remembered === undefined || standsFor.has(standing)) {
      remembered?.runs(entityId)
      this.#askers.tell(asker, entityId)
      return this.#restart(known ?? this.#entities.add(entityId, false, this.#sweeps.now))
    }
    if (standing !== 'storing-stop') this.#askers.add(entityId, asker)
    if (standing === 'absent') remembered.start(entityId)
    return []
  }

  #recover(entityIds: readonly EntityId[]): ShardEffect<Parcel>[] {
    const remembered = this.#remembered
    if (remembered === undefined || this.#phase !== 'serving' || this.#isFrozen) return []
    return entityIds.flatMap((entityId) => {
      if (remembered.standingOf(entityId) !== 'asleep') return []
      const known = this.#entities.get(entityId)
      return this.#wake(remembered, known ?? this.#entities.add(entityId, false, this.#sweeps.now))
    })
  }

  // ---- lease and store

  #begin(input: BeginningInput): ShardEffect<Parcel>[] {
    if (this.#phase !== 'beginning') return []
    const effects = this.#beginning.step(input)
    return this.#beginning.isDone ? [...effects, ...this.#serve()] : effects
  }

  #serve(): ShardEffect<Parcel>[] {
    this.#phase = 'serving'
    // A limit that was told meanwhile holds from the first entity on; nobody is here yet who had to go for it.
    this.#settleLimit()
    return [{ type: 'CancelTimer', timer: 'store' }, { type: 'Ready' }, ...this.#recoverLater()]
  }

  #recoverLater(): ShardEffect<Parcel>[] {
    const count = this.#phase === 'serving' ? (this.#remembered?.asleep.size ?? 0) : 0
    return count > 0 ? [{ type: 'RecoverEntities' }] : []
  }

  /** One write at a time; a node that is frozen writes nothing. */
  #storeNext(): ShardEffect<Parcel>[] {
    const mayStore = this.#phase === 'serving' || this.#phase === 'handing-off'
    if (!mayStore || this.#isFrozen) return []
    const change = this.#remembered?.nextWrite(storedAtOnceMax)
    if (change === undefined) return []
    const { rememberUpdateTimeoutMs: delayMs } = this.#settings
    return [
      { type: 'StoreRemembered', change },
      { type: 'StartTimer', timer: 'store', delayMs },
    ]
  }

  #stored(): ShardEffect<Parcel>[] {
    const remembered = this.#remembered
    const isAwaited = this.#phase === 'serving' || this.#phase === 'handing-off'
    if (remembered === undefined || !isAwaited) return []
    const { started, stopped } = remembered.stored()
    for (const entityId of stopped) {
      // What came after it had stopped is for its next life.
      if (this.#entities.get(entityId) !== undefined) remembered.start(entityId)
    }
    const effects: ShardEffect<Parcel>[] = [{ type: 'CancelTimer', timer: 'store' }]
    effects.push(...this.#storeNext())
    for (const entityId of started) this.#startStored(remembered, entityId, effects)
    effects.push(...this.#askers.takeAnswers(), ...this.#finishWhenEmpty())
    return effects
  }

  /** During a hand-off only what messages wait for: the others are started where the shard lives next. */
  #startStored(
    remembered: RememberedEntities,
    entityId: EntityId,
    effects: ShardEffect<Parcel>[],
  ): void {
    const known = this.#entities.get(entityId)
    if (this.#isFrozen || (known === undefined && this.#phase !== 'serving')) {
      return this.#askers.forget(entityId)
    }
    const entity = known ?? this.#entities.add(entityId, false, this.#sweeps.now)
    effects.push(...this.#wake(remembered, entity))
    this.#askers.started(entityId)
  }

  /** Whatever the reason: all entities end at once, and it begins anew where it is. */
  #fail(restartAfterMs: number): ShardEffect<Parcel>[] {
    if (['forcing', 'releasing', 'finished'].includes(this.#phase)) return []
    // Nothing is held yet that could be lost.
    if (this.#phase === 'beginning' && !this.#beginning.isLoading) return []
    this.#restartAfterMs = restartAfterMs
    this.#phase = 'forcing'
    const timers = ['store', 'restart', 'lease'] as const
    const cancelled = timers.map((timer) => ({ type: 'CancelTimer', timer }) as const)
    return [{ type: 'Unready' }, ...cancelled, ...this.#forceAll(), ...this.#finishWhenEmpty()]
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
    entity.touched = this.#sweeps.now
    return [this.#stop(entity)]
  }

  #stop(entity: Entity<Cell, Parcel>): ShardEffect<Parcel> {
    entity.isStopping = true
    this.#limited.remove(entity)
    this.#grace.asked(entity)
    return { type: 'StopEntity', entityId: entity.entityId, instance: entity.instance }
  }

  #terminated(entity: Entity<Cell, Parcel> | undefined): ShardEffect<Parcel>[] {
    if (entity === undefined) return []
    entity.cell = undefined
    this.#limited.remove(entity)
    this.#limited.ended(entity.instance)
    const remembered = this.#phase === 'serving' ? this.#remembered : undefined
    if (entity.waiting === undefined) {
      if (remembered !== undefined) {
        return [...this.#ended(remembered, entity), ...this.#settleLimit()]
      }
      this.#entities.delete(entity)
      return [...this.#settleLimit(), ...this.#finishWhenEmpty()]
    }
    if (this.#phase === 'forcing') {
      const reason = this.#restartAfterMs === undefined ? 'hand-off-timeout' : 'shard-failed'
      const dropped = this.#entities
        .take(entity)
        .map((parcel) => ({ type: 'Drop', parcel, reason }) as const)
      this.#entities.delete(entity)
      return [...dropped, ...this.#finishWhenEmpty()]
    }
    if (this.#isFrozen) {
      entity.instance = 0
      entity.isStopping = true
      this.#remembered?.failed(entity.entityId)
      return []
    }
    return this.#restart(entity)
  }

  /** A remembered one: forgotten after it was passivated, and otherwise started again after a while. */
  #ended(remembered: RememberedEntities, entity: Entity<Cell, Parcel>): ShardEffect<Parcel>[] {
    if (entity.isStopping) {
      this.#entities.delete(entity)
      remembered.passivated(entity.entityId)
      return this.#storeNext()
    }
    this.#resting?.add(entity)
    return []
  }

  /** The next instance gets what waited; during a hand-off it is stopped behind that, so that nothing is lost. */
  #restart(
    entity: Entity<Cell, Parcel>,
    parcels: readonly Parcel[] = this.#entities.take(entity),
  ): ShardEffect<Parcel>[] {
    entity.instance = this.#entities.nextInstance()
    entity.touched = this.#sweeps.now
    entity.isStopping = this.#phase !== 'serving'
    const effects = [startOf(entity), ...this.#deliver(entity, parcels)]
    if (entity.isStopping) effects.push(this.#stop(entity))
    else effects.push(...this.#settleLimit(), ...this.#track(entity))
    return effects
  }

  /** Idle ones are asked to stop; those that were asked long ago are not asked any more. */
  #sweepUp(): ShardEffect<Parcel>[] {
    // Time in which they had no turn is nobody's idleness, and no sweep may be missed that forces one to stop.
    if (this.#phase !== 'serving' || this.#isFrozen) return []
    this.#sweeps.next()
    const effects: ShardEffect<Parcel>[] = []
    for (const entity of this.#entities) {
      // One that is on its way back to its state has not even begun with what it was started for.
      const { cell, isStopping } = entity
      const isRecovering = !isStopping && cell !== undefined && this.#look.isRecovering(cell)
      if (isRecovering) entity.touched = this.#sweeps.now
      if (!isStopping) {
        if (this.#sweeps.isIdle(entity)) effects.push(...this.#passivate(entity))
      } else if (this.#sweeps.isOverdue(entity) && entity.instance > 0) {
        effects.push({ type: 'ForceStop', entityId: entity.entityId, instance: entity.instance })
      }
    }
    return effects
  }

  #handOff(isForced: boolean): ShardEffect<Parcel>[] {
    if (this.#phase === 'beginning') {
      this.#phase = 'forcing'
      return this.#finishWhenEmpty()
    }
    if (this.#phase === 'serving') {
      this.#phase = 'handing-off'
      this.#resting?.forget()
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
    return [...this.#entities]
      .flatMap((entity) => this.#entities.take(entity))
      .map((parcel) => ({ type: 'Drop', parcel, reason: 'region-stopped' }))
  }

  #timerFired(timer: ShardTimer): ShardEffect<Parcel>[] {
    switch (timer) {
      case 'grace':
        return this.#hurry()
      case 'force-stop':
        return this.#force()
      case 'restart':
        return this.#restartRested()
      case 'store':
        return this.#fail(this.#settings.shardFailureBackoffMs)
      case 'lease':
        return this.#begin({ type: 'TimerFired', timer })
      default:
        return unreachable(timer)
    }
  }

  /** Those that have not stopped in good time are doing something that takes long. */
  #hurry(): ShardEffect<Parcel>[] {
    const late = this.#grace
      .ends()
      .filter(({ entityId, instance }) => this.#entities.find(entityId, instance) !== undefined)
    for (const { instance } of late) this.#limited.overstays(instance)
    const hurried = late.map((asked) => ({ type: 'HurryEntity', ...asked }) as const)
    return [...hurried, ...this.#settleLimit()]
  }

  #restartRested(): ShardEffect<Parcel>[] {
    const rested = this.#resting?.due(storedAtOnceMax) ?? []
    const remembered = this.#remembered
    if (remembered === undefined || this.#phase !== 'serving') return []
    const woken = rested.flatMap((entity) => this.#wake(remembered, entity))
    if (this.#resting?.isRunning !== true) return woken
    return [...woken, { type: 'StartTimer', timer: 'restart', delayMs: 0 }]
  }

  #force(): ShardEffect<Parcel>[] {
    if (this.#phase !== 'handing-off') return []
    this.#phase = 'forcing'
    return [...this.#forceAll(), ...this.#finishWhenEmpty()]
  }

  #forceAll(): ShardEffect<Parcel>[] {
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
    const remembered = this.#remembered
    for (const entity of this.#entities) {
      if (entity.instance === 0) {
        effects.push(...(remembered ? this.#wake(remembered, entity) : this.#restart(entity)))
      } else if (!entity.isStopping) {
        effects.push(...this.#deliver(entity, this.#entities.take(entity)))
      }
    }
    effects.push(...this.#storeNext(), ...this.#recoverLater(), ...this.#settleLimit())
    return effects
  }

  #finishWhenEmpty(): ShardEffect<Parcel>[] {
    if (this.#entities.size > 0) return []
    const isStoring = this.#phase === 'handing-off' && this.#remembered?.isBusy === true
    const isEnding = this.#phase === 'handing-off' || this.#phase === 'forcing'
    if (!isEnding || isStoring) return []
    const cancelled = { type: 'CancelTimer', timer: 'force-stop' } as const
    if (!this.#hasLease) return [cancelled, ...this.#finish()]
    // Whoever is the next to want it must not find it taken.
    this.#phase = 'releasing'
    return [cancelled, { type: 'ReleaseLease' }]
  }

  #finish(): ShardEffect<Parcel>[] {
    this.#phase = 'finished'
    return [{ type: 'Finish', restartAfterMs: this.#restartAfterMs }]
  }
}
