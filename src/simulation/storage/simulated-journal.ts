/**
 * A journal that is slow, stalls, and fails as real ones do, by a seed: before anything is stored and after everything is. A
 * write takes effect in a step of the store, not of the node that asked: a node that is paused or has died cannot take it
 * back. Its answer is a step of the node.
 *
 * Invariant: writes of one stream take effect in the order of the calls; when one never does, none after it does.
 * One file because it is one port after another, each a few lines, over one way to fail.
 */
import type { Clock } from '../../foundation/clock.ts'
import {
  type AppendBatch,
  type AppendResult,
  type Claim,
  ClaimFenced,
  type ClaimFences,
  type DurableStates,
  type EventDeletion,
  type EventDeletionResult,
  type EventDeletionTo,
  type Fenced,
  type Grant,
  type IdList,
  type IdPage,
  type IdQuery,
  type Journal,
  JournalClosed,
  type MemoryJournal,
  type NewSnapshot,
  type ReadRange,
  type StoredRegister,
  type Registers,
  type RegisterWrite,
  type RegisterWriteResult,
  type SlicePage,
  type SliceQuery,
  type SliceReader,
  type SnapshotDeletion,
  type SnapshotQuery,
  type SnapshotResult,
  type Snapshots,
  type SnapshotsDeleted,
  type StateClaim,
  type StateWrite,
  type StateWriteResult,
  type StoredEvent,
  type StoredSnapshot,
  type StoredState,
} from '../../persistence/index.ts'
import { withChosen } from '../chosen-numbers.ts'
import type { SeededRandom } from '../seeded-random.ts'
import {
  type CallFate,
  drawFate,
  errorOf,
  fateIn,
  isRefusal,
  type StoreCondition,
} from './call-fate.ts'
import type { JournalWatcher } from './journal-watcher.ts'
import { calmStore, type StoreFaults } from './store-faults.ts'

/** Where the steps of a store and of one of its nodes take place. */
export interface JournalGround {
  /** Of the node. */
  readonly label: string
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** A step of the store. */
  inStore(delayMs: number, run: () => void): void
  /** A step of the node; never when it has died. */
  inNode(delayMs: number, run: () => void): void
  /** Asked before every call; nobody hears of those of a node that has died. */
  mayAct(what: string): boolean
  isAlive(): boolean
  /** Told of every failure, so that it can be counted and explained. */
  fault(description: string): void
  /** Told of every call that takes so long. */
  stalled?(forMs: number): void
}

export interface SimulatedJournalOptions {
  /** Checks the arguments and does the work, at once. */
  readonly journal: MemoryJournal
  readonly random: SeededRandom
  readonly ground: JournalGround
  /** As they are now. */
  readonly faults?: () => StoreFaults
  /** As the store is now; `well` when not given. */
  readonly condition?: () => StoreCondition
  readonly watcher?: Partial<JournalWatcher>
}

/** Something that was sent and has not taken effect. */
interface Effect {
  readonly take: () => void
  /** The store has crashed meanwhile. */
  isLost: boolean
}

/** What was sent of one stream and has not taken effect. */
interface Pending {
  readonly effects: Effect[]
  lastEffectMs: number
  /** The node died, and what comes now never reached the store. */
  isCutOff: boolean
}

/** The part of writes under way that reach the store although their node has died. */
const LATE_EFFECT_CHANCE = 0.5

