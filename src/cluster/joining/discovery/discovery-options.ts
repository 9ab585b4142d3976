/** How users say where nodes find each other, and what is wrong with what they said. */
import {
  type Check,
  maybe,
  mustBe,
  mustBeFunction,
  problemsWithOptions,
} from '../../../foundation/invalid-settings.ts'
import { isRecord } from '../../../foundation/is-object.ts'
import { show } from '../../../foundation/show.ts'

interface RequiredNodes {
  /**
   * How many nodes must have found each other before one of them founds a cluster, and must have joined it before anybody is let
   * in. The same on every node, and more than half of those that are ever started together: then two halves that do not
   * find each other never become two clusters. More lets a first start wait for all of them; 1 only where there is one node.
   */
  readonly requiredNodes: number
}

/** Nodes by the records of a name, such as that of a headless service of Kubernetes. */
export interface DnsDiscovery extends RequiredNodes {
  /** In full, as in `shop.default.svc.cluster.local`: search domains and /etc/hosts are not heeded. */
  readonly dns: string
  /**
   * `A`, when not given, or `AAAA`: the IP addresses of nodes, all on the same port. One of them alone: a node that was found
   * by two addresses would be waited for at both. `SRV`: host names with their ports.
   */
  readonly records?: 'A' | 'AAAA' | 'SRV' | undefined
  /** Of all nodes, for `A` and `AAAA`: that of this node when not given. */
  readonly port?: number | undefined
}

/** Nodes by whatever a function of yours finds, such as the instances of a group in the cloud. */
export interface OwnDiscovery extends RequiredNodes {
  /** `host:port` of all nodes that there are, this one included, as others reach them. Called about once a second while the node joins. */
  readonly lookUp: () => Promise<readonly string[]>
}

export type DiscoveryOptions = DnsDiscovery | OwnDiscovery

/** Labels of letters, digits, hyphens and, as in names of services, underscores. */
const nameForm = /^(?=.{1,253}\.?$)([\w-]{1,63}\.)*[\w-]{1,63}\.?$/

const requiredNodes: Check = mustBe(
  'a whole number of at least 1, more than half of the nodes that are started together',
  (given) => Number.isSafeInteger(given) && (given as number) >= 1,
)

const ofDns = {
  dns: mustBe(
    "the full name of a service in DNS, such as 'shop.default.svc.cluster.local'",
    (given) => typeof given === 'string' && nameForm.test(given),
  ),
  records: maybe(
    mustBe("'A', 'AAAA' or 'SRV'", (given) => ['A', 'AAAA', 'SRV'].includes(given as string)),
  ),
  port: maybe(
    mustBe(
      'a whole number from 1 to 65535',
      (given) => Number.isInteger(given) && (given as number) >= 1 && (given as number) <= 65_535,
    ),
  ),
  requiredNodes,
} satisfies Record<keyof DnsDiscovery, Check>

const ofOwn = { lookUp: mustBeFunction, requiredNodes } satisfies Record<keyof OwnDiscovery, Check>

/** `ownPort` is that of the node, 0 or undefined where the system chooses it. */
export function problemsWithDiscovery(name: string, given: unknown, ownPort: unknown): string[] {
  if (!isRecord(given)) {
    return [
      `${name} must be an object such as { dns: 'shop.default.svc.cluster.local', requiredNodes: 2 }, not ${show(given)}`,
    ]
  }
  const isOwn = given['lookUp'] !== undefined
  const problems = problemsWithOptions(given, isOwn ? ofOwn : ofDns)
  const needsPort = !isOwn && given['records'] !== 'SRV' && given['port'] === undefined
  if (needsPort && !(typeof ownPort === 'number' && ownPort > 0)) {
    problems.push('port is needed: all nodes found by A or AAAA records listen on the same one')
  }
  return problems.map((problem) => `${name}.${problem}`)
}
