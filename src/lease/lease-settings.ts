/** What can be tuned about leases, and what each choice costs. */
import { seconds } from '../foundation/duration.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { milliseconds, millisecondsOr, number } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'
import { show } from '../foundation/show.ts'

/** What can be tuned about a lease. */
export interface LeaseSettings {
  /**
   * How long a lease outlives its last renewal. Others wait that long after a holder that has vanished, so shorter is
   * quicker; and a holder that cannot reach the store for that long has lost it, so longer rides out more.
   */
  readonly ttlMs: number
  /**
   * How often the holder renews. `'by-ttl'` is a tenth of `ttlMs`, at least 5 s, and never later than a third of `ttlMs`, so
   * that a renewal that fails can be tried again. What is set is kept as it is. More often costs the store more.
   */
  readonly renewIntervalMs: number | 'by-ttl'
  /** How long `acquire` and `release` wait for the store before they reject, and a renewal before it is tried again. */
  readonly operationTimeoutMs: number
  /**
   * By what part the monotonic clock of a machine may run too fast or too slow. The holder stops so much earlier and others
   * wait so much longer. Equal on all nodes, and more than any clock errs, or two may hold a lease for a moment.
   */
  readonly clockDriftMax: number
}

const intervalMinMs = seconds(5)

const leaseSettingsTable = new SettingsTable<LeaseSettings>(
  {
    ttlMs: milliseconds(seconds(120)),
    renewIntervalMs: millisecondsOr('by-ttl'),
    operationTimeoutMs: milliseconds(seconds(5)),
    clockDriftMax: number(0.05, 'from 0 to 0.4', (value) => value >= 0 && value <= 0.4),
  },
  [
    '{renewIntervalMs} must be less than half of {ttlMs}, or one late renewal loses the lease',
    '{operationTimeoutMs} must be less than half of {ttlMs}, or a slow answer brings a lease that is already over',
  ],
  (settings) => ({ renewIntervalMs: renewIntervalMsOf(settings) }),
)

/** What holds where nothing was chosen. */
export const defaultLeaseSettings = leaseSettingsTable.defaults

/** The interval that these settings come to. */
export function renewIntervalMsOf({
  ttlMs,
  renewIntervalMs,
}: Pick<LeaseSettings, 'ttlMs' | 'renewIntervalMs'>): number {
  if (renewIntervalMs !== 'by-ttl') return renewIntervalMs
  return Math.min(Math.max(ttlMs / 10, intervalMinMs), ttlMs / 3)
}

/** How long after its last renewal was sent a holder may act. */
export function validMsOf({ ttlMs, clockDriftMax }: LeaseSettings): number {
  return ttlMs * (1 - clockDriftMax)
}

/** Settings for the lease of this name, with defaults for what is not given. Throws `InvalidSettings` with all problems. */
export function leaseSettings(name: string, chosen?: Partial<LeaseSettings>): LeaseSettings {
  const settings = leaseSettingsTable.complete(chosen)
  const problems = leaseSettingsTable.problemsWith(settings)
  if (problems.length > 0) {
    throw new InvalidSettings(`The settings of the lease ${show(name)}`, problems)
  }
  return settings
}
