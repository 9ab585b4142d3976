/**
 * A journal in memory, for tests and simulation. Calls take effect at once and in order, and answer by microtasks: no
 * timers, no chance, no disk. What delays or fails is a wrapper's business.
 */
import type { Grant } from '../../foundation/grant.ts'
import { checkGrantName, type ClaimFences } from '../claim-fences.ts'
import type {
  AppendBatch,
  AppendResult,
  Claim,
  Fenced,
  Journal,
  ReadRange,
  StoredEvent,
} from '../journal.ts'
import {
  checkStateWrite,
  type DurableStates,
  type StateClaim,
  type StateWrite,
  type StateWriteResult,
  type StoredState,
} from '../durable-states.ts'
import type { EventDeletion, EventDeletionResult, EventDeletionTo } from '../event-deletion.ts'
import { checkIdQuery, type IdList, type IdPage, type IdQuery } from '../id-list.ts'
import { JournalClosed } from '../persistence-errors.ts'
import { checkPersistenceId } from '../persistence-id.ts'
import { defaultJournalSettings, type JournalSettings } from '../persistence-settings.ts'
import {
  checkRegisterName,
  checkRegisterWrite,
  type StoredRegister,
  type Registers,
  type RegisterWrite,
  type RegisterWriteResult,
} from '../registers.ts'
import type { SlicePage, SliceQuery, SliceReader } from '../slice-reader.ts'
import {
  checkNewSnapshot,
  checkSnapshotDeletion,
  checkSnapshotQuery,
  type NewSnapshot,
  type SnapshotDeletion,
  type SnapshotQuery,
  type SnapshotResult,
  type Snapshots,
  type SnapshotsDeleted,
  type StoredSnapshot,
} from '../snapshots.ts'
import type { StoreTransfer, StreamPlace } from '../store-transfer.ts'
import {
  checkAppend,
  checkClaim,
  checkDeletion,
  checkDeletionTo,
  checkJournalSettings,
  checkRange,
  checkSliceQuery,
} from './fence.ts'
import { MemoryStore } from './memory-store.ts'

export interface MemoryJournalOptions {
  /** Journals with the same store see the same streams, as nodes with the same database do. */
  readonly store?: MemoryStore
  readonly settings?: Partial<JournalSettings>
}

/** Events read in one go before others have their turn. */
const readEventsMax = 256

