/**
 * The journal of a node that may be frozen: while it is, nothing is claimed and nothing is written. A node that may have
 * been replaced, or that slept, must not write; the fence of the journal would hold, but need not be tried. Claims wait for
 * the end of a short freeze: an entity that is just being started would be lost to its callers otherwise.
 */
import {
  hasRegisters,
  type AppendBatch,
  type AppendResult,
  type Claim,
  deletesEvents,
  type DurableStates,
  type EventDeletion,
  type Grant,
  hasSnapshots,
  type IdList,
  isSliceReader,
  type Journal,
  JournalUnavailable,
  keepsStates,
  listsIds,
  LmdbJournal,
  type ReadRange,
  type Registers,
  type SliceReader,
  type Snapshots,
  type StateClaim,
  type StoredEvent,
  type StoreTransfer,
} from '../persistence/index.ts'
import { readsStreams, type ToldAppends, toldAppendsOf } from '../persistence/internals.ts'

export class GuardedJournal implements Journal {
  readonly #journal: Journal
  readonly #closes: boolean
  /**
   * Those of the store, if it has any, also while the node is frozen: it must be able to see whether it was replaced, and what
   * it may write then is decided by those who do.
   */
  readonly readRegister: Registers['readRegister'] | undefined
  readonly writeRegister: Registers['writeRegister'] | undefined
  /** If the journal can, as all that follow. */
  readonly deleteEvents: EventDeletion['deleteEvents'] | undefined
  readonly deleteEventsTo: EventDeletion['deleteEventsTo'] | undefined
  readonly saveSnapshot: Snapshots['saveSnapshot'] | undefined
  readonly loadSnapshot: Snapshots['loadSnapshot'] | undefined
  readonly deleteSnapshots: Snapshots['deleteSnapshots'] | undefined
  readonly claimState: DurableStates['claimState'] | undefined
  readonly writeState: DurableStates['writeState'] | undefined
  readonly readState: DurableStates['readState'] | undefined
  readonly readSlices: SliceReader['readSlices'] | undefined
  readonly listIds: IdList['listIds'] | undefined
  readonly readStream: StoreTransfer['readStream'] | undefined
  readonly toldAppends: ToldAppends | undefined
  /** Told by the cluster, once there is one. */
  isFrozen: () => boolean = () => false
  /** Resolves when it was looked which founding of the cluster lives: whoever is frozen since then must not claim. */
  lookAtFounding: () => Promise<void> = () => Promise.resolve()

  /** Resolves when the node goes on, or when that takes too long to wait for it. */
  whenThawed: () => Promise<void> = () => Promise.resolve()

  /** The cluster does not want this node: a store that was made for it is removed when it is closed. */
  isTakenBack = false

  /** `closes` is false for a journal that its owner closes. */
  constructor(journal: Journal, closes: boolean) {
    this.#journal = journal
    this.#closes = closes
    if (deletesEvents(journal)) {
      this.deleteEvents = (batch) => this.#unlessFrozen(() => journal.deleteEvents(batch))
      this.deleteEventsTo = (deletion) => this.#unlessFrozen(() => journal.deleteEventsTo(deletion))
    }
    if (hasSnapshots(journal)) {
      this.saveSnapshot = (snapshot) => this.#unlessFrozen(() => journal.saveSnapshot(snapshot))
      this.loadSnapshot = (query) => journal.loadSnapshot(query)
      this.deleteSnapshots = (deletion) =>
        this.#unlessFrozen(() => journal.deleteSnapshots(deletion))
    }
    if (keepsStates(journal)) {
      this.claimState = (persistenceId, writer, grant) =>
        this.#claimed<StateClaim>(() => journal.claimState(persistenceId, writer, grant))
      this.writeState = (write) => this.#unlessFrozen(() => journal.writeState(write))
      this.readState = (persistenceId) => journal.readState(persistenceId)
    }
    this.toldAppends = this.#toldAppends(toldAppendsOf(journal))
    if (isSliceReader(journal)) this.readSlices = (query) => journal.readSlices(query)
    if (listsIds(journal)) this.listIds = (query) => journal.listIds(query)
    if (readsStreams(journal)) this.readStream = (id) => journal.readStream(id)
    if (!hasRegisters(journal)) return
    this.readRegister = (name) => journal.readRegister(name)
    this.writeRegister = (write) => journal.writeRegister(write)
  }

  get storeId(): string | undefined {
    return this.#journal.storeId
  }

  get keepsNewestSnapshotOnly(): boolean {
    const journal = this.#journal
    return hasSnapshots(journal) && journal.keepsNewestSnapshotOnly === true
  }

  get eventBytesMax(): number | undefined {
    return this.#journal.eventBytesMax
  }

  get stateBytesMax(): number | undefined {
    const journal = this.#journal
    return keepsStates(journal) ? journal.stateBytesMax : undefined
  }

  claim(persistenceId: string, writer: string, grant?: Grant): Promise<Claim> {
    return this.#claimed(() => this.#journal.claim(persistenceId, writer, grant))
  }

  async #claimed<Claimed>(claim: () => Promise<Claimed>): Promise<Claimed> {
    // The look itself may be what freezes the node, until another one has shown that all is well.
    for (let looks = 0; looks < 2; looks++) {
      if (this.isFrozen()) await this.whenThawed()
      if (this.isFrozen()) break
      await this.lookAtFounding()
      if (!this.isFrozen()) return claim()
    }
    return refused()
  }

  append(batch: AppendBatch): Promise<AppendResult> {
    return this.isFrozen() ? refused() : this.#journal.append(batch)
  }

  #toldAppends(behind: ToldAppends | undefined): ToldAppends | undefined {
    if (behind === undefined) return undefined
    return {
      journal: this,
      append: (batch, told) => {
        if (this.isFrozen()) void refused().catch((error: unknown) => told.failed(error))
        else behind.append(batch, told)
      },
    }
  }

  #unlessFrozen<Result>(write: () => Promise<Result>): Promise<Result> {
    return this.isFrozen() ? refused() : write()
  }

  read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    return this.#journal.read(range, onEvent)
  }

  highestSequenceNr(persistenceId: string): Promise<number> {
    return this.#journal.highestSequenceNr(persistenceId)
  }

  async close(): Promise<void> {
    if (!this.#closes) return
    if (this.isTakenBack && this.#journal instanceof LmdbJournal) await this.#journal.takeBack()
    else await this.#journal.close()
  }
}

function refused(): Promise<never> {
  return Promise.reject(
    new JournalUnavailable(
      'This node is frozen and writes nothing: it slept too long, does not see a majority of the cluster, or is not shown by the store that it was not given up and that its cluster is the one that lives, and may have been replaced. It goes on when it hears from them again.',
    ),
  )
}
