/**
 * The database that all nodes of a simulation share: one store, one journal per life of a node. It is slow, it fails before
 * and after it has done what was asked, and what a node had sent before it died may still take effect long afterwards.
 */
import { MemoryStore } from '../../persistence/index.ts'
import type { AppendBatch, Journal, StoredEvent } from '../../persistence/index.ts'
import type { Incarnation } from '../incarnation.ts'
import type { World } from '../world.ts'
import { SimulatedJournal } from './simulated-journal.ts'
import { type AcceptedAppend, StoreChecks } from './store-checks.ts'

/** How slow the store is, and how often it fails. */
export interface StoreFaults {
  /** How long a call takes on average until it takes effect, and again until it answers. */
  readonly latencyMeanMs: number
  /** The part of calls that take up to `stallMaxMs` more. */
  readonly stallChance: number
  readonly stallMaxMs: number
  /** The part of calls that fail and do nothing. */
  readonly failsBefore: number
  /** The part of writes that fail although they took effect, and as many that fail without. */
  readonly failsUnknown: number
}

const calmStore: StoreFaults = {
  latencyMeanMs: 1,
  stallChance: 0,
  stallMaxMs: 0,
  failsBefore: 0,
  failsUnknown: 0,
}

/** The store that all nodes of a simulation share; it outlives them, is slow, and fails. */
export class SimulatedStore {
  readonly memory = new MemoryStore({ storeId: 'simulated' })
  readonly world: World
  readonly checks: StoreChecks
  /** Set once: hears of every append that is accepted, in order. */
  onAppended: (batch: AppendBatch) => void = () => {}
  #faults: StoreFaults = calmStore
  #handles = 0

  constructor(world: World) {
    this.world = world
    this.checks = new StoreChecks((name, detail) => world.violate(name, detail))
  }

  /** From now on. What is not given is calm. */
  setFaults(faults: Partial<StoreFaults>): void {
    this.#faults = { ...calmStore, ...faults }
  }

  get faults(): StoreFaults {
    return this.#faults
  }

  /** Every append that was accepted, in order. */
  get accepted(): readonly AcceptedAppend[] {
    return this.checks.accepted
  }

  /** What lies in the store, without delay and without faults: for checkers. */
  events(persistenceId: string): StoredEvent[] {
    return this.memory.events(persistenceId, 1, Number.MAX_SAFE_INTEGER)
  }

  /** The store as this life sees it. */
  journalFor(life: Incarnation): Journal {
    const random = this.world.random(`store/${life.label}/${this.#handles++}`)
    return new SimulatedJournal(this, life, random)
  }

  fault(description: string): void {
    this.world.fault(description, 'store')
  }
}
