/** The chaos scenarios over a network of hosts, each a network namespace. */
import type { Scenario } from '../scenario.ts'
import { netAddress } from './net-address.ts'
import { netDelay } from './net-delay.ts'
import { netKill } from './net-kill.ts'
import { netLink } from './net-link.ts'
import { netLoss } from './net-loss.ts'
import { netOneWay } from './net-one-way.ts'
import { netPartition } from './net-partition.ts'
import { netRandom } from './net-random.ts'

export const netScenarios: readonly Scenario[] = [
  ...[netLoss, netDelay, netPartition, netOneWay, netLink, netAddress, netKill, netRandom],
]
