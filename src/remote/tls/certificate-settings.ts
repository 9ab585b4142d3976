/** What can be tuned about the certificates of a node. */
import { minutes, seconds } from '../../foundation/duration.ts'
import { milliseconds } from '../../foundation/setting-kinds.ts'
import { SettingsTable } from '../../foundation/settings-table.ts'

export interface CertificateSettings {
  /**
   * How long before a certificate of this node, or one of its authorities, runs out the log warns of it: at the start, and
   * then once a day. Of one that lives shorter, its last third counts. Shorter leaves less time to renew it.
   */
  readonly expiryWarningMs: number
  /** How often the files of `tls` are looked at. Longer uses an old certificate, or refuses a new authority, for longer. */
  readonly reloadIntervalMs: number
}

const dayMs = minutes(24 * 60)

export const certificateSettingsTable = new SettingsTable<CertificateSettings>({
  expiryWarningMs: milliseconds(30 * dayMs),
  reloadIntervalMs: milliseconds(seconds(10)),
})
