/**
 * Which certificates belong to the cluster. That an authority of ours has signed them is not enough, since it may have
 * signed others, for other clusters and other programs: they must carry the name of this one.
 */
import { type Address, hostAndPortOf } from '../../foundation/node-id.ts'
import type { PeerCertificate, SecureChannel } from '../transport.ts'

export interface CertificateRules {
  /** One of its DNS names must be one of these, or end with a dot and one of these. */
  readonly names: readonly string[]
  /** Whether it must carry the host, too, by which the node is known. */
  readonly verifyHost: boolean
  /** The last word, when the node has said by which address it is known. */
  readonly verify: ((certificate: PeerCertificate, address: Address) => boolean) | undefined
}

export interface CertificateObjection {
  readonly reason:
    | 'certificate-missing'
    | 'certificate-expired'
    | 'certificate-untrusted'
    | 'certificate-name'
    | 'certificate-refused'
  /** For this node's log. */
  readonly detail: string
}

/** Before the other end has said anything; undefined when it may go on. */
export function objectionToChannel(
  { certificate, distrust }: SecureChannel,
  rules: CertificateRules,
): CertificateObjection | undefined {
  if (certificate === undefined) return { reason: 'certificate-missing', detail: '' }
  if (distrust !== undefined)
    return { reason: `certificate-${distrust.type}`, detail: distrust.code }
  if (certificate.dnsNames.some((name) => carriesName(rules, name))) return undefined
  return { reason: 'certificate-name', detail: certificate.dnsNames.join(', ') || 'no DNS name' }
}

/** Once it has said by which address it is known; undefined when it may go on. */
export function objectionToNode(
  certificate: PeerCertificate,
  address: Address,
  { verifyHost, verify }: CertificateRules,
): CertificateObjection | undefined {
  if (verifyHost && !isForHost(certificate, hostAndPortOf(address).host)) {
    const names = [...certificate.dnsNames, ...certificate.ipAddresses]
    return { reason: 'certificate-refused', detail: `it is for ${names.join(', ')} only` }
  }
  if (verify === undefined) return undefined
  try {
    // Nothing but true: an async function would answer with a promise, which is no answer.
    const answer: unknown = verify(certificate, address)
    if (answer === true) return undefined
    return { reason: 'certificate-refused', detail: '`tls.verify` does not accept it' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { reason: 'certificate-refused', detail: `\`tls.verify\` threw: ${message}` }
  }
}

/** Whether this name is, or is below, one that certificates of the cluster carry. */
export function carriesName({ names }: CertificateRules, dnsName: string): boolean {
  const given = dnsName.toLowerCase()
  return names.some((name) => {
    const wanted = name.toLowerCase()
    return given === wanted || given.endsWith(`.${wanted}`)
  })
}

function isForHost({ dnsNames, ipAddresses }: PeerCertificate, host: string): boolean {
  const wanted = host.toLowerCase()
  const wantedIp = oneSpelling(host)
  return (
    ipAddresses.some((ip) => oneSpelling(ip) === wantedIp) ||
    dnsNames.some((name) => name.toLowerCase() === wanted || isWildcardFor(name, wanted))
  )
}

/** An IPv6 address can be written in many ways: in certificates it has all its zeros, in settings hardly ever. */
function oneSpelling(host: string): string {
  const url = `http://[${host}]`
  const isIPv6 = /^[\da-f:.]+$/i.test(host) && URL.canParse(url)
  return isIPv6 ? new URL(url).hostname.slice(1, -1) : host.toLowerCase()
}

/** `*.shop.example` is for `a.shop.example`, and neither for `a.b.shop.example` nor for `shop.example`. */
function isWildcardFor(dnsName: string, host: string): boolean {
  if (!dnsName.startsWith('*.')) return false
  const dot = host.indexOf('.')
  return dot > 0 && host.slice(dot) === dnsName.slice(1).toLowerCase()
}
