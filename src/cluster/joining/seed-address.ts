/** Which texts can be the address of a node to join. */
import { type Address, isAddress } from '../../foundation/node-id.ts'
import { InvalidAddress } from '../cluster-errors.ts'

/** A host with colons stands in brackets; without, what follows the first colon would be taken for the port. */
const seedForm = /^(\[[0-9a-fA-F:.]+\]|[^:[\]]+):\d+$/

/** Resolvers refuse names that end like this only after a long wait. */
const endsLikeNoName = /_[^.]*:\d+$/

export function isSeedAddress(address: unknown): address is Address {
  return isAddress(address) && seedForm.test(address) && !endsLikeNoName.test(address)
}

export function refuseBadAddress(address: Address): void {
  if (!isSeedAddress(address)) throw new InvalidAddress(String(address))
}
