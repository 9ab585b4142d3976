/** What goes into a shard and what comes out of it. */
import type { EntityId } from '../shard-id.ts'

export type ShardDropReason =
  /** The node stopped before the message had its turn. */
  | 'region-stopped'
  /** As many messages wait in the mailbox of the entity as may. */
  | 'mailbox-full'
  /** Too many messages waited for entities that were stopping. */
  | 'entity-buffer-full'
  /** The entity did not stop in time for the hand-off, so the messages behind it had nowhere to go. */
  | 'hand-off-timeout'

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
