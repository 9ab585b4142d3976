/** Leases by name: which implementation makes them, for whom, and each only once. */
import type { Chosen } from '../foundation/chosen.ts'
import { type Environment, problemsWithEnvironment } from '../foundation/environment.ts'
import { InvalidSettings, mustBeFunction } from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { systemEnvironment } from '../foundation/system-environment.ts'
import type { Lease, LeaseImplementation } from './lease.ts'
import { UnknownLeaseImplementation } from './lease-errors.ts'
import { type LeaseSettings, leaseSettings } from './lease-settings.ts'

/** Of all leases of a process. */
export interface LeasesOptions {
  /** Who asks, where a call does not say otherwise: `host:port#uid` of the node, or another text that no other process has. */
  readonly owner: string
  /** By names of your choice, such as `{ store: registerLeases(journal) }`. */
  readonly implementations: Readonly<Record<string, LeaseImplementation>>
  /** For all leases, where a call does not say otherwise. */
  readonly settings?: Partial<LeaseSettings>
  /** In place of the real clock, timers and logger. */
  readonly environment?: Chosen<Environment>
}

/** Of one lease. */
export interface LeaseOptions {
  /** Which one, by its name; may be left out where there is only one. */
  readonly implementation?: string
  readonly owner?: string
  readonly settings?: Partial<LeaseSettings>
}

/** The leases of one process. */
export class Leases {
  readonly #options: LeasesOptions
  readonly #environment: Environment
  readonly #leases = new Map<string, Lease>()

  constructor(options: LeasesOptions) {
    const problems = problemsWith(options)
    if (problems.length > 0) throw new InvalidSettings('The options of Leases', problems)
    // Settings that do not hold are refused here, not at first use.
    leaseSettings('any', options.settings)
    this.#options = options
    this.#environment = systemEnvironment(options.environment)
  }

  /** The same one for the same name, owner, implementation and settings. Throws when there can be none. */
  lease(name: string, options: LeaseOptions = {}): Lease {
    const { owner = this.#options.owner } = options
    const implementation = this.#implementationFor(options.implementation)
    const settings = leaseSettings(name, { ...this.#options.settings, ...options.settings })
    const key = JSON.stringify([implementation, name, owner, settings])
    const known = this.#leases.get(key)
    if (known !== undefined) return known
    const make = this.#options.implementations[implementation] as LeaseImplementation
    const lease = make({ name, owner, settings, environment: this.#environment })
    this.#leases.set(key, lease)
    return lease
  }

  /** @internal For checks that wait. */
  get environment(): Environment {
    return this.#environment
  }

  #implementationFor(chosen: string | undefined): string {
    const known = Object.keys(this.#options.implementations)
    const name = chosen ?? (known.length === 1 ? known[0] : undefined)
    if (name !== undefined && known.includes(name)) return name
    throw new UnknownLeaseImplementation(name, known)
  }
}

function problemsWith({ owner, implementations, environment }: LeasesOptions): string[] {
  const problems = [
    ...(typeof owner === 'string' && owner !== '' ? [] : ['owner must be a text']),
    ...problemsWithEnvironment(environment),
  ]
  if (!isRecord(implementations)) return [...problems, 'implementations must be an object']
  const each = Object.entries(implementations).flatMap(([name, make]) =>
    mustBeFunction(`implementations.${name}`, make),
  )
  return [...problems, ...each]
}
