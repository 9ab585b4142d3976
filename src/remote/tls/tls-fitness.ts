/** Whether other nodes would accept what this one was given: found out before it is used, with all that is wrong at once. */
import type { Environment } from '../../foundation/environment.ts'
import type { CertificateRules } from './certificate-rules.ts'
import { contextOf, rehearse, type TlsContext } from './tls-context.ts'
import { OwnCertificateExpired, TlsUnusable } from './tls-errors.ts'
import { readText } from './tls-files.ts'
import {
  type OwnCertificate,
  ownCertificates,
  problemWithName,
  readMaterial,
  type TlsMaterial,
} from './tls-material.ts'
import type { TlsOptions } from './tls-options.ts'

/** What a node was given, and what it demands of others. */
export interface Wanted {
  readonly tls: TlsOptions
  readonly rules: CertificateRules
  readonly environment: Pick<Environment, 'clock'>
}

export interface FitMaterial {
  readonly material: TlsMaterial
  readonly context: TlsContext
  /** That of the node first. */
  readonly certificates: readonly OwnCertificate[]
}

/** Rejects with `TlsUnusable`. */
export async function materialOf({ tls }: Wanted): Promise<TlsMaterial> {
  const { material, problems } = await readMaterial(tls, readText)
  if (problems.length > 0) throw new TlsUnusable(problems)
  return material
}

/** Rejects with `TlsUnusable` or `OwnCertificateExpired`. */
export async function fitToUse(
  material: TlsMaterial,
  { tls, rules, environment }: Wanted,
): Promise<FitMaterial> {
  const certificates = certificatesIn(material)
  const [own] = certificates
  if (own?.option !== 'tls.cert') throw new TlsUnusable(['tls.cert has no certificate in it'])
  const nowMs = environment.clock.wallMs()
  if (nowMs < own.validFromMs || nowMs >= own.validToMs) throw new OwnCertificateExpired(own)
  const unnamed = problemWithName(material, rules)
  const context = preparedOf(material, tls)
  const refusal = typeof context === 'string' ? undefined : await rehearse(context)
  const problems = [
    ...(certificates.some(({ option }) => option === 'tls.ca')
      ? []
      : ['tls.ca has no certificate in it']),
    ...(unnamed === undefined ? [] : [unnamed]),
    ...(typeof context === 'string' ? [context] : []),
    ...(refusal === undefined ? [] : [wordsFor(refusal)]),
  ]
  if (typeof context === 'string' || problems.length > 0) throw new TlsUnusable(problems)
  return { material, context, certificates }
}

function certificatesIn(material: TlsMaterial): readonly OwnCertificate[] {
  try {
    return ownCertificates(material)
  } catch (error) {
    throw new TlsUnusable([`a certificate in tls.cert or tls.ca cannot be read (${codeOf(error)})`])
  }
}

/** What is wrong with key and certificate together, as text. */
function preparedOf(material: TlsMaterial, { passphrase }: TlsOptions): TlsContext | string {
  try {
    return contextOf(material, passphrase)
  } catch (error) {
    const code = codeOf(error)
    return /MISMATCH/i.test(code)
      ? `tls.key is not the key of tls.cert (${code})`
      : `tls.key cannot be used with tls.cert (${code}): is it PEM, and is tls.passphrase right?`
  }
}

function wordsFor(code: string): string {
  switch (code) {
    case 'INVALID_PURPOSE':
      return 'tls.cert is not for servers and clients both (INVALID_PURPOSE): make it with the extended key usages serverAuth and clientAuth'
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `a certificate between tls.cert and tls.ca is not valid now (${code}): renew it`
    default:
      return `tls.cert is not signed by a certificate in tls.ca, or those between the two are missing in tls.cert (${code})`
  }
}

/** Never the text of an error: it may quote what it was given. */
function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return code ?? 'unknown'
}
