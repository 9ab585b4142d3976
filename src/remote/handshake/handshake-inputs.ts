/** What goes into the machine of a handshake and what comes out of it. */
import type { Address, NodeId } from '../../foundation/node-id.ts'
import type { Lane } from '../lane.ts'
import type { HandshakeError } from '../remote-errors.ts'
import type { CertificateRules } from '../tls/certificate-rules.ts'
import type { CloseReason, SecureChannel } from '../transport.ts'

export type HandshakeInput =
  /** The connection is encrypted. Before all else, or never. */
  | { readonly type: 'Secured'; readonly channel: SecureChannel }
  /** It was to be, and is not. */
  | { readonly type: 'NotSecured'; readonly reason: CloseReason }
  | { readonly type: 'Opened' }
  /** A whole frame, from its kind on. */
  | { readonly type: 'FrameReceived'; readonly bytes: Buffer }
  /** Bytes that are no frames; they may be the first ones of TLS. */
  | { readonly type: 'NonsenseReceived'; readonly problem: string; readonly isTls: boolean }
  | { readonly type: 'TimedOut' }

export type HandshakeEffect =
  | { readonly type: 'Send'; readonly bytes: Buffer }
  | { readonly type: 'Establish'; readonly peer: NodeId; readonly lane: Lane }
  | {
      readonly type: 'Fail'
      readonly error: HandshakeError
      /** The node that has given this one up, when it said so, with proof, at the address that was called. */
      readonly givenUpBy: NodeId | undefined
    }

/**
 * Why a node is not spoken to although it is one of ours: about this very incarnation, and for good. `removed`: its cluster has
 * removed it, and how far the two had counted system messages is forgotten.
 */
export type Exclusion = 'quarantined' | 'quarantined-in-return' | 'removed' | 'former-incarnation'

/**
 * Undefined when it is spoken to. `overtaken`: since this handshake began, another incarnation has proved to live there,
 * so that what was under way may come from one that is dead by now; or another is connected, and it is being found out who
 * lives there. A handshake that begins later tells. `too-many-peers`: for whoever has called there is no room, for now.
 */
export type Objection = Exclusion | 'overtaken' | 'too-many-peers' | undefined

export interface HandshakeOptions {
  readonly self: NodeId
  readonly clusterName: string
  /** The first is what this node proves itself by, all are accepted of others; none where there is no secret. */
  readonly secrets: readonly string[]
  /** Which certificates are accepted; undefined where connections are not encrypted. */
  readonly certificates: CertificateRules | undefined
  /** Fresh for every connection. */
  readonly nonce: Buffer
  /** Asked again before the end: what holds can change while the other end's words are under way. */
  readonly objectionTo: (peer: NodeId) => Objection
  readonly role: HandshakeRole
}

export type HandshakeRole =
  | { readonly type: 'dialer'; readonly lane: Lane; readonly to: Address }
  /** `from` is where the connection comes from, until the peer has said who it is. */
  | { readonly type: 'listener'; readonly from: string }
