/** What remoting tells on the event stream about other nodes. */
import type { RemoteDeadLetterReason } from './remote-drop-reasons.ts'
import type { Address, NodeId } from '../foundation/node-id.ts'
import type { HandshakeError } from './remote-errors.ts'
import type { CloseReason } from './transport.ts'
import type { Lane } from './lane.ts'

/** This node can speak to that one on this lane. */
export class PeerConnected {
  readonly type = 'PeerConnected'
  readonly node: NodeId
  readonly lane: Lane

  constructor(node: NodeId, lane: Lane) {
    this.node = node
    this.lane = lane
  }
}

/**
 * It cannot any more. `unconfirmed` messages had been sent, and it is not known whether they arrived. `waiting` ones,
 * addressed to that very incarnation, had not left and go by the next connection with it; if there is none in time,
 * `WaitingGivenUp` follows.
 */
export class PeerDisconnected {
  readonly type = 'PeerDisconnected'
  readonly node: NodeId
  readonly lane: Lane
  readonly reason: string
  readonly unconfirmed: number
  readonly waiting: number

  constructor(
    node: NodeId,
    lane: Lane,
    loss: Pick<PeerDisconnected, 'reason' | 'unconfirmed' | 'waiting'>,
  ) {
    this.node = node
    this.lane = lane
    this.reason = loss.reason
    this.unconfirmed = loss.unconfirmed
    this.waiting = loss.waiting
  }
}

/** What waited on this lane for that incarnation became dead letters: nothing sent to it by then is under way any more. */
export class WaitingGivenUp {
  readonly type = 'WaitingGivenUp'
  readonly node: NodeId
  readonly lane: Lane
  readonly reason: RemoteDeadLetterReason

  constructor(node: NodeId, lane: Lane, reason: RemoteDeadLetterReason) {
    this.node = node
    this.lane = lane
    this.reason = reason
  }
}

/** A connection that this node wanted did not come about. It is tried again while something waits for that node. */
export class ConnectionFailed {
  readonly type = 'ConnectionFailed'
  readonly address: Address
  /** `refused`: the host answers that nobody listens there. The process is gone, or a firewall says so. */
  readonly reason: CloseReason['type']
  /** What happened and what to do; to be read behind the address. */
  readonly text: string

  constructor(address: Address, { type, detail }: CloseReason) {
    this.address = address
    this.reason = type
    this.text = `${failureTexts[type]}${detail && ` (${detail})`}`
  }
}

const failureTexts: Readonly<Record<CloseReason['type'], string>> = {
  refused: 'refused the connection: nobody listens there',
  'timed-out': 'has not answered: the connection timed out',
  'unknown-host':
    'has a host name that cannot be resolved: correct it, or make it known to DNS or /etc/hosts',
  unreachable: 'cannot be reached: there is no route to that host',
  reset: 'broke the connection before the handshake was done',
  ended: 'closed the connection before the handshake was done',
  destroyed: 'is not connected: this node closed the connection',
  // Never by themselves: whoever is called in a wrong way is told of in a `HandshakeFailed`.
  'no-tls': 'does not speak TLS',
  'tls-version': 'speaks another version of TLS',
  'tls-failed': 'could not agree on an encrypted connection',
}

/** Somebody is there, but the two do not belong together; the error says what to do. */
export class HandshakeFailed {
  readonly type = 'HandshakeFailed'
  readonly error: HandshakeError
  /** The address that this node called; undefined when it was called, and who called may be anybody. */
  readonly called: Address | undefined

  constructor(error: HandshakeError, called?: Address) {
    this.error = error
    this.called = called
  }
}

/** This incarnation of a node is given up for good: nothing is sent to it or taken from it any more. */
export class PeerQuarantined {
  readonly type = 'PeerQuarantined'
  readonly node: NodeId
  readonly reason: string
  /** True when that node has given this one up first. */
  readonly isInReturn: boolean

  constructor(node: NodeId, reason: string, isInReturn = false) {
    this.node = node
    this.reason = reason
    this.isInReturn = isInReturn
  }
}

/**
 * Another node has given this one up; told again now and then, as long as somebody tries to speak to it. That
 * incarnation of it is not spoken to any more either (`PeerQuarantined` says so), since half a connection helps nobody.
 * It is no verdict: this node may end itself only. To have the other put out of the cluster would make two clusters.
 */
export class ThisNodeQuarantined {
  readonly type = 'ThisNodeQuarantined'
  readonly by: Address

  constructor(by: Address) {
    this.by = by
  }
}
