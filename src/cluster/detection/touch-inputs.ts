/** What goes into the touch machine and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { Heartbeat, HeartbeatResponse } from '../cluster-messages.ts'

export type TouchInput =
  /** Who is a member now, the node itself included, and to whom nobody listens. */
  | {
      readonly type: 'MembersChanged'
      readonly members: readonly NodeId[]
      readonly unheard: ReadonlySet<NodeId>
      /** The one whose side goes on, where the strategy goes by one. */
      readonly decisive?: NodeId | undefined
    }
  /** This process slept: the silence of that time was our own. */
  | { readonly type: 'Overslept' }
  /** How it stands with those whom this node monitors, without those to whom nobody listens: who is silent, who is not. */
  | { readonly type: 'Tick'; readonly monitored: Monitored }
  | HeartbeatResponse

export interface Monitored {
  readonly silent: ReadonlySet<NodeId>
  readonly heard: ReadonlySet<NodeId>
}

export interface TouchEffect {
  readonly type: 'Send'
  readonly to: NodeId
  readonly message: Heartbeat
}

export interface TouchSnapshot {
  /** It has asked others because those it monitors are silent, and has not decided what to make of their answers. */
  readonly isInDoubt: boolean
  /** Who is to be held for silent by the answers; nobody while this node is in touch with the others. */
  readonly silent: ReadonlySet<NodeId>
}
