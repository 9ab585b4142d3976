/** Asks the name servers of this machine where nodes are. */
import { Resolver } from 'node:dns/promises'
import { seconds } from '../../../foundation/duration.ts'
import { addressOf } from '../../../foundation/node-id.ts'
import type { Discovery } from './discovery.ts'
import type { DnsDiscovery } from './discovery-options.ts'

/** Not that of the machine, which asks through the few threads that also serve files. */
const questionTimeoutMs = seconds(1)
const tries = 2

/** Both say that the name has no such records, as before the first node is there. Whether it is a wrong one they do not say. */
const nobody: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA'])

/** What is asked of name servers. */
export type NameServers = Pick<Resolver, 'resolve4' | 'resolve6' | 'resolveSrv'>

/** `ownPort` is that of this node, for records that have none. */
export function dnsDiscovery(
  options: DnsDiscovery,
  ownPort: number,
  servers: NameServers = new Resolver({ timeout: questionTimeoutMs, tries }),
): Discovery {
  const { dns, records = 'A', port = ownPort, requiredNodes } = options
  const resolve = {
    A: async () => (await servers.resolve4(dns)).map((host) => addressOf(host, port)),
    AAAA: async () => (await servers.resolve6(dns)).map((host) => addressOf(host, port)),
    SRV: async () =>
      (await servers.resolveSrv(dns)).map((record) =>
        addressOf(record.name.replace(/\.$/, '').toLowerCase(), record.port),
      ),
  }[records]
  const lookUp = async (): Promise<readonly string[]> => {
    try {
      return await resolve()
    } catch (error) {
      if (nobody.has((error as { readonly code?: unknown }).code)) return []
      throw error
    }
  }
  return { name: `${dns} (${records})`, requiredNodes, lookUp }
}
