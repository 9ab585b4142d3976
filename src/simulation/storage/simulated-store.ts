/**
 * The database that all nodes of a simulation share: one store, one journal per life of a node. It is slow, it fails before
 * and after it has done what was asked, and what a node had sent before it died may still take effect long afterwards.
 */
import {
  type AppendBatch,
  type AppendResult,
  type Journal,
  MemoryJournal,
  MemoryStore,
  type StoredEvent,
} from '../../persistence/index.ts'
import { withChosen } from '../chosen-numbers.ts'
import type { Incarnation } from '../incarnation.ts'
import type { World } from '../world.ts'
import { SimulatedJournal } from './simulated-journal.ts'
import { type AcceptedAppend, StoreChecks } from './store-checks.ts'
import { calmStore, type StoreFaults } from './store-faults.ts'

/** The store that all nodes of a simulation share; it outlives them, is slow, and fails. */
export class SimulatedStore {
  /** @internal */
  readonly memory = new MemoryStore({ storeId: 'simulated' })
  /** @internal */
  readonly checks: StoreChecks
  /** @internal Set once: hears of every append that is accepted, in order. */
  onAppended: (batch: AppendBatch) => void = () => {}
  readonly #world: World
  #faults: StoreFaults = calmStore
  #handles = 0

  constructor(world: World) {
    this.#world = world
    this.checks = new StoreChecks((name, detail) => world.violate(name, detail))
  }

  /** From now on. What is not given is calm. Throws `InvalidSettings` for a fault that no store has. */
  setFaults(faults: Partial<StoreFaults>): void {
    this.#faults = withChosen('The faults of the store', faults, calmStore)
  }

  /** Every append that was accepted, in order. */
  get accepted(): readonly AcceptedAppend[] {
    return this.checks.accepted
  }

  /** What lies in the store, without delay and without faults: for checkers. */
  events(persistenceId: string): StoredEvent[] {
    return this.memory.events(persistenceId, 1, Number.MAX_SAFE_INTEGER)
  }

  /** @internal The store as this life sees it. */
  journalFor(life: Incarnation): Journal {
    const world = this.#world
    return new SimulatedJournal({
      journal: new MemoryJournal({ store: this.memory }),
      random: world.random(`store/${life.label}/${this.#handles++}`),
      faults: () => this.#faults,
      ground: {
        label: life.label,
        clock: life.clock,
        inStore: (delayMs, run) => void world.stage.appoint(delayMs, 'store', run),
        inNode: (delayMs, run) => void life.appoint(delayMs, 'stored', run),
        mayAct: (what) => life.mayAct(what),
        isAlive: () => life.isAlive,
        fault: (description) => world.fault(description, { kind: 'store', nodes: [life.name] }),
        stalled: (forMs) => world.trouble({ kind: 'store', nodes: [life.name], forMs }),
      },
      onClaimed: (persistenceId, claim) => {
        // First the story, so that it is whole when a check fails.
        world.story.claimed(persistenceId, life.label, claim)
        this.checks.claimed(persistenceId, claim, life.label)
      },
      onAppended: (batch, result) => this.#appended(batch, result, life, false),
      onDeleted: (batch, result) => this.#appended(batch, result, life, true),
      onDeletedTo: ({ persistenceId }, result) => {
        if (result.type !== 'EventsDeleted') return
        world.reach('the store deletes the first events of a stream')
        this.checks.deletedTo(persistenceId, result.deletedSequenceNr)
        this.checks.left(persistenceId, this.events(persistenceId))
      },
    })
  }

  #appended(
    batch: AppendBatch,
    result: AppendResult,
    life: Incarnation,
    deletesEarlier: boolean,
  ): void {
    const world = this.#world
    world.story.appended(batch, result, life.label, deletesEarlier)
    const by = { by: life.label, timeMs: world.clock.nowMs }
    this.checks.appended(batch, result, { ...by, deletesEarlier })
    if (deletesEarlier && result.type === 'Appended') {
      world.reach('the store deletes the events of a stream')
      this.checks.left(batch.persistenceId, this.events(batch.persistenceId))
    }
    if (result.type === 'Appended') return this.onAppended(batch)
    world.reach(`the store refuses a write: ${result.type}`)
    const { persistenceId, epoch } = batch
    world.note(life, 'refused', `${result.type}: ${persistenceId}, epoch ${epoch}`)
  }
}
