/** How a user says what TLS is to use, and what is wrong with that at first sight. */
import type { Address } from '../../foundation/node-id.ts'
import { type Check, maybe, mustBe, mustBeFunction } from '../../foundation/invalid-settings.ts'
import { isRecord } from '../../foundation/is-object.ts'
import { unknownSettings } from '../../foundation/unknown-names.ts'
import type { PeerCertificate } from '../transport.ts'
import type { CertificateRules } from './certificate-rules.ts'

/**
 * Connections between nodes are encrypted by TLS 1.3, and each end shows a certificate. `ca`, `cert` and `key` are PEM, or
 * the paths of files with that: files are read again when they change, for the connections that come then.
 */
export interface TlsOptions {
  /**
   * The authorities that sign certificates of this cluster, and no others are trusted. Several, in a list or one behind the
   * other, while one is replaced.
   */
  readonly ca: string | readonly string[]
  /**
   * Of this node, for servers and clients both, with a DNS name of the cluster. Authorities between it and `ca` come behind
   * it.
   */
  readonly cert: string
  readonly key: string
  /** Of the key, if it is encrypted. */
  readonly passphrase?: string | undefined
  /**
   * What certificates of this cluster are called: one of their DNS names (subjectAltName) must be this, or end with a dot and
   * this. The name of the cluster when not given. The same on every node.
   */
  readonly name?: string | readonly string[] | undefined
  /**
   * Whether a certificate must also carry the host, as a DNS name or IP address, by which its node is known to others. False
   * when not given: then each node of the cluster may have any address, as where hosts come and go.
   */
  readonly verifyHost?: boolean | undefined
  /**
   * The last word on a certificate that is in order: true lets the node in that is known by this address, anything else
   * refuses it. For lists of those that were withdrawn, say, by number. Asked at every new connection; it must answer at once.
   */
  readonly verify?: ((certificate: PeerCertificate, address: Address) => boolean) | undefined
}

const isText = (given: unknown): boolean => typeof given === 'string' && given !== ''

const isTextOrTexts = (given: unknown): boolean =>
  isText(given) || (Array.isArray(given) && given.length > 0 && given.every(isText))

/** Never shown, whatever it is: it may be a key. */
function unseen(range: string, isInRange: (given: unknown) => boolean): Check {
  return (name, given) => (isInRange(given) ? [] : [`${name} must be ${range}`])
}

const checks: Readonly<Record<keyof TlsOptions, Check>> = {
  ca: unseen('PEM or the path of a file, or a list of such', isTextOrTexts),
  cert: unseen('PEM or the path of a file', isText),
  key: unseen('PEM or the path of a file', isText),
  passphrase: maybe(unseen('a text', isText)),
  name: maybe(mustBe('a DNS name, or a list of such', areNames)),
  verifyHost: maybe(mustBe('true or false', (given) => typeof given === 'boolean')),
  verify: maybe(mustBeFunction),
}

function areNames(given: unknown): boolean {
  const names: readonly unknown[] = Array.isArray(given) ? given : [given]
  return names.length > 0 && names.every((name) => /^[\w-]+(\.[\w-]+)*$/.test(String(name)))
}

export function problemsWithTls(name: string, given: unknown): string[] {
  if (given === undefined) return []
  if (!isRecord(given)) return [`${name} must be an object such as { ca, cert, key }`]
  return [
    ...Object.entries(checks).flatMap(([each, check]) => check(`${name}.${each}`, given[each])),
    ...unknownSettings(given, checks, 'an option', `${name}.`),
  ]
}

export function rulesOf(
  { name, verifyHost = false, verify }: TlsOptions,
  clusterName: string,
): CertificateRules {
  const names = name ?? clusterName
  return { names: typeof names === 'string' ? [names] : names, verifyHost, verify }
}

/** Other texts are paths. */
export function isPem(text: string): boolean {
  return text.includes('-----BEGIN ')
}
