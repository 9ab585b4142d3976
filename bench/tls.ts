/**
 * Benchmark `tls`: what encryption costs. The questions of `remote-ask` over TLS 1.3 with a certificate at either end, and
 * over plain TCP in the same run.
 */
import { Authority } from '../test/remote/certificates.ts'
import type { Benchmark } from './benchmark.ts'
import { inFlightCases } from './callers.ts'
import { measure } from './harness.ts'
import { askOurs } from './remote-ask.ts'

export const tls: Benchmark = {
  name: 'tls',
  summary:
    'questions answered per second by an actor of another process, encrypted and in the clear',
  async run() {
    const authority = new Authority()
    const credentials = () => authority.credentials({ dnsNames: ['bench'] })
    const rows = []
    for (const [name, inFlight] of inFlightCases) {
      rows.push(
        await measure({
          name,
          unit: 'asks/s',
          operationsStep: inFlight,
          contestants: [
            { name: 'ours', setUp: () => askOurs(inFlight, credentials) },
            { name: 'plain', setUp: () => askOurs(inFlight) },
          ],
        }),
      )
    }
    return rows
  },
}
