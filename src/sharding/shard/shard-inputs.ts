/** What goes into a shard and what comes out of it. */
import type { ActiveEntities } from '../passivation/active-entities.ts'
import type { RememberedChange } from '../remembering/remember-store.ts'
import type { LiveEntity } from './entities.ts'
import type { ShardDropReason } from '../sharding-drop-reasons.ts'
import type { EntityId } from '../shard-id.ts'

/**
 * `grace` ends before entities are told to hurry, `force-stop` before they are stopped whatever they do. `restart` ends before
 * remembered entities that failed are started again, `store` when the store takes too long, `lease` before it is asked for again.
 */
export type ShardTimer = 'grace' | 'force-stop' | 'restart' | 'store' | 'lease'

/** Whoever wants to hear that an entity was started; for the machine a thing without a meaning. */
export type StartAsker = object

/** What a shard does besides. */
export interface ShardDuties {
  readonly remembers?: boolean
  readonly hasLease?: boolean
  /** Where no more than so many entities may be active. */
  readonly active?: ActiveEntities | undefined
}

/** What a machine sees of the actor of an entity. */
export interface CellLook<Cell> {
  /** How many messages wait in its mailbox. */
  readonly mailIn: (cell: Cell) => number
  /** Whether it is busy although it takes no message: it is being recovered, or waits for its store. */
  readonly isRecovering: (cell: Cell) => boolean
}

/** The picture is with the machine. */
export type ShardPhase =
  | 'beginning'
  | 'serving'
  | 'handing-off'
  | 'forcing'
  | 'releasing'
  | 'finished'

/** What comes to every shard. */
export type CommonInput =
  | 'Message'
  | 'Passivate'
  | 'EntityTerminated'
  | 'Sweep'
  | 'LimitActiveEntities'
  | 'HandOff'
  | 'Abandoned'
  | 'Frozen'
  | 'Thawed'
  | 'TimerFired'

export type ShardInput<Parcel> =
  | { readonly type: 'Message'; readonly entityId: EntityId; readonly parcel: Parcel }
  /** The entity asks to be stopped until its next message. */
  | { readonly type: 'Passivate'; readonly entityId: EntityId; readonly instance: number }
  /** The entity has stopped, whatever the reason. */
  | { readonly type: 'EntityTerminated'; readonly entityId: EntityId; readonly instance: number }
  /** Every `passivationSweepIntervalMs`. */
  | { readonly type: 'Sweep' }
  /** From now on so many entities may be active in this shard. */
  | { readonly type: 'LimitActiveEntities'; readonly limit: number }
  /** Stop everything; `isForced` leaves no time. */
  | { readonly type: 'HandOff'; readonly isForced: boolean }
  /** All actors of this node are being stopped: what waits has nowhere to go. */
  | { readonly type: 'Abandoned' }
  | { readonly type: 'Frozen' }
  | { readonly type: 'Thawed' }
  /** The first of a shard that has a lease, or remembers; others begin by themselves. */
  | { readonly type: 'Begin' }
  /** Start those that do not run, without a message. */
  | {
      readonly type: 'StartEntities'
      readonly entityIds: readonly EntityId[]
      readonly asker: StartAsker
    }
  /** Let these run: they were loaded, and are at home in this shard. */
  | { readonly type: 'Recover'; readonly entityIds: readonly EntityId[] }
  /** These belong to other shards by now, where they will be started. */
  | { readonly type: 'BelongElsewhere'; readonly entityIds: readonly EntityId[] }
  /** They were started there. */
  | { readonly type: 'MovedAway'; readonly entityIds: readonly EntityId[] }
  /** Part of what the store has. */
  | { readonly type: 'Loading'; readonly change: RememberedChange }
  | { readonly type: 'Loaded' }
  /** The answer to `StoreRemembered`. */
  | { readonly type: 'Stored' }
  /** The answer to `LoadRemembered` or `StoreRemembered`. */
  | { readonly type: 'StoreFailed' }
  | { readonly type: 'LeaseAcquired' }
  /** It is another's, or nobody can tell. */
  | { readonly type: 'LeaseRefused' }
  /** At any moment, also while nothing is held any more. */
  | { readonly type: 'LeaseLost' }
  | { readonly type: 'LeaseReleased' }
  | { readonly type: 'TimerFired'; readonly timer: ShardTimer }

export type ShardEffect<Parcel> =
  /** Create the entity. `instance` tells its lives apart. */
  | { readonly type: 'StartEntity'; readonly entityId: EntityId; readonly instance: number }
  | {
      readonly type: 'Deliver'
      readonly entityId: EntityId
      readonly instance: number
      readonly parcel: Parcel
    }
  /** Send the stop message, behind everything delivered so far. */
  | { readonly type: 'StopEntity'; readonly entityId: EntityId; readonly instance: number }
  /** Fire its signal: what it was asked before its stop is still done in order, but has no time any more. */
  | { readonly type: 'HurryEntity'; readonly entityId: EntityId; readonly instance: number }
  /** Stop it now. */
  | { readonly type: 'ForceStop'; readonly entityId: EntityId; readonly instance: number }
  | { readonly type: 'Drop'; readonly parcel: Parcel; readonly reason: ShardDropReason }
  | { readonly type: 'StartTimer'; readonly timer: ShardTimer; readonly delayMs: number }
  | { readonly type: 'CancelTimer'; readonly timer: ShardTimer }
  /** The answer to `StartEntities`: of each of them once, and of those together that one step has started. */
  | {
      readonly type: 'EntitiesAreStarted'
      readonly entityIds: readonly EntityId[]
      readonly asker: StartAsker
    }
  | { readonly type: 'AcquireLease' }
  /** Give it back, and say so. */
  | { readonly type: 'ReleaseLease' }
  | { readonly type: 'LoadRemembered' }
  | { readonly type: 'StoreRemembered'; readonly change: RememberedChange }
  /** It takes messages from now on. Said once, and only by one that has begun with `Begin`. */
  | { readonly type: 'Ready' }
  /** It has failed, and takes none any more; what is running is stopped. */
  | { readonly type: 'Unready' }
  /** Entities sleep that shall run. */
  | { readonly type: 'RecoverEntities' }
  /** The last entity has stopped. With `restartAfterMs` it has failed, and shall live again where it is. */
  | { readonly type: 'Finish'; readonly restartAfterMs: number | undefined }

export function startOf({
  entityId,
  instance,
}: Pick<LiveEntity<unknown>, 'entityId' | 'instance'>): ShardEffect<never> {
  return { type: 'StartEntity', entityId, instance }
}
