/** Where nodes find each other when nobody has written their addresses down: a name of DNS, or a function of the user's. */
import { type Address, compareAddresses } from '../../../foundation/node-id.ts'
import { clip, escapeControls } from '../../../foundation/text.ts'
import { show } from '../../../foundation/show.ts'
import { isSeedAddress } from '../seed-address.ts'
import type { DiscoveryAnswer, LookUp } from './discovery-inputs.ts'

/** More are no cluster of ours: an answer of that size is taken for a mistake. */
const addressesMax = 5_000

/** How a node asks where others are. */
export interface Discovery {
  /** What is asked, for the log. */
  readonly name: string
  readonly requiredNodes: number
  /** `host:port` of all nodes that there are, this one included, as each of them is known to others. */
  readonly lookUp: () => Promise<readonly string[]>
}

/** Asks, and makes an answer of whatever comes of it. Never rejects. */
export async function lookUp(discovery: Discovery, { number }: LookUp): Promise<DiscoveryAnswer> {
  const failed = (problem: string): DiscoveryAnswer => ({
    ...{ type: 'NotDiscovered', number },
    problem: clip(escapeControls(problem), 300),
  })
  try {
    const found: unknown = await discovery.lookUp()
    if (!Array.isArray(found)) return failed(`it gave ${show(found)}, and not a list of host:port`)
    const list: readonly unknown[] = found
    const strange = list.filter((each) => !isSeedAddress(each))
    if (strange.length > 0) return failed(`it gave ${show(strange[0])}, which is not a host:port`)
    if (list.length > addressesMax) return failed(`it gave ${list.length} addresses`)
    const addresses = [...new Set(list as readonly Address[])].sort(compareAddresses)
    return { type: 'Discovered', number, addresses }
  } catch (error) {
    return failed(error instanceof Error ? error.message : show(error))
  }
}
