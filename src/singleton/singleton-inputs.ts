/** What goes into the machine of a singleton on one node and what comes out of it. */
import type { Member, MembersWith } from '../cluster/index.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { LeaseNews } from '../lease/internals.ts'
import type { HandOverMessage, ToHost } from './singleton-messages.ts'
import type { SingletonSettings } from './singleton-settings.ts'

/** `ask-again`: whoever has not answered. `restart`: the pause is over. `force-stop`: patience is. `lease`: ask for it again. */
export type SingletonTimer = 'ask-again' | 'restart' | 'force-stop' | 'lease'

export type SingletonInput =
  /** All members as this node sees them now. */
  | { readonly type: 'MembersChanged'; readonly members: readonly Member[] }
  | { readonly type: 'FreezeChanged'; readonly isFrozen: boolean }
  /** The shutdown of this node has come to the phase cluster-exiting. */
  | { readonly type: 'HandOver' }
  /** The whole cluster is about to be stopped. */
  | { readonly type: 'PreparingForShutdown' }
  | { readonly type: 'InstanceTerminated'; readonly term: number }
  | LeaseNews
  | { readonly type: 'TimerFired'; readonly timer: SingletonTimer }
  | ToHost

export type SingletonEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: HandOverMessage }
  /** Answered by `InstanceTerminated`, sooner or later. */
  | { readonly type: 'StartInstance'; readonly term: number }
  /** By the stop message, or at once. */
  | { readonly type: 'StopInstance'; readonly isForced: boolean }
  | {
      readonly type: 'TellProxies'
      readonly nodes: readonly NodeId[]
      readonly news: 'InstanceIsHere' | 'InstanceStops'
      readonly term: number
    }
  /** Answered by `LeaseAcquired`, which `LeaseLost` may follow, or `LeaseRefused`. */
  | { readonly type: 'AcquireLease' }
  /** Also one that was only asked for. Answered by `LeaseReleased`, sooner or later. */
  | { readonly type: 'ReleaseLease' }
  | { readonly type: 'StartTimer'; readonly timer: SingletonTimer; readonly delayMs: number }
  | { readonly type: 'CancelTimer'; readonly timer: SingletonTimer }
  | { readonly type: 'Log'; readonly level: 'debug' | 'warn'; readonly text: string }
  /** Nothing runs here, and nothing ever will. */
  | { readonly type: 'HandedOver' }

/**
 * `waiting`: somebody older is in service, or this node is not. `asking`: those who were older are to say that they are
 * done. `leasing`: all of them are, and the lease is missing. `running`: there is an instance. `pausing`: there was one, and it
 * ended by itself. `losing`: it is to end, since its lease is lost. `stopping`: it is to end for good. `releasing`: it has, and
 * the lease is on its way back.
 */
export type SingletonPhase =
  | 'waiting'
  | 'asking'
  | 'leasing'
  | 'running'
  | 'pausing'
  | 'losing'
  | 'stopping'
  | 'releasing'
  | 'ended'

export interface SingletonOptions {
  readonly name: string
  readonly self: NodeId
  /** Who may run it. */
  readonly hosts: MembersWith
  readonly settings: SingletonSettings
  /** Whether an instance lives only while this node holds its lease. */
  readonly hasLease?: boolean
  /** Whether it starts elsewhere when its node leaves although the whole cluster is about to be stopped. */
  readonly movesToTheEnd?: boolean
}

export interface SingletonSnapshot {
  readonly phase: SingletonPhase
  /** Of the life that runs, or ran last; 0 before the first. */
  readonly term: number
  readonly isFrozen: boolean
  /** Whose word is still missing. */
  readonly waitsFor: readonly NodeId[]
}
