/**
 * What goes wrong between nodes, in words for the person who starts one: what happened, and what to do. Those about
 * another node are logged and published in `HandshakeFailed`; the others are thrown by `Remoting.start`.
 */
import type { RemoteDeadLetterReason, RemoteDroppedReason } from './remote-drop-reasons.ts'
import { CodedError } from '../foundation/coded-error.ts'
import type { Address } from '../foundation/node-id.ts'
import { shown } from './shown.ts'
import type { HostAndPort } from './transport.ts'
import { tableTextBytesMax } from './wire/text-table.ts'

export class PortTaken extends CodedError {
  readonly code = 'PORT_TAKEN'
  readonly port: number

  constructor({ host, port }: HostAndPort, isForbidden: boolean, cause: unknown) {
    const why = isForbidden
      ? 'this user may not listen there; ports below 1024 need rights.'
      : 'another process listens there; is this node already running?'
    super(`Cannot listen on ${host}:${port}: ${why} Choose another port, or 0 for any free one.`, {
      cause,
    })
    this.port = port
  }
}

export class HostNotOurs extends CodedError {
  readonly code = 'HOST_NOT_OURS'
  readonly host: string

  constructor({ host, port }: HostAndPort, cause: unknown) {
    const code = (cause as { readonly code?: unknown } | undefined)?.code
    const why =
      code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? `the name ${host} cannot be resolved (${code}). Correct it, or make it known to DNS or /etc/hosts; or bind`
        : `no network interface of this machine has the address ${host}. Bind`
    super(
      `Cannot listen on ${host}:${port}: ${why} to an address of this machine, and give the one that others use as \`advertised\`.`,
      { cause },
    )
    this.host = host
  }
}

export class InsecureBind extends CodedError {
  readonly code = 'INSECURE_BIND'

  /** `besides`: what else is wrong with the place, so that it is told at once. */
  constructor(host: string, besides?: string) {
    const more = besides === undefined ? '' : ` Besides, ${besides}.`
    super(
      `${host} can be reached from other machines, and whoever reaches it could join the cluster. Give every node the same \`secret\` (at least 16 characters, from your secret store), or \`tls\` with a certificate of the cluster, or both; bind to 127.0.0.1; or set \`insecure: true\` if the network itself is guarded.${more}`,
    )
  }
}

/** Another node and this one could not come to terms. */
export abstract class HandshakeError extends CodedError {
  readonly address: Address

  constructor(address: Address, text: string) {
    super(`${shown(address)} ${text}`)
    this.address = address
  }
}

export class WrongProtocol extends HandshakeError {
  readonly code = 'WRONG_PROTOCOL'

  constructor(address: Address) {
    super(
      address,
      'does not speak the protocol of this version of Sherd. Is it a Sherd node at all, and of a version that goes with this one?',
    )
  }
}

export class WrongClusterName extends HandshakeError {
  readonly code = 'WRONG_CLUSTER_NAME'

  constructor(address: Address, ours: string) {
    super(
      address,
      `belongs to a different cluster than "${ours}". Give both nodes the same cluster name (option \`name\` of startNode), or correct the address.`,
    )
  }
}

export class WrongSecret extends HandshakeError {
  readonly code = 'WRONG_SECRET'

  constructor(address: Address) {
    super(
      address,
      'has a different secret than this node. Give every node of the cluster the same one. While it is replaced, all nodes list the old one and the new one.',
    )
  }
}

/** One of the two has a secret and the other has none. */
export class SecretMissing extends HandshakeError {
  readonly code = 'SECRET_MISSING'

  constructor(address: Address, isOurs: boolean) {
    super(
      address,
      isOurs
        ? 'demands a secret and this node has none. Give this node the secret of the cluster.'
        : 'has no secret and this node demands one. Give it the secret of the cluster.',
    )
  }
}

export class WrongAddress extends HandshakeError {
  readonly code = 'WRONG_ADDRESS'

  constructor(address: Address, expected: Address) {
    super(
      address,
      `was called by the address ${shown(expected)}, which is not the one it is known by. Call it by its advertised address, or correct \`advertised\` there.`,
    )
  }
}

type WhyRefused = 'quarantined' | 'removed' | 'removed-here' | 'former-incarnation'

