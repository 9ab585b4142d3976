/** What goes into the machine of a singleton's proxy and what comes out of it. */
import type { ActorRef } from '../actor/index.ts'
import type { Member, MembersWith } from '../cluster/index.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { ToProxy, WhereIsInstance } from './singleton-messages.ts'

export type ProxyInput =
  | { readonly type: 'MembersChanged'; readonly members: readonly Member[] }
  | { readonly type: 'TargetTerminated'; readonly term: number }
  | { readonly type: 'AskAgain' }
  | ToProxy

export type ProxyEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: WhereIsInstance }
  /** Messages go there from now on, those that wait first. Its end is answered by `TargetTerminated`. */
  | { readonly type: 'Use'; readonly instance: ActorRef<unknown>; readonly term: number }
  /** Messages wait from now on. */
  | { readonly type: 'Forget' }
  | { readonly type: 'StartTimer'; readonly delayMs: number }
  | { readonly type: 'CancelTimer' }
  /** This node is out of the cluster for good. */
  | { readonly type: 'Close' }

export interface ProxyOptions {
  readonly self: NodeId
  /** Who may run it. */
  readonly hosts: MembersWith
  readonly retryIntervalMs: number
}
