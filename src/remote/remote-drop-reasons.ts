/** Why messages to actors of other nodes, or from them, are lost. */
import type { ActorDeadLetterReason, ActorDroppedReason } from '../actor/index.ts'

/** Why a message to another node, or from one, found nobody. */
export type RemoteDeadLetterReason =
  | Extract<ActorDeadLetterReason, 'late-reply'>
  /** No actor of that name lives on the node it came to, or a later one of the same name does. */
  | 'no-such-actor'
  /** It was meant for a node that has since been restarted on the same address. */
  | 'former-incarnation'
  /** No connection to the other node came about in time. */
  | 'unreachable'
  /** The other node refused us, or we refused it: version, cluster name, secret, certificate or address. */
  | 'connection-rejected'
  /** The other node has been given up for good; only a new incarnation of it is spoken to. */
  | 'quarantined'
  /**
   * More peers than this node may keep in mind, and that one is no member and was never reached; or the other node has no room
   * for this one. The log says which.
   */
  | 'too-many-peers'
  /** This node's remoting has stopped. */
  | 'remoting-stopped'

/** Why a message to another node, or from one, is dropped on purpose. */
export type RemoteDroppedReason =
  | Extract<ActorDroppedReason, 'mailbox-full'>
  /** Too much waits for the other node: it, or the network, is slower than its senders. */
  | 'outbound-queue-full'
  /** It holds something that has no meaning outside this process; the log says what and where. */
  | 'cannot-serialize'
  /** An ask that waited for the other node until its caller had given up. */
  | 'expired'
