/** What a certificate says, as a value: names by kind, number, fingerprint and time. */
import type { X509Certificate } from 'node:crypto'
import type { PeerCertificate } from '../transport.ts'

/** Names are told as one text, each as `DNS:name`, and in quotes when they have characters that could look like more of them. */
const entry = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g

export function certificateOf(x509: X509Certificate): PeerCertificate {
  const names = x509.subjectAltName ?? ''
  return {
    dnsNames: namesOf('DNS', names),
    ipAddresses: namesOf('IP Address', names),
    uris: namesOf('URI', names),
    serialNumber: x509.serialNumber,
    fingerprint256: x509.fingerprint256,
    // Each part stands on a line of its own.
    subject: (x509.subject ?? '').replaceAll('\n', ', '),
    issuer: (x509.issuer ?? '').replaceAll('\n', ', '),
    validFromMs: Date.parse(x509.validFrom),
    validToMs: Date.parse(x509.validTo),
  }
}

/** Names in quotes are left out: none of them can be that of a host. */
function namesOf(kind: string, text: string): readonly string[] {
  const prefix = `${kind}:`
  return (text.match(entry) ?? [])
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix) && !part.includes('"'))
    .map((part) => part.slice(prefix.length))
}
