/**
 * The certificate, key and authorities of a node, as they are now. Files are looked at again and again; what has changed is
 * taken up when it is whole and fit to be used, by the connections that come then, and those that stand live on. What runs
 * out soon is told of once a day.
 */
import { minutes } from '../../foundation/duration.ts'
import type { Environment } from '../../foundation/environment.ts'
import type { Timer } from '../../foundation/timers.ts'
import type { CertificateSettings } from './certificate-settings.ts'
import type { TlsContext } from './tls-context.ts'
import { type FitMaterial, fitToUse, materialOf, type Wanted } from './tls-fitness.ts'
import { isSameMaterial, type OwnCertificate, type TlsMaterial } from './tls-material.ts'
import { isPem, type TlsOptions } from './tls-options.ts'

const expiryLookMs = minutes(60)
const dayMs = minutes(24 * 60)

export interface TlsCredentialsOptions extends Wanted {
  readonly settings: CertificateSettings
  readonly environment: Pick<Environment, 'clock' | 'timers' | 'logger'>
}

export class TlsCredentials {
  readonly #options: TlsCredentialsOptions
  #fit: FitMaterial
  /** What was wrong with the files at the last look, and whether that was told. */
  #trouble: { readonly text: string; readonly isTold: boolean } | undefined
  /** When it was last told of each, by fingerprint. */
  readonly #toldMs = new Map<string, number>()
  #fileTimer: Timer | undefined
  #expiryTimer: Timer | undefined
  #isStopped = false

  /** Rejects with `TlsUnusable` or `OwnCertificateExpired`. */
  static async open(options: TlsCredentialsOptions): Promise<TlsCredentials> {
    return new TlsCredentials(options, await fitToUse(await materialOf(options), options))
  }

  private constructor(options: TlsCredentialsOptions, fit: FitMaterial) {
    this.#options = options
    this.#fit = fit
    this.#lookAtExpiry()
    this.#lookLater()
  }

  /** For connections that come now. */
  get current(): TlsContext {
    return this.#fit.context
  }

  stop(): void {
    this.#isStopped = true
    this.#fileTimer?.cancel()
    this.#expiryTimer?.cancel()
  }

  // ---- files

  #lookLater(): void {
    const { tls, settings, environment } = this.#options
    if (this.#isStopped || !hasFiles(tls)) return
    this.#fileTimer = environment.timers.after(settings.reloadIntervalMs, () => void this.#look())
  }

  async #look(): Promise<void> {
    try {
      const material = await materialOf(this.#options)
      if (!isSameMaterial(material, this.#fit.material)) await this.#takeUp(material)
      this.#trouble = undefined
    } catch (error) {
      this.#keep(error instanceof Error ? error.message : String(error))
    }
    this.#lookLater()
  }

  async #takeUp(material: TlsMaterial): Promise<void> {
    const fit = await fitToUse(material, this.#options)
    if (this.#isStopped) return
    this.#fit = fit
    for (const told of this.#toldMs.keys()) {
      if (!fit.certificates.some(({ fingerprint256 }) => fingerprint256 === told)) {
        this.#toldMs.delete(told)
      }
    }
    const [own] = fit.certificates
    this.#options.environment.logger.info(
      { fingerprint256: own?.fingerprint256, validTo: own?.validTo },
      `The files of \`tls\` have changed: new connections use the certificate that is valid until ${own?.validTo}.`,
    )
    this.#tellOfExpiry()
  }

  /** One file is often replaced before the other: only what is wrong twice is told. */
  #keep(text: string): void {
    const isAgain = this.#trouble?.text === text
    const isTold = isAgain && this.#trouble?.isTold === true
    this.#trouble = { text, isTold: isAgain }
    if (this.#isStopped || !isAgain || isTold) return
    this.#options.environment.logger.warn(
      { problem: text },
      `The files of \`tls\` have changed and cannot be used; this node goes on with what it had, valid until ${this.#fit.certificates[0]?.validTo}. ${text}`,
    )
  }

  // ---- expiry

  #lookAtExpiry(): void {
    if (this.#isStopped) return
    this.#tellOfExpiry()
    const { timers } = this.#options.environment
    this.#expiryTimer = timers.after(expiryLookMs, () => this.#lookAtExpiry())
  }

  #tellOfExpiry(): void {
    const { clock, logger } = this.#options.environment
    const nowMs = clock.wallMs()
    for (const certificate of this.#fit.certificates) {
      const { option, subject, validTo, fingerprint256 } = certificate
      const leftMs = this.#leftToWarnOf(certificate, nowMs)
      const toldMs = this.#toldMs.get(fingerprint256) ?? -Infinity
      // The wall clock may be set back.
      if (leftMs === undefined || Math.abs(nowMs - toldMs) < dayMs) continue
      this.#toldMs.set(fingerprint256, nowMs)
      const fields = { option, subject, validTo, fingerprint256 }
      const what = `The certificate ${subject} in \`${option}\``
      if (leftMs > 0) {
        const time =
          leftMs < 2 * dayMs
            ? `${Math.ceil(leftMs / minutes(60))} hours`
            : `${Math.floor(leftMs / dayMs)} days`
        logger.warn(
          fields,
          `${what} runs out in ${time}, on ${validTo}: then no new connection comes about by it. Renew it; files are read again by themselves.`,
        )
      } else {
        logger.error(
          fields,
          `${what} ran out on ${validTo}: no new connection comes about by it, and those that break stay so. Renew it; files are read again by themselves.`,
        )
      }
    }
  }

  /** Until it runs out; undefined when that is far away. */
  #leftToWarnOf({ validFromMs, validToMs }: OwnCertificate, nowMs: number): number | undefined {
    const { expiryWarningMs } = this.#options.settings
    const leftMs = validToMs - nowMs
    return leftMs <= Math.min(expiryWarningMs, (validToMs - validFromMs) / 3) ? leftMs : undefined
  }
}

function hasFiles({ ca, cert, key }: TlsOptions): boolean {
  return ![ca, cert, key].flat().every(isPem)
}
