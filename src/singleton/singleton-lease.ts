/** The lease of a singleton: what it is called, and what makes it. */
import { defaultDataCenter } from '../cluster/internals.ts'
import type { Environment } from '../foundation/environment.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { show } from '../foundation/show.ts'
import { type Lease, type LeaseImplementation, Leases } from '../lease/index.ts'
import type { SingletonLeaseOptions } from './start-singleton-options.ts'

interface LeasedSingleton {
  /** The name of the system, which is that of the cluster. */
  readonly system: string
  /** Of the actor that keeps it. */
  readonly path: string
  /** Each has an instance of its own. */
  readonly dataCenter: string
}

function singletonLeaseName({ system, path, dataCenter }: LeasedSingleton): string {
  // No name of a data center has a slash in it.
  return `${system}-singleton-${dataCenter === defaultDataCenter ? '' : dataCenter}${path}`
}

interface SingletonLeaseRequest extends LeasedSingleton {
  readonly name: string
  readonly owner: string
  readonly chosen: boolean | SingletonLeaseOptions | undefined
  /** Where the choice does not say; undefined for a store without registers. */
  readonly implementation: LeaseImplementation | undefined
  readonly environment: Environment
}

/** Undefined for one without a lease. Throws when there can be none. */
export function singletonLease(request: SingletonLeaseRequest): Lease | undefined {
  const { chosen = false, owner, environment } = request
  if (chosen === false) return undefined
  const { implementation = request.implementation, settings } = chosen === true ? {} : chosen
  if (implementation === undefined) {
    throw new InvalidSettings(`The singleton ${show(request.name)}`, [
      'lease needs a store with registers, and this node has none: give lease.implementation',
    ])
  }
  const leases = new Leases({
    ...{ owner, environment, implementations: { singleton: implementation } },
    ...(settings !== undefined && { settings }),
  })
  return leases.lease(singletonLeaseName(request))
}
