/**
 * Decides splits by a lease: whoever has it goes on. For the strategy lease-majority; the shell asks it. Where the lease has a note,
 * that remembers whom it was decided against.
 */
import type { ActorSystem } from '../../actor/index.ts'
import { formatMs } from '../../foundation/duration.ts'
import type { Logger } from '../../foundation/logger.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Timers } from '../../foundation/timers.ts'
import { type Lease, type LeaseImplementation, type LeaseNote, Leases } from '../../lease/index.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { defaultDataCenter } from '../gossip/member.ts'
import type { DowningSettings, LeaseMajoritySettings } from './downing-settings.ts'
import { strategyOf } from './downing-strategies.ts'
import type { Arbiter, DowningStrategy } from './downing-strategy.ts'
import { giveUp } from './given-up-note.ts'
import { withRecord } from './lease-majority.ts'

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
  const arbiter = leaseArbiter(lease, log)
  const { note } = lease
  if (note === undefined) return { ...strategy, arbiter }
  const recorder = { lease, note, owner, timers: environment.timers }
  return { ...withRecord(strategy), arbiter: recording(arbiter, recorder) }
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

interface Recorder {
  readonly lease: Lease
  readonly note: LeaseNote
  readonly owner: NodeId
  readonly timers: Timers
}

/** The store may take its time for each of a few calls. */
const patience = 3

function recording(arbiter: Arbiter, { lease, note, owner, timers }: Recorder): Arbiter {
  return {
    ...arbiter,
    giveUp: async (nodes) => {
      let isLate = false
      const shown = giveUp(note, { self: owner, nodes, isLate: () => isLate })
      const all = await inTime(shown, lease.settings.operationTimeoutMs * patience, {
        timers,
        late: () => (isLate = true),
      })
      // Whoever has lost ends: others need not wait for what it has got since.
      if (all.includes(owner) && lease.checkLease()) arbiter.isOver?.()
      return all
    },
  }
}

function inTime<Answer>(
  answer: Promise<Answer>,
  ms: number,
  { timers, late }: { readonly timers: Timers; readonly late: () => void },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = timers.after(ms, () => {
      late()
      reject(new Error(`no answer within ${formatMs(ms)}`))
    })
    answer.then(resolve, reject).finally(() => timer.cancel())
  })
}
