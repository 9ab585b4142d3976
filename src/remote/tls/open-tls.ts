/** TLS for one node: the network, and the rules by which certificates of others are accepted. */
import type { Environment } from '../../foundation/environment.ts'
import type { Transport } from '../transport.ts'
import type { CertificateRules } from './certificate-rules.ts'
import { type CertificateSettings, certificateSettingsTable } from './certificate-settings.ts'
import { TlsCredentials } from './tls-credentials.ts'
import { rulesOf, type TlsOptions } from './tls-options.ts'
import { tlsTransport } from './tls-transport.ts'

export interface TlsNetwork {
  readonly transport: Transport
  readonly certificates: CertificateRules
  /** Looks at no files any more. */
  stop(): void
}

export interface OpenTlsOptions {
  readonly tls: TlsOptions
  readonly clusterName: string
  readonly settings?: Partial<CertificateSettings> | undefined
  readonly environment: Pick<Environment, 'clock' | 'timers' | 'logger'>
}

/** Rejects with `TlsUnusable` or `OwnCertificateExpired`. */
export async function openTls({
  tls,
  clusterName,
  settings,
  environment,
}: OpenTlsOptions): Promise<TlsNetwork> {
  const rules = rulesOf(tls, clusterName)
  const all = certificateSettingsTable.complete(settings)
  const credentials = await TlsCredentials.open({ tls, rules, settings: all, environment })
  return {
    transport: tlsTransport(credentials),
    certificates: rules,
    stop: () => credentials.stop(),
  }
}
