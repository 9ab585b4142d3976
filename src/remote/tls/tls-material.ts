/** What a node shows and whom it trusts, as texts, and the certificates in them. */
import { X509Certificate } from 'node:crypto'
import { certificateOf } from './certificate.ts'
import { carriesName, type CertificateRules } from './certificate-rules.ts'
import { isPem, type TlsOptions } from './tls-options.ts'

export interface TlsMaterial {
  readonly ca: readonly string[]
  readonly cert: string
  readonly key: string
}

/** One of the certificates that a node uses itself. */
export interface OwnCertificate {
  /** Where it stands, such as `tls.cert`. */
  readonly option: string
  readonly fingerprint256: string
  readonly subject: string
  readonly validFrom: string
  readonly validTo: string
  readonly validFromMs: number
  readonly validToMs: number
}

export interface ReadMaterial {
  readonly material: TlsMaterial
  readonly problems: readonly string[]
}

/**
 * All texts, from their files where they are such. Problems name files, and nothing of what is in them. What was given for the path
 * of a file that is not there may be a key, without the lines around it, and in the wrong place: it is shown only where no key
 * looks like it, and never for `tls.key`.
 */
export async function readMaterial(
  { ca, cert, key }: TlsOptions,
  readText: (path: string) => Promise<string>,
): Promise<ReadMaterial> {
  const problems: string[] = []
  const textOf = async (option: string, given: string): Promise<string> => {
    if (isPem(given)) return given
    const named = option === 'tls.key' ? 'the file' : `the file ${given}`
    try {
      const text = await readText(given)
      if (!isPem(text)) problems.push(`${option}: ${named} has no PEM in it`)
      return text
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      const isPath = filesThatAreThere.has(code) || fileName.test(given)
      problems.push(
        `${option}: ${isPath ? named : 'the file'} cannot be read (${code}); if it is no path but PEM, it must begin with -----BEGIN`,
      )
      return ''
    }
  }
  const authorities = typeof ca === 'string' ? [ca] : ca
  const material = {
    ca: await Promise.all(authorities.map((each) => textOf('tls.ca', each))),
    cert: await textOf('tls.cert', cert),
    key: await textOf('tls.key', key),
  }
  return { material, problems }
}

/** What the file system says only of what exists. */
const filesThatAreThere: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EISDIR', 'EMFILE'])
/** One line with an ending: no encoding of a key has a dot in it. */
const fileName = /^[^\r\n]{1,250}\.[a-z]{1,8}$/i

export function isSameMaterial(a: TlsMaterial, b: TlsMaterial): boolean {
  const isSameCa = a.ca.length === b.ca.length && a.ca.every((text, index) => text === b.ca[index])
  return isSameCa && a.cert === b.cert && a.key === b.key
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** That of the node first, then those of authorities. Throws when one cannot be read. */
export function ownCertificates({ ca, cert }: TlsMaterial): readonly OwnCertificate[] {
  const within = (option: string, text: string): OwnCertificate[] =>
    (text.match(certificateBlock) ?? []).map((pem) => ownCertificate(option, pem))
  return [...within('tls.cert', cert), ...ca.flatMap((text) => within('tls.ca', text))]
}

function ownCertificate(option: string, pem: string): OwnCertificate {
  const x509 = new X509Certificate(pem)
  const { validFrom, validTo } = x509
  const { fingerprint256, subject, validFromMs, validToMs } = certificateOf(x509)
  return { option, fingerprint256, subject, validFrom, validTo, validFromMs, validToMs }
}

/** Whether others would take it for one of the cluster. */
export function problemWithName(
  { cert }: TlsMaterial,
  rules: CertificateRules,
): string | undefined {
  const { dnsNames } = certificateOf(new X509Certificate(cert))
  if (dnsNames.some((name) => carriesName(rules, name))) return undefined
  const wanted = rules.names.map((name) => `${name} or *.${name}`).join(' or ')
  return `tls.cert has ${dnsNames.join(', ') || 'no DNS name'}, and not ${wanted}: make it with such a DNS name (subjectAltName), or set tls.name to what the certificates of this cluster carry`
}