export class MemoryJournal
  implements
    Journal,
    SliceReader,
    Registers,
    EventDeletion,
    Snapshots,
    DurableStates,
    IdList,
    StoreTransfer,
    ClaimFences
{
  readonly #store: MemoryStore
  readonly #settings: JournalSettings
  #isClosed = false

  constructor({ store = new MemoryStore(), settings }: MemoryJournalOptions = {}) {
    this.#store = store
    this.#settings = { ...defaultJournalSettings, ...settings }
    checkJournalSettings(this.#settings)
  }

  get storeId(): string {
    return this.#store.storeId
  }

  get eventBytesMax(): number {
    return this.#settings.eventBytesMax
  }

  get stateBytesMax(): number {
    return this.#settings.stateBytesMax
  }

  async claim(persistenceId: string, writer: string, grant?: Grant): Promise<Claim> {
    this.#checkOpen()
    checkClaim(persistenceId, writer, grant)
    return this.#store.claim(persistenceId, writer, grant)
  }

  async append(batch: AppendBatch): Promise<AppendResult> {
    this.#checkOpen()
    checkAppend(batch, this.#settings)
    return this.#store.append(batch)
  }

  async deleteEvents(batch: AppendBatch): Promise<AppendResult> {
    this.#checkOpen()
    checkDeletion(batch, this.#settings)
    return this.#store.deleteEvents(batch)
  }

  async deleteEventsTo(deletion: EventDeletionTo): Promise<EventDeletionResult> {
    this.#checkOpen()
    checkDeletionTo(deletion)
    return this.#store.deleteEventsTo(deletion)
  }

  async saveSnapshot(snapshot: NewSnapshot): Promise<SnapshotResult> {
    this.#checkOpen()
    checkNewSnapshot(snapshot, this.#settings.stateBytesMax)
    return this.#store.saveSnapshot(snapshot)
  }

  async loadSnapshot(query: SnapshotQuery): Promise<StoredSnapshot | undefined> {
    this.#checkOpen()
    checkSnapshotQuery(query)
    return this.#store.loadSnapshot(query)
  }

  async deleteSnapshots(deletion: SnapshotDeletion): Promise<SnapshotsDeleted | Fenced> {
    this.#checkOpen()
    checkSnapshotDeletion(deletion)
    return this.#store.deleteSnapshots(deletion)
  }

  async claimState(persistenceId: string, writer: string, grant?: Grant): Promise<StateClaim> {
    this.#checkOpen()
    checkClaim(persistenceId, writer, grant)
    return this.#store.claimState(persistenceId, writer, grant)
  }

  async writeState(write: StateWrite): Promise<StateWriteResult> {
    this.#checkOpen()
    checkStateWrite(write, this.#settings.stateBytesMax)
    return this.#store.writeState(write)
  }

  async readState(persistenceId: string): Promise<StoredState | undefined> {
    this.#checkOpen()
    checkPersistenceId(persistenceId)
    return this.#store.readState(persistenceId)
  }

  async listIds(query: IdQuery): Promise<IdPage> {
    this.#checkOpen()
    checkIdQuery(query)
    return this.#store.listIds(query)
  }

  async readStream(persistenceId: string): Promise<StreamPlace | undefined> {
    this.#checkOpen()
    checkPersistenceId(persistenceId)
    return this.#store.readStream(persistenceId)
  }

  async placeStream(place: StreamPlace): Promise<void> {
    this.#checkOpen()
    checkClaim(place.persistenceId, place.writer)
    this.#store.placeStream(place)
  }

  async placeState(state: StoredState): Promise<void> {
    this.#checkOpen()
    checkClaim(state.persistenceId, state.writer)
    this.#store.placeState(state)
  }

  async listRegisters({
    after,
    namesMax,
  }: Parameters<StoreTransfer['listRegisters']>[0]): Promise<readonly string[]> {
    this.#checkOpen()
    return this.#store.listRegisters(after, namesMax)
  }

  async placeRegister(register: StoredRegister & { readonly name: string }): Promise<void> {
    this.#checkOpen()
    checkRegisterName(register.name)
    this.#store.placeRegister(register.name, register)
  }

  async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    this.#checkOpen()
    checkRange(range)
    const { persistenceId, toSequenceNr } = range
    const last = Math.min(toSequenceNr, this.#store.highestSequenceNr(persistenceId))
    for (let from = Math.max(range.fromSequenceNr, 1); from <= last; from += readEventsMax) {
      const to = Math.min(from + readEventsMax - 1, last)
      for (const event of this.#store.events(persistenceId, from, to)) onEvent(event)
      await Promise.resolve()
      this.#checkOpen()
    }
  }

  async highestSequenceNr(persistenceId: string): Promise<number> {
    this.#checkOpen()
    checkPersistenceId(persistenceId)
    return this.#store.highestSequenceNr(persistenceId)
  }

  async readSlices(query: SliceQuery): Promise<SlicePage> {
    this.#checkOpen()
    checkSliceQuery(query)
    return this.#store.readSlices({ ...query, eventsMax: Math.min(query.eventsMax, readEventsMax) })
  }

  async readRegister(name: string): Promise<StoredRegister | undefined> {
    this.#checkOpen()
    checkRegisterName(name)
    return this.#store.readRegister(name)
  }

  async writeRegister(write: RegisterWrite): Promise<RegisterWriteResult> {
    this.#checkOpen()
    checkRegisterWrite(write)
    return this.#store.writeRegister(write)
  }

  async listGrants(): Promise<readonly Grant[]> {
    this.#checkOpen()
    return this.#store.listGrants()
  }

  async forgetGrant(name: string): Promise<void> {
    this.#checkOpen()
    checkGrantName(name)
    this.#store.forgetGrant(name)
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new JournalClosed()
  }
}
