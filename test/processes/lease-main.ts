/**
 * A process of its own that wants one lease on a shared LMDB store, again and again, and says on standard output `held TOKEN`
 * when it gets it and `lost REASON` when it has lost it. For every line that it is told it answers `used TOKEN`, or `used no`
 * when it does not hold the lease.
 *
 *   node test/processes/lease-main.ts FOLDER OWNER TTL_MS
 */
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { Leases, registerLeases } from '../../src/lease/index.ts'
import { LmdbJournal } from '../../src/persistence/index.ts'

const [folder = '', owner = '', ttl = ''] = process.argv.slice(2)
const ttlMs = Number(ttl)
const say = (line: string): void => void writeSync(1, `${line}\n`)

const journal = await LmdbJournal.open({ folder })
const leases = new Leases({
  owner,
  implementations: { store: registerLeases(journal) },
  settings: { ttlMs, renewIntervalMs: ttlMs / 8, operationTimeoutMs: ttlMs / 2.5 },
})
const lease = leases.lease('job')

createInterface(process.stdin).on('line', () => {
  say(`used ${lease.checkLease() ? lease.fenceToken : 'no'}`)
})

for (let told: number | undefined; ; await delay(20)) {
  // A store that another holds up for a moment is tried again.
  await lease.acquire(({ reason }) => say(`lost ${reason}`)).catch(() => false)
  const token = lease.fenceToken
  if (token !== undefined && token !== told) say(`held ${token}`)
  told = token ?? told
}
