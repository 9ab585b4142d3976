/** Decides splits by a lease: whoever has it goes on. For the strategy lease-majority; the shell asks it. */
import type { ActorSystem } from '../../actor/index.ts'
import type { Logger } from '../../foundation/logger.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { type Lease, type LeaseImplementation, Leases } from '../../lease/index.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { defaultDataCenter } from '../gossip/member.ts'
import type { DowningSettings, LeaseMajoritySettings } from './downing-settings.ts'
import { strategyOf } from './downing-strategies.ts'
import type { Arbiter, DowningStrategy } from './downing-strategy.ts'

export interface ArbiterParts {
  readonly system: ActorSystem
  readonly owner: NodeId
  /** Where the settings do not say what makes the lease. */
  readonly leases: LeaseImplementation | undefined
  /** Whether this node uses a store that all hosts share, and can ask it. */
  readonly asksStore: boolean
}

/** The strategy that the settings name, with its arbiter where it has one. */
export function arbitrated(
  settings: ClusterSettings,
  { system, owner, leases, asksStore }: ArbiterParts,
): DowningStrategy {
  const strategy = strategyOf(settings, asksStore)
  const { downing } = settings
  if (downing.strategy !== 'lease-majority') return strategy
  const { environment, log, name } = system
  const implementations = { split: (downing.lease ?? leases) as LeaseImplementation }
  const lease = new Leases({ owner, implementations, environment }).lease(
    leaseNameOf(downing, name, settings.dataCenter),
  )
  return { ...strategy, arbiter: leaseArbiter(lease, log) }
}

/** Empty when all is well. */
export function problemsWithLease(
  downing: DowningSettings,
  leases: LeaseImplementation | undefined,
): string[] {
  const isWanted = downing?.strategy === 'lease-majority'
  if (!isWanted || (downing.lease ?? leases) !== undefined) return []
  return [
    'downing.lease is needed by lease-majority: the store of this node has no registers in which a lease could stand',
  ]
}

/** Of the lease that decides the splits of this cluster; each data center has its own, since each decides for itself. */
export function leaseNameOf(
  { leaseName = '' }: Pick<LeaseMajoritySettings, 'leaseName'>,
  clusterName: string,
  dataCenter: string = defaultDataCenter,
): string {
  const name = leaseName.trim() === '' ? `${clusterName}-split` : leaseName
  return dataCenter === defaultDataCenter ? name : `${name}-${dataCenter}`
}

function leaseArbiter(lease: Lease, log: Logger): Arbiter {
  return {
    // Whoever still holds it from the last split need not ask. Rejects when nobody can tell: then nobody is given up.
    decide: async () =>
      lease.checkLease() || (await lease.acquire()) ? 'DownUnreachable' : 'DownReachable',
    isOver: () => {
      lease.release().catch((err: unknown) => {
        log.warn(
          { err, lease: lease.name },
          'The lease that decided a split could not be given back; it frees itself in time.',
        )
      })
    },
  }
}
