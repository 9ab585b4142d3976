/** What a link needs of the node it belongs to, and of all that is known about its peer. */
import type { DeadLetterReason, Question, Runtime } from '../../actor/index.ts'
import type { ValueCodec } from '../../serialization/index.ts'
import type { HandshakeOptions, HandshakeRole } from '../handshake/handshake-machine.ts'
import type { Lane } from '../handshake/handshake-messages.ts'
import type { Address, NodeId } from '../node-id.ts'
import type { RemoteSettings } from '../remote-settings.ts'
import type { Transport } from '../transport.ts'
import type { ConnectFailure } from './peer-connection.ts'

/** The node's side, the same for all links. */
export interface LinkWorld {
  readonly runtime: Runtime
  readonly transport: Transport
  readonly settings: RemoteSettings
  handshakeFor(role: HandshakeRole): HandshakeOptions
  /** For one connection. */
  makeCodec(): ValueCodec
  /** Gives a question its number. */
  registerAsk(question: Question): void
}

/** The association: what both lanes share. */
export interface LinkOwner {
  readonly address: Address
  /** Why nothing can be sent to that incarnation; undefined when it can. */
  fateOf(node: NodeId): DeadLetterReason | undefined
  /** Whether system messages wait for this lane to be open. */
  needs(lane: Lane): boolean
  opened(lane: Lane, peer: NodeId): void
  failed(failure: ConnectFailure): void
  lost(lane: Lane, peer: NodeId, loss: LinkLoss): void
  systemConfirmed(sequence: number): void
}

export interface LinkLoss {
  readonly reason: string
  readonly unconfirmed: number
}
