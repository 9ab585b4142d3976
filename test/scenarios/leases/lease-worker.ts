/** One life of a node that wants leases, acts by those it has, and gives one back now and then, on a clock that errs. */
import type { Environment } from '../../../src/foundation/environment.ts'
import {
  type Lease,
  type LeaseLoss,
  type LeaseSettings,
  Leases,
  registerLeases,
} from '../../../src/lease/index.ts'
import { hasRegisters } from '../../../src/persistence/index.ts'
import type { SeededRandom, SimulatedNode, Simulation } from '../../../src/simulation/index.ts'
import { ConfirmedWrites } from './confirmed-writes.ts'
import { type LeaseLedger, places } from './lease-ledger.ts'

export const leaseSettings: LeaseSettings = {
  ttlMs: 1_000,
  renewIntervalMs: 150,
  operationTimeoutMs: 400,
  clockDriftMax: 0.05,
}

export interface WorkerParts {
  readonly simulation: Simulation
  readonly ledger: LeaseLedger
  readonly names: readonly string[]
  readonly node: SimulatedNode
  readonly random: SeededRandom
}

/** What a worker knows of one lease. */
interface Wanted {
  readonly lease: Lease
  isAsking: boolean
  /** The token of the grant that it was told of, until it is lost or given back. */
  told: number | undefined
}

/** How long what a holder sends is on its way to the resource that the lease protects, at most. */
const WRITE_MAX_MS = 3_000

export class LeaseWorker {
  readonly #parts: WorkerParts
  readonly #environment: Environment
  readonly #wanted: readonly Wanted[]
  readonly #writes: ConfirmedWrites

  constructor(parts: WorkerParts) {
    const { node, names, ledger } = parts
    this.#parts = parts
    this.#environment = node.environment
    const { journal } = node
    if (!hasRegisters(journal)) throw new Error('The simulated store has registers.')
    this.#writes = new ConfirmedWrites({
      ...{ registers: journal, clock: this.#environment.clock, settings: leaseSettings },
      shocks: () => node.pauseCount + ledger.wallStepsOf(node.name),
    })
    const leases = new Leases({
      owner: node.label,
      implementations: { store: registerLeases(this.#writes) },
      settings: leaseSettings,
      environment: this.#environment,
    })
    this.#wanted = names.map((name) => {
      const lease = leases.lease(name)
      ledger.watch({ lease, isAlive: () => node.isAlive })
      return { lease, isAsking: false, told: undefined }
    })
  }

  goOn(): void {
    this.#environment.timers.after(20 + this.#parts.random.below(200), () => {
      for (const wanted of this.#wanted) this.#attendTo(wanted)
      this.goOn()
    })
  }

  #attendTo(wanted: Wanted): void {
    const { lease } = wanted
    const { random, simulation } = this.#parts
    if (lease.checkLease()) this.#use(lease)
    else if (wanted.told !== undefined) simulation.reached(places.slept)
    if (wanted.isAsking) return
    if (wanted.told !== undefined && random.chance(0.05)) this.#release(wanted)
    else if (!lease.checkLease() || random.chance(0.1)) this.#acquire(wanted)
  }

  #use(lease: Lease): void {
    const { ledger, random, simulation } = this.#parts
    const { name, fenceToken } = lease
    ledger.used(lease)
    if (fenceToken === undefined) return
    simulation.after(random.below(WRITE_MAX_MS), () => ledger.arrived(name, fenceToken))
  }

  #acquire(wanted: Wanted): void {
    const { ledger, simulation } = this.#parts
    const { lease } = wanted
    wanted.isAsking = true
    let isTold = false
    const asked = lease.acquire((loss) => {
      simulation.check(
        'a loss is told after the grant, and once',
        isTold && wanted.told !== undefined,
      )
      this.#lost(wanted, loss)
      wanted.told = undefined
      simulation.reached(places.lost)
    })
    asked
      .then((isHeld) => {
        isTold = true
        if (!isHeld || wanted.told === lease.fenceToken) return
        wanted.told = lease.fenceToken
        ledger.granted(lease)
      })
      .catch(() => simulation.reached(places.unknown))
      .finally(() => (wanted.isAsking = false))
  }

  /** Nobody takes a lease from itself: not for one renewal that failed, and not for a write of its own. */
  #lost({ lease, told, isAsking }: Wanted, { reason, detail }: LeaseLoss): void {
    const { ledger, simulation } = this.#parts
    if (reason === 'taken') {
      const isOwn = told !== undefined && ledger.standsThere(lease, told)
      simulation.check('L4: a lease that was taken is that of another', !isOwn, detail)
      return
    }
    // Whoever asks anew after a sleep stops first, however long it had.
    const isEarly = !isAsking && this.#writes.isValid(lease.name)
    simulation.check('L4: a lease is not lost before its time', !isEarly, detail)
  }

  #release(wanted: Wanted): void {
    const { ledger, simulation } = this.#parts
    wanted.isAsking = true
    wanted.told = undefined
    const released = wanted.lease.release()
    simulation.check('what is being given back is not held', !wanted.lease.checkLease())
    released
      .then((wasHeld) => wasHeld && ledger.released(wanted.lease))
      .catch(() => simulation.reached(places.unknown))
      .finally(() => (wanted.isAsking = false))
  }
}