const incarnationTexts: Readonly<Record<WhyRefused, string>> = {
  quarantined:
    'and this node have given each other up. Restart the one that was removed from the cluster.',
  removed:
    'was removed from the cluster long ago, and its process still lives: it is refused. End it, or restart it, so that it joins anew.',
  'removed-here':
    'refuses this node, which was removed from its cluster long ago. Restart this node, so that it joins anew.',
  'former-incarnation':
    'refuses a node whose address another one has. Are two processes set to the same advertised address?',
}

export class IncarnationRefused extends HandshakeError {
  readonly code = 'INCARNATION_REFUSED'

  constructor(address: Address, why: WhyRefused) {
    super(address, incarnationTexts[why])
  }
}

/** Of two nodes that belong together, one keeps as many peers in mind as it may. It is tried again: there may be room later. */
export class TooManyPeers extends HandshakeError {
  readonly code = 'TOO_MANY_PEERS'

  constructor(address: Address, isTheirs: boolean) {
    super(
      address,
      isTheirs
        ? 'has no room for this node: it keeps as many peers in mind as it may, and this one is not among its members. If the cluster is that large, raise settings.remote.peersMax on every node; if not, look there for who calls it, or sends refs with addresses at which nobody listens.'
        : 'has called, and this node keeps as many peers in mind as it may: it is refused until there is room. If the cluster is that large, raise settings.remote.peersMax on every node; if not, look for who calls, or sends refs with addresses at which nobody listens.',
    )
  }
}

export class HandshakeTimeout extends HandshakeError {
  readonly code = 'HANDSHAKE_TIMEOUT'

  constructor(address: Address) {
    super(
      address,
      'took the connection and did not finish the handshake in time. Is it a Sherd node, and is it overloaded?',
    )
  }
}

/** It closed the connection, or sent what no node sends at that point. */
export class HandshakeBroken extends HandshakeError {
  readonly code = 'HANDSHAKE_BROKEN'

  constructor(address: Address, detail: string) {
    super(address, `broke off the handshake: ${shown(detail)}.`)
  }
}

/** Too many questions wait for answers from other nodes. */
export class TooManyAsks extends CodedError {
  readonly code = 'TOO_MANY_ASKS'

  constructor(limit: number) {
    super(
      `${limit} asks wait for answers from other nodes, and no more can. Ask less at once, or with shorter timeouts.`,
    )
  }
}

/** The message of an ask was lost before it left this node: nobody has it, and no answer will come. */
export class AskNotSent extends CodedError {
  readonly code = 'ASK_NOT_SENT'
  readonly target: string
  /** As the dead letter has it. */
  readonly reason: RemoteDeadLetterReason | RemoteDroppedReason

  constructor(target: string, reason: RemoteDeadLetterReason | RemoteDroppedReason) {
    super(`Ask failed: its message to ${target} was not sent (${reason}). ${whatToDo(reason)}`)
    this.target = target
    this.reason = reason
  }
}

function whatToDo(reason: RemoteDeadLetterReason | RemoteDroppedReason): string {
  switch (reason) {
    case 'outbound-queue-full':
      return 'Too much waits for that node: ask less at once, or raise the settings remote.queueMessagesMax and remote.queueBytesMax (for large messages remote.largeQueueMessagesMax).'
    case 'unreachable':
      return 'No connection came about in time: see that the node runs and can be reached, and ask again.'
    case 'connection-rejected':
      return 'That node and this one do not belong together: the log says why.'
    case 'quarantined':
      return 'One of the two nodes has given the other up: ask an actor of another node, or of this one once it was restarted.'
    case 'too-many-peers':
      return 'One of the two nodes keeps as many peers in mind as it may, and the log says which: raise the setting remote.peersMax on every node if the cluster is that large.'
    case 'former-incarnation':
      return 'That node was restarted, and the actor is gone with its former life: get a new ref.'
    case 'remoting-stopped':
      return 'This node is stopping: ask from another.'
    default:
      return 'The dead letter in the log says more.'
  }
}

export class InvalidActorAddress extends CodedError {
  readonly code = 'INVALID_ACTOR_ADDRESS'

  constructor(text: string) {
    super(
      `"${shown(text)}" names no actor. Write sherd://system@host:port/user/name, as a ref prints itself, with a port from 1 to 65535 and a path of at most ${tableTextBytesMax} bytes.`,
    )
  }
}

/** The actor lives here, too deep for others to speak to it. */
export class PathTooLong extends CodedError {
  readonly code = 'PATH_TOO_LONG'

  constructor(text: string) {
    super(
      `Its path has more than ${tableTextBytesMax} bytes, which no other node takes. Use shorter names: ${shown(text)}`,
    )
  }
}
