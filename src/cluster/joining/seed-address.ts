/** Which texts can be the address of a node to join. */
import { type Address, hostAndPortOf } from '../../remote/index.ts'

const addressForm = /^(\[[0-9a-fA-F:.]+\]|[^\s/#@:[\]]{1,250}):\d{1,5}$/

export function isSeedAddress(address: unknown): address is Address {
  if (typeof address !== 'string' || !addressForm.test(address)) return false
  const { host, port } = hostAndPortOf(address)
  // Resolvers refuse names that end like this only after a long wait.
  return port >= 1 && port <= 65_535 && !/_[^.]*$/.test(host)
}
