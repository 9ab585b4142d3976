/** What goes into the departure machine and what comes out of it. */
import type { MemberStatus } from './gossip/member.ts'

export type DepartureInput =
  /** What this node's own record says now. */
  | { readonly type: 'OwnStatus'; readonly status: MemberStatus }
  /** All that this node had to hand over has been handed over. */
  | { readonly type: 'ExitingDone'; readonly isAlone: boolean }
  /** The others have removed this node. */
  | { readonly type: 'Removed' }
  | { readonly type: 'Tick'; readonly hasNewsSpread: boolean }

export type DepartureEffect =
  | { readonly type: 'BeginExiting' }
  /** Tell the possible leaders that this node need not be waited for. */
  | { readonly type: 'ConfirmExiting' }
  | { readonly type: 'SpreadNews' }
  | { readonly type: 'ShutDown'; readonly reason: 'leaving' | 'downing' }

export type DeparturePhase = 'present' | 'exiting' | 'exited' | 'downed' | 'stopped'
