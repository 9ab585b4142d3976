/** The error that tells a person of a refusal: from the side of who refuses, and from that of who is refused. */
import { unreachable } from '../../foundation/assert.ts'
import { type Address, addressOfNode } from '../../foundation/node-id.ts'
import {
  type HandshakeError,
  IncarnationRefused,
  SecretMissing,
  TooManyPeers,
  WrongAddress,
  WrongClusterName,
  WrongProtocol,
  WrongSecret,
} from '../remote-errors.ts'
import {
  CertificateExpired,
  CertificateMissing,
  CertificateRefused,
  CertificateUntrusted,
  TlsMissing,
  WrongCertificateName,
} from '../tls/tls-errors.ts'
import type { HandshakeOptions } from './handshake-inputs.ts'
import type { RefusalReason } from './handshake-messages.ts'

export interface RefusalStory {
  readonly peer: Address
  /** It is the other end that refuses. */
  readonly isTheirs: boolean
  /** By which address a node was called that has another. */
  readonly calledAs?: Address | undefined
  /** What else this end knows about it. */
  readonly detail?: string | undefined
}

export function errorOfRefusal(
  reason: RefusalReason,
  { peer, isTheirs, calledAs, detail = '' }: RefusalStory,
  { self, clusterName, secrets, certificates, role }: HandshakeOptions,
): HandshakeError {
  switch (reason) {
    case 'protocol':
      return new WrongProtocol(peer)
    case 'cluster-name':
      return new WrongClusterName(peer, clusterName)
    case 'secret':
      return new WrongSecret(peer)
    case 'secret-required':
    case 'secret-unexpected':
      return new SecretMissing(peer, secrets.length === 0)
    case 'address':
      return new WrongAddress(peer, calledAs ?? (role.type === 'dialer' ? role.to : peer))
    case 'quarantined':
    case 'quarantined-in-return':
      return new IncarnationRefused(peer, 'quarantined')
    case 'removed':
      return new IncarnationRefused(peer, isTheirs ? 'removed-here' : 'removed')
    case 'former-incarnation':
      return new IncarnationRefused(isTheirs ? peer : addressOfNode(self), reason)
    case 'tls-required':
    case 'tls-unexpected':
      return new TlsMissing(peer, certificates === undefined)
    case 'certificate-missing':
      return new CertificateMissing(peer, isTheirs)
    case 'certificate-expired':
      return new CertificateExpired(peer, isTheirs, detail)
    case 'certificate-untrusted':
      return new CertificateUntrusted(peer, isTheirs, detail)
    case 'certificate-name':
      return new WrongCertificateName(peer, isTheirs, certificates?.names ?? [], detail)
    case 'certificate-refused':
      return new CertificateRefused(peer, isTheirs, detail)
    case 'too-many-peers':
      return new TooManyPeers(peer, isTheirs)
    default:
      return unreachable(reason)
  }
}
