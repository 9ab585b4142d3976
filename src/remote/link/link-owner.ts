/** What a link needs of the node it belongs to, and of all that is known about its peer. */
import type { RemoteDeadLetterReason } from '../remote-drop-reasons.ts'
import type { Question, Runtime } from '../../actor/internals.ts'
import type { ValueCodec } from '../../serialization/internals.ts'
import type { HandshakeOptions, HandshakeRole } from '../handshake/handshake-inputs.ts'
import type { Lane } from '../lane.ts'
import type { Address, NodeId } from '../../foundation/node-id.ts'
import type { RemoteSettings } from '../remote-settings.ts'
import type { LaneChoice } from '../ref/lane-choice.ts'
import type { Transport } from '../transport.ts'
import type { BadBytes, ConnectFailure } from './peer-connection.ts'

/** The node's side, the same for all links. */
export interface LinkWorld {
  readonly runtime: Runtime
  readonly transport: Transport
  readonly settings: RemoteSettings
  handshakeFor(role: HandshakeRole): HandshakeOptions
  /** Decided when a ref is made. */
  readonly lanes: LaneChoice
  /** For one connection. */
  makeCodec(lane: Lane): ValueCodec
  /** Gives a question its number. */
  registerAsk(question: Question): void
  /** A connection is closed for what came by it. */
  readonly onBadBytes: (bad: BadBytes) => void
}

/** The association: what all lanes share. */
export interface LinkOwner {
  readonly address: Address
  /** Why nothing can be sent to that incarnation; undefined when it can. */
  fateOf(node: NodeId): RemoteDeadLetterReason | undefined
  /** Whether this lane must be open though no message waits: for system messages, or to see that the peer lives. */
  needs(lane: Lane): boolean
  /** Whether deaths wait to be told on this lane: a node that stops waits for a connection that is on its way. */
  hasLastWords(lane: Lane): boolean
  opened(lane: Lane, peer: NodeId): void
  failed(failure: ConnectFailure): void
  /** No connection came about on this lane for as long as messages wait. */
  unreachable(lane: Lane): void
  lost(lane: Lane, peer: NodeId, loss: LinkLoss): void
  /** What waited on this lane for that incarnation is given up. */
  gaveUp(lane: Lane, peer: NodeId, reason: RemoteDeadLetterReason): void
  systemConfirmed(sequence: number): void
}

export interface LinkLoss {
  readonly reason: string
  readonly unconfirmed: number
  /** Messages for that very incarnation which wait for the next connection with it. */
  readonly waiting: number
}
