/** Whether leases can be had at all: for the readiness check of a process that depends on them. */
import { formatMs, seconds } from '../foundation/duration.ts'
import type { LeaseOptions, Leases } from './leases.ts'

/** Which lease is tried, and for how long. */
export interface LeaseHealthOptions extends LeaseOptions {
  /** The lease that is tried; no other use should be made of it. */
  readonly name?: string
  /** How long one check waits for an answer. */
  readonly timeoutMs?: number
}

/**
 * A check that acquires a lease and gives it back: true when that went well, also when another had it just then, since
 * somebody answered; false when it failed, or took too long. Once it was true, it is not tried again: a process that has
 * leases is not taken out of service because their store is away for a moment.
 */
export function leaseHealth(
  leases: Leases,
  { name = 'health', timeoutMs = seconds(10), ...options }: LeaseHealthOptions = {},
): () => Promise<boolean> {
  let isHealthy = false
  let trying: Promise<boolean> | undefined
  const attempt = async (): Promise<boolean> => {
    const { logger, timers } = leases.environment
    try {
      const lease = leases.lease(name, options)
      const tried = lease.acquire().then((isHeld) => isHeld && lease.release())
      isHealthy = await inTime(tried, timeoutMs, timers)
    } catch (err) {
      logger.warn({ err, lease: name }, 'The check of leases has failed')
    } finally {
      trying = undefined
    }
    return isHealthy
  }
  return async () => isHealthy || (trying ??= attempt())
}

type Timers = Leases['environment']['timers']

/** True when it resolves; rejects when it does, or when time is up. */
function inTime(tried: Promise<unknown>, timeoutMs: number, timers: Timers): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`no answer within ${formatMs(timeoutMs)}`))
    const timer = timers.after(timeoutMs, late)
    tried.then(
      () => resolve(true),
      (error: Error) => reject(error),
    )
    const settled = (): void => timer.cancel()
    tried.then(settled, settled)
  })
}