export class SimulatedJournal
  implements
    Journal,
    SliceReader,
    Registers,
    EventDeletion,
    Snapshots,
    DurableStates,
    IdList,
    ClaimFences
{
  readonly stateBytesMax: number
  readonly #journal: MemoryJournal
  readonly #random: SeededRandom
  readonly #ground: JournalGround
  readonly #watcher: Partial<JournalWatcher>
  readonly #condition: () => StoreCondition
  readonly #pending = new Map<string, Pending>()
  #faults: () => StoreFaults
  #underWay = 0
  #whenAllDone: (() => void)[] = []
  #isClosed = false
  #stall: Promise<void> | undefined = undefined
  #flow: () => void = () => undefined

  constructor(options: SimulatedJournalOptions) {
    const { journal, random, ground, faults = () => calmStore } = options
    this.#watcher = options.watcher ?? {}
    this.#condition = options.condition ?? (() => 'well')
    this.#journal = journal
    this.stateBytesMax = journal.stateBytesMax
    this.#random = random
    this.#ground = ground
    this.#faults = faults
  }

  get storeId(): string {
    return this.#journal.storeId
  }

  get eventBytesMax(): number {
    return this.#journal.eventBytesMax
  }

  /** From now on, and for this journal alone. What is not given is calm. */
  setFaults(faults: Partial<StoreFaults>): void {
    const all = withChosen('The faults of the journal', faults, calmStore)
    this.#faults = () => all
  }

  /** Nothing takes effect until `flow`. */
  stall(): void {
    this.#stall ??= new Promise((resolve) => (this.#flow = resolve))
  }

  flow(): void {
    this.#stall = undefined
    this.#flow()
  }

  /** The store crashes: what has not taken effect never will, and whoever sent it cannot tell. */
  loseUnderWay(): void {
    for (const { effects } of this.#pending.values()) {
      for (const effect of effects) effect.isLost = true
    }
  }

  claim(persistenceId: string, writer: string, grant?: Grant): Promise<Claim> {
    return this.#write(persistenceId, 'claim', async () => {
      const claim = await this.#claimed(() => this.#journal.claim(persistenceId, writer, grant))
      if (grant !== undefined) this.#watcher.granted?.(persistenceId, grant)
      this.#watcher.claimed?.(persistenceId, claim)
      return claim
    })
  }

  append(batch: AppendBatch): Promise<AppendResult> {
    this.#isAsked(batch)
    return this.#write(batch.persistenceId, 'append', async () => {
      const result = await this.#journal.append(batch)
      this.#watcher.appended?.(batch, result)
      return result
    })
  }

  deleteEvents(batch: AppendBatch): Promise<AppendResult> {
    this.#isAsked(batch)
    return this.#write(batch.persistenceId, 'delete', async () => {
      const result = await this.#journal.deleteEvents(batch)
      this.#watcher.deleted?.(batch, result)
      return result
    })
  }

  deleteEventsTo(deletion: EventDeletionTo): Promise<EventDeletionResult> {
    return this.#write(deletion.persistenceId, 'delete', async () => {
      const result = await this.#journal.deleteEventsTo(deletion)
      this.#watcher.deletedTo?.(deletion, result)
      return result
    })
  }

  saveSnapshot(snapshot: NewSnapshot): Promise<SnapshotResult> {
    return this.#write(snapshot.persistenceId, 'saveSnapshot', async () => {
      const result = await this.#journal.saveSnapshot(snapshot)
      this.#watcher.snapshotSaved?.(snapshot, result)
      return result
    })
  }

  async loadSnapshot(query: SnapshotQuery): Promise<StoredSnapshot | undefined> {
    await this.#beforeReading('loadSnapshot')
    const found = await this.#journal.loadSnapshot(query)
    this.#watcher.snapshotLoaded?.(found)
    return found
  }

  deleteSnapshots(deletion: SnapshotDeletion): Promise<SnapshotsDeleted | Fenced> {
    return this.#write(deletion.persistenceId, 'deleteSnapshots', async () => {
      const result = await this.#journal.deleteSnapshots(deletion)
      this.#watcher.snapshotsDeleted?.(deletion, result)
      return result
    })
  }

  /** States take their turns behind a stream of the same name, if there is one, which does no harm. */
  claimState(persistenceId: string, writer: string, grant?: Grant): Promise<StateClaim> {
    return this.#write(persistenceId, 'claimState', async () => {
      const claim = await this.#claimed(() =>
        this.#journal.claimState(persistenceId, writer, grant),
      )
      if (grant !== undefined) this.#watcher.granted?.(persistenceId, grant)
      this.#watcher.stateClaimed?.(persistenceId, claim)
      return claim
    })
  }

  writeState(write: StateWrite): Promise<StateWriteResult> {
    return this.#write(write.persistenceId, 'writeState', async () => {
      const result = await this.#journal.writeState(write)
      this.#watcher.stateWritten?.(write, result)
      return result
    })
  }

  async readState(persistenceId: string): Promise<StoredState | undefined> {
    await this.#beforeReading('readState')
    return this.#journal.readState(persistenceId)
  }

  async listIds(query: IdQuery): Promise<IdPage> {
    await this.#beforeReading('listIds')
    return this.#journal.listIds(query)
  }

  async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    await this.#beforeReading('read')
    await this.#journal.read(range, onEvent)
  }

  async highestSequenceNr(persistenceId: string): Promise<number> {
    await this.#beforeReading('highestSequenceNr')
    // Behind the writes under way.
    if (this.#pending.has(persistenceId)) await this.#takesEffect(persistenceId, async () => {})
    return this.#journal.highestSequenceNr(persistenceId)
  }

  async readSlices(query: SliceQuery): Promise<SlicePage> {
    await this.#beforeReading('readSlices')
    return this.#journal.readSlices(query)
  }

  /** Looks in a step of the store, and answers in one of the node: who is paused in between hears of it late. */
  async readRegister(name: string): Promise<StoredRegister | undefined> {
    if (this.#isClosed) throw new JournalClosed()
    if (!this.#ground.mayAct('readRegister')) return new Promise(() => {})
    let fate = drawFate(this.#faults(), this.#random)
    let result: PromiseSettledResult<StoredRegister | undefined> | undefined
    await new Promise<void>((resolve) => {
      const look = async (): Promise<void> => {
        if (this.#condition() === 'down') fate = 'finds the store down'
        ;[result] = await Promise.allSettled([this.#journal.readRegister(name)])
        this.#ground.inNode(this.#drawDelayMs(), resolve)
      }
      this.#ground.inStore(this.#drawDelayMs(), () => {
        if (this.#stall === undefined) void look()
        else void this.#stall.then(look)
      })
    })
    if (isRefusal(fate)) throw this.#failure(`readRegister of ${name} ${fate}`, fate)
    if (result?.status === 'fulfilled') return result.value
    throw result?.reason
  }

  /** Takes its turn behind a stream of this name, if there is one, which does no harm. */
  writeRegister(write: RegisterWrite): Promise<RegisterWriteResult> {
    return this.#write(write.name, 'writeRegister', () => this.#journal.writeRegister(write))
  }

  async listGrants(): Promise<readonly Grant[]> {
    await this.#beforeReading('listGrants')
    return this.#journal.listGrants()
  }

  forgetGrant(name: string): Promise<void> {
    return this.#write(name, 'forgetGrant', () => this.#journal.forgetGrant(name))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#underWay > 0) await new Promise<void>((done) => this.#whenAllDone.push(done))
    await this.#journal.close()
  }

  async #claimed<Claimed>(claim: () => Promise<Claimed>): Promise<Claimed> {
    try {
      return await claim()
    } catch (error) {
      if (error instanceof ClaimFenced) this.#watcher.claimFenced?.(error)
      throw error
    }
  }

  #isAsked(batch: AppendBatch): void {
    if (this.#ground.isAlive()) this.#watcher.asked?.(batch)
  }

  async #write<Result>(
    persistenceId: string,
    what: string,
    perform: () => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new JournalClosed()
    if (!this.#ground.mayAct(what)) return new Promise(() => {})
    let fate = drawFate(this.#faults(), this.#random)
    this.#underWay++
    let result: PromiseSettledResult<Result> | undefined
    await this.#takesEffect(persistenceId, async (isLost) => {
      fate = isLost ? 'lost in a crash of the store' : fateIn(this.#condition(), fate)
      if (fate === 'good' || fate === 'unknown, stored') {
        ;[result] = await Promise.allSettled([perform()])
      }
    })
    this.#finished()
    if (fate !== 'good') throw this.#failure(`${what} of ${persistenceId} ${fate}`, fate)
    if (result?.status === 'fulfilled') return result.value
    throw result?.reason
  }

  /** Resolves in a step of the node after the effect; never when the node has died. */
  #takesEffect(persistenceId: string, perform: (isLost: boolean) => Promise<void>): Promise<void> {
    const pending = this.#pendingOf(persistenceId)
    const nowMs = this.#ground.clock.monotonicMs()
    const effectMs = Math.max(pending.lastEffectMs, nowMs + this.#drawDelayMs())
    pending.lastEffectMs = effectMs
    return new Promise((resolve) => {
      const effect: Effect = {
        isLost: false,
        take: () => {
          if (!this.#isReached(pending)) return
          const performed = perform(effect.isLost)
          void performed.then(() => this.#ground.inNode(this.#drawDelayMs(), resolve))
        },
      }
      pending.effects.push(effect)
      // Whichever step comes first takes the oldest effect, so that equal times keep the order of the calls.
      this.#ground.inStore(effectMs - nowMs, () => {
        if (this.#stall === undefined) this.#takeOldest(persistenceId, pending)
        else void this.#stall.then(() => this.#takeOldest(persistenceId, pending))
      })
    })
  }

  #takeOldest(persistenceId: string, pending: Pending): void {
    const next = pending.effects.shift()
    if (pending.effects.length === 0) this.#pending.delete(persistenceId)
    next?.take()
  }

  #isReached(pending: Pending): boolean {
    if (this.#ground.isAlive()) return true
    pending.isCutOff ||= !this.#random.chance(LATE_EFFECT_CHANCE)
    if (!pending.isCutOff)
      this.#ground.fault(`a write of ${this.#ground.label} surfaces after its end`)
    return !pending.isCutOff
  }

  #pendingOf(persistenceId: string): Pending {
    let pending = this.#pending.get(persistenceId)
    if (pending === undefined) {
      pending = { effects: [], lastEffectMs: 0, isCutOff: false }
      this.#pending.set(persistenceId, pending)
    }
    return pending
  }

  #finished(): void {
    if (--this.#underWay > 0) return
    for (const done of this.#whenAllDone.splice(0)) done()
  }

  async #beforeReading(what: string): Promise<void> {
    if (this.#isClosed) throw new JournalClosed()
    if (!this.#ground.mayAct(what)) return new Promise(() => {})
    const fate = drawFate(this.#faults(), this.#random)
    await new Promise<void>((resolve) => this.#ground.inNode(this.#drawDelayMs(), resolve))
    await this.#stall
    const found = this.#condition() === 'down' ? 'finds the store down' : fate
    if (isRefusal(found)) throw this.#failure(`${what} ${found}`, found)
  }

  #failure(description: string, fate: CallFate): Error {
    this.#ground.fault(description)
    return errorOf(fate, description)
  }

  #drawDelayMs(): number {
    const { latencyMeanMs, stallChance, stallMaxMs } = this.#faults()
    const delayMs = -latencyMeanMs * Math.log(1 - this.#random.float())
    if (stallChance === 0 || !this.#random.chance(stallChance)) return delayMs
    const stalledMs = delayMs + this.#random.float() * stallMaxMs
    this.#ground.stalled?.(stalledMs)
    return stalledMs
  }
}
