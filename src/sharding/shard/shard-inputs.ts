/** What goes into a shard and what comes out of it. */
import type { ShardDropReason } from '../sharding-drop-reasons.ts'
import type { EntityId } from '../shard-id.ts'

/** `grace` ends before entities are told to hurry, `force-stop` before they are stopped whatever they do. */
export type ShardTimer = 'grace' | 'force-stop'

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
  /** The last entity has stopped. */
  | { readonly type: 'Finish' }
