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
import { type Duration, formatMs, toMs } from '../../foundation/duration.ts'
import { withChosen } from '../chosen-numbers.ts'
import type { Incarnation } from '../incarnation.ts'
import type { World } from '../world.ts'
import type { StoreCondition } from './call-fate.ts'
import type { JournalWatcher } from './journal-watcher.ts'
import { SimulatedJournal } from './simulated-journal.ts'
import { StateChecks } from './state-checks.ts'
import { type AcceptedAppend, StoreChecks } from './store-checks.ts'
import { calmStore, type StoreFaults } from './store-faults.ts'

interface AskedWrites {
  asked(label: string, persistenceId: string, epoch: number): void
  claimed(label: string, persistenceId: string, epoch: number): void
}

/** The store that all nodes of a simulation share; it outlives them, is slow, and fails. */
export class SimulatedStore {
  /** @internal */
  readonly memory = new MemoryStore({ storeId: 'simulated' })
  /** @internal */
  readonly checks: StoreChecks
  /** @internal */
  readonly stateChecks: StateChecks
  /** @internal Set once: hears of every append that is accepted, in order. */
  onAppended: (batch: AppendBatch) => void = () => {}
  /** @internal Set once: as above, and whether all before it was deleted. */
  onHistory: (batch: AppendBatch, deletesEarlier: boolean) => void = () => {}
  /** @internal Set once: hears of every write of events that a living node asks for, and of every claim that it was given. */
  writes: Partial<AskedWrites> = {}
  readonly #world: World
  #faults: StoreFaults = calmStore
  readonly #journals = new Set<SimulatedJournal>()
  #handles = 0
  #isFull = false
  #downUntilMs = 0

  constructor(world: World) {
    this.#world = world
    const violate = (name: string, detail: string): void => world.violate(name, detail)
    this.checks = new StoreChecks(violate)
    this.stateChecks = new StateChecks(violate)
  }

  /** From now on. What is not given is calm. Throws `InvalidSettings` for a fault that no store has. */
  setFaults(faults: Partial<StoreFaults>): void {
    this.#faults = withChosen('The faults of the store', faults, calmStore)
  }

  /** While it is full every write is refused and nothing is lost. `false` makes room again. */
  setDiskFull(isFull: boolean): void {
    if (isFull && !this.#isFull) this.#world.fault('the disk of the store is full')
    this.#isFull = isFull
  }

  /** It crashes, and is back after so long. What it has not acknowledged is lost, what it has is there. */
  crash(downFor: Duration = 0): void {
    const downMs = toMs(downFor, 'downFor')
    this.#world.fault(`crash of the store, which is down for ${formatMs(downMs)}`)
    for (const journal of this.#journals) journal.loseUnderWay()
    this.#downUntilMs = Math.max(this.#downUntilMs, this.#world.clock.nowMs + downMs)
  }

  get #condition(): StoreCondition {
    if (this.#world.clock.nowMs < this.#downUntilMs) return 'down'
    return this.#isFull ? 'full' : 'well'
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
    const journal = new SimulatedJournal({
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
      condition: () => this.#condition,
      watcher: this.#watcherOf(life),
    })
    this.#journals.add(journal)
    return journal
  }

  #watcherOf(life: Incarnation): JournalWatcher {
    const world = this.#world
    return {
      asked: ({ persistenceId, epoch }) => this.writes.asked?.(life.label, persistenceId, epoch),
      granted: (persistenceId, grant) => this.checks.granted(persistenceId, grant, life.label),
      claimFenced: () => world.reach('the store refuses a claim under an earlier grant'),
      claimed: (persistenceId, claim) => {
        this.writes.claimed?.(life.label, persistenceId, claim.epoch)
        // First the story, so that it is whole when a check fails.
        world.story.claimed(persistenceId, life.label, claim)
        this.checks.claimed(persistenceId, claim, life.label)
      },
      appended: (batch, result) => this.#appended(batch, result, life, false),
      deleted: (batch, result) => this.#appended(batch, result, life, true),
      deletedTo: (deletion, result) => {
        this.checks.deletedTo(deletion, result, life.label)
        if (result.type !== 'EventsDeleted') return
        world.reach('the store deletes the first events of a stream')
        this.checks.left(deletion.persistenceId, this.events(deletion.persistenceId))
      },
      snapshotSaved: (snapshot, result) => {
        world.reach(`the store is given a snapshot: ${result.type}`)
        this.checks.snapshotSaved(snapshot, result, life.label)
      },
      snapshotLoaded: (found) => {
        if (found !== undefined) world.reach('the store hands out a snapshot')
      },
      snapshotsDeleted: (deletion, result) =>
        this.checks.snapshotsDeleted(deletion, result, life.label),
      stateClaimed: (persistenceId, claim) =>
        this.stateChecks.claimed(persistenceId, claim, life.label),
      stateWritten: (write, result) => {
        world.reach(`the store is given a state: ${result.type}`)
        this.stateChecks.written(write, result, life.label)
      },
    }
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
    if (result.type === 'Appended') {
      this.onHistory(batch, deletesEarlier)
      return this.onAppended(batch)
    }
    world.reach(`the store refuses a write: ${result.type}`)
    const { persistenceId, epoch } = batch
    world.note(life, 'refused', `${result.type}: ${persistenceId}, epoch ${epoch}`)
  }
}
