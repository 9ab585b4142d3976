/** What must be true of leases, whoever holds them and whatever happens: asked at every step, and told by the workers. */
import type { Lease } from '../../../src/lease/index.ts'
import { leaseOfBytes, type LeaseRecord, registerOfLease } from '../../../src/lease/internals.ts'
import type { Simulation } from '../../../src/simulation/index.ts'

export const places = {
  taken: 'a lease is taken from a holder that was silent',
  takenAtOnce: 'a lease is taken from a process that is proven to have ended',
  lost: 'a holder hears that its lease was lost',
  released: 'a lease is given back',
  refused: 'a stale write is refused by its token',
  unknown: 'an acquire ends without an answer',
  slept: 'a holder that slept sees that its lease is over before it is told',
}

export const leasePlaces: readonly string[] = Object.values(places)

/** A lease as one life of a node has it. */
export interface WatchedLease {
  readonly lease: Lease
  /** Whether its process lives; a paused one does. */
  readonly isAlive: () => boolean
}

export class LeaseLedger {
  readonly #simulation: Simulation
  readonly #watched = new Map<string, WatchedLease[]>()
  /** The highest that anybody was told, by name of the lease. */
  readonly #tokens = new Map<string, number>()
  /** Who has it, until it is given back, and when that was last shown. */
  readonly #holders = new Map<string, { readonly lease: Lease; usedAt: number }>()
  /** The highest that a protected resource has seen. */
  readonly #seen = new Map<string, number>()

  readonly #wallSteps = new Map<string, number>()

  constructor(simulation: Simulation, names: readonly string[]) {
    this.#simulation = simulation
    for (const name of names) {
      this.#watched.set(name, [])
      simulation.always(
        `S1b: one holder of ${name} at a time`,
        () => this.holdersOf(name).length < 2,
      )
    }
  }

  /** How often the wall clock of that node was set. */
  wallStepsOf(node: string): number {
    return this.#wallSteps.get(node) ?? 0
  }

  stepsWall(node: string, ms: number): void {
    this.#wallSteps.set(node, this.wallStepsOf(node) + 1)
    this.#simulation.stepWallClock(node, ms)
  }

  watch(watched: WatchedLease): void {
    const all = this.#watched.get(watched.lease.name) ?? []
    this.#watched.set(watched.lease.name, [...all.filter(({ isAlive }) => isAlive()), watched])
  }

  holdersOf(name: string): Lease[] {
    const all = this.#watched.get(name) ?? []
    return all.flatMap(({ lease, isAlive }) => (isAlive() && lease.checkLease() ? [lease] : []))
  }

  /** Somebody was told that it has the lease, which it had not before. */
  granted(lease: Lease): void {
    const { name, owner, fenceToken } = lease
    if (fenceToken === undefined) return
    const last = this.#tokens.get(name) ?? 0
    const detail = `${owner} was granted ${name} with token ${fenceToken} after ${last}`
    this.#simulation.check('S6: the token grows with every grant', fenceToken > last, detail)
    this.#tokens.set(name, fenceToken)
    const former = this.#holders.get(name)
    if (former !== undefined && former.lease !== lease) {
      const isSoon = this.#simulation.now - former.usedAt < lease.settings.ttlMs / 2
      this.#simulation.reached(isSoon ? places.takenAtOnce : places.taken)
    }
    this.#holders.set(name, { lease, usedAt: this.#simulation.now })
    this.#simulation.record(`${owner} has ${name}, token ${fenceToken}`)
    this.used(lease)
  }

  /** Somebody is about to act by the lease. */
  used(lease: Lease): void {
    const { name, owner, fenceToken } = lease
    if (fenceToken === undefined) return
    const holder = this.#holders.get(name)
    if (holder?.lease === lease) holder.usedAt = this.#simulation.now
    const isThere = this.standsThere(lease, fenceToken)
    const detail = `${owner} has token ${fenceToken} of ${name}, and the store says ${JSON.stringify(this.#recordOf(name))}`
    this.#simulation.check('S6: who holds a lease stands in the store', isThere, detail)
  }

  /** Whether the store says that it is held by this one, under this token. */
  standsThere({ name, owner }: Lease, token: number): boolean {
    const record = this.#recordOf(name)
    return record?.holder?.owner === owner && record.token === token
  }

  #recordOf(name: string): LeaseRecord | undefined {
    const register = this.#simulation.store.memory.readRegister(registerOfLease(name))
    return register && leaseOfBytes(register.bytes)
  }

  released({ name }: Lease): void {
    this.#holders.delete(name)
    this.#simulation.reached(places.released)
  }

  /** What was sent by a holder arrives at a resource that looks at the token. */
  arrived(name: string, fenceToken: number): void {
    const seen = this.#seen.get(name) ?? 0
    if (fenceToken < seen) this.#simulation.reached(places.refused)
    this.#seen.set(name, Math.max(seen, fenceToken))
  }
}
