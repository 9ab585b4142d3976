/**
 * What goes wrong with certificates and encryption, in words for the person who starts a node: what happened, and what
 * to do. Those about another node are logged and published in `HandshakeFailed`; the others are thrown by `startNode`.
 * No key and no secret stands in any of them.
 */
import { CodedError } from '../../foundation/coded-error.ts'
import type { Address } from '../../foundation/node-id.ts'
import { HandshakeError } from '../remote-errors.ts'
import { shown } from '../shown.ts'

/** What this node was given for TLS cannot be used; `problems` has all that is wrong. */
export class TlsUnusable extends CodedError {
  readonly code = 'TLS_UNUSABLE'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const lines = problems.map((problem) => `  - ${shown(problem)}`)
    super(`The certificate, key and authorities in \`tls\` cannot be used:\n${lines.join('\n')}`)
    this.problems = problems
  }
}

/** The certificate of this node has run out, or its time has not come: no other node would speak to it. */
export class OwnCertificateExpired extends CodedError {
  readonly code = 'OWN_CERTIFICATE_EXPIRED'
  readonly validFrom: string
  readonly validTo: string

  constructor({ validFrom, validTo }: { readonly validFrom: string; readonly validTo: string }) {
    super(
      `The certificate of this node (\`tls.cert\`) is valid from ${validFrom} to ${validTo}, and not now: no other node would speak to this one. Have it renewed by a CA in \`tls.ca\`; if it is fresh, set the clock of this machine right.`,
    )
    this.validFrom = validFrom
    this.validTo = validTo
  }
}

/** One of the two speaks TLS and the other does not. */
export class TlsMissing extends HandshakeError {
  readonly code = 'TLS_MISSING'

  constructor(address: Address, isOurs: boolean) {
    super(
      address,
      isOurs
        ? 'speaks TLS and this node does not. Give this node the option `tls`, with a certificate of the cluster.'
        : 'does not speak TLS and this node demands it. If it is a node of this cluster, give it the option `tls`, with a certificate of the cluster.',
    )
  }
}

export class WrongTlsVersion extends HandshakeError {
  readonly code = 'WRONG_TLS_VERSION'

  constructor(address: Address, detail: string) {
    super(
      address,
      `has no version of TLS in common with this node, which speaks 1.3 and nothing older (${shown(detail)}). Is it a Sherd node, and is nothing between the two that speaks TLS in its place?`,
    )
  }
}

export class TlsFailed extends HandshakeError {
  readonly code = 'TLS_FAILED'

  constructor(address: Address, detail: string) {
    super(
      address,
      `could not agree with this node on an encrypted connection (${shown(detail)}). Is it a Sherd node, with a certificate of the cluster?`,
    )
  }
}

export class CertificateMissing extends HandshakeError {
  readonly code = 'CERTIFICATE_MISSING'

  constructor(address: Address, isTheirs: boolean) {
    super(
      address,
      isTheirs
        ? 'demands a certificate, and none of this node has come there. Is something between the two that speaks TLS in its place?'
        : 'shows no certificate, and this node demands one. If it is a node of this cluster, nothing may speak TLS in its place on the way.',
    )
  }
}

export class CertificateUntrusted extends HandshakeError {
  readonly code = 'CERTIFICATE_UNTRUSTED'

  /** `isTheirs`: it is they who do not trust ours. */
  constructor(address: Address, isTheirs: boolean, detail: string) {
    super(address, isTheirs ? untrustedThere : untrustedHere(detail))
  }
}

const untrustedThere =
  'does not trust the certificate of this node. It must be signed by a CA that is in `tls.ca` there, and be for servers and clients both; while a CA is replaced, all nodes list the old one and the new one.'

function untrustedHere(detail: string): string {
  if (detail === 'INVALID_PURPOSE') {
    return 'shows a certificate that is not for this use (INVALID_PURPOSE). Nodes call each other: make it with the extended key usages serverAuth and clientAuth.'
  }
  return `shows a certificate that no CA in \`tls.ca\` of this node has signed (${shown(detail)}). If it is a node of this cluster, have its certificate signed by one of them, or add its CA here; while a CA is replaced, all nodes list the old one and the new one.`
}

export class CertificateExpired extends HandshakeError {
  readonly code = 'CERTIFICATE_EXPIRED'

  constructor(address: Address, isTheirs: boolean, detail: string) {
    super(
      address,
      isTheirs
        ? 'holds the certificate of this node for one that has run out, or whose time has not come. Renew it; if it is fresh, set the clocks of both machines right.'
        : `shows a certificate that has run out, or whose time has not come (${shown(detail)}). Renew it there; if it is fresh, set the clocks of both machines right.`,
    )
  }
}

export class WrongCertificateName extends HandshakeError {
  readonly code = 'WRONG_CERTIFICATE_NAME'

  constructor(address: Address, isTheirs: boolean, names: readonly string[], detail: string) {
    super(
      address,
      isTheirs
        ? 'misses the name of the cluster in the certificate of this node. Make it with a DNS name (subjectAltName) that is that name or ends with it, or give all nodes the same `tls.name`.'
        : `shows a certificate of another cluster or program: it has ${shown(detail)}, and not ${names.map((name) => `${shown(name)} or *.${shown(name)}`).join(' or ')}. Make it with such a DNS name (subjectAltName), or give all nodes the \`tls.name\` that their certificates carry.`,
    )
  }
}

export class CertificateRefused extends HandshakeError {
  readonly code = 'CERTIFICATE_REFUSED'

  constructor(address: Address, isTheirs: boolean, detail: string) {
    super(
      address,
      isTheirs
        ? 'does not accept the certificate of this node, by the rules of `tls` there. Its log says why.'
        : `shows a certificate that this node does not accept: ${shown(detail)}. Look at \`tls.verifyHost\` and \`tls.verify\` here, and at the names in the certificate there.`,
    )
  }
}
