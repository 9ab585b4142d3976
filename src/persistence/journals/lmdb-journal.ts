/**
 * The embedded journal, with all ports that a journal may have: LMDB in one folder that all processes of a host share. Appends of all entities go through one
 * group commit; epoch and sequence number are checked inside the write transaction; promises resolve after the synced
 * commit, which runs on another thread. One journal per folder and process: share it between nodes.
 *
 * One file because each of its many methods is a line or two: a request to the group commit, or a question to the reader.
 */
import { realpathSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../foundation/clock.ts'
import { consoleLogger } from '../../foundation/console-logger.ts'
import type { Grant } from '../../foundation/grant.ts'
import type { Logger } from '../../foundation/logger.ts'
import { systemClock } from '../../foundation/system-clock.ts'
import { systemTimers } from '../../foundation/system-timers.ts'
import type { Timers } from '../../foundation/timers.ts'
import type { ClaimFences } from '../claim-fences.ts'
import type {
  AppendBatch,
  AppendResult,
  Claim,
  Fenced,
  Journal,
  ReadRange,
  StoredEvent,
} from '../journal.ts'
import type {
  DurableStates,
  StateClaim,
  StateWrite,
  StateWriteResult,
  StoredState,
} from '../durable-states.ts'
import type { EventDeletion, EventDeletionResult, EventDeletionTo } from '../event-deletion.ts'
import { checkIdQuery, type IdList, type IdPage, type IdQuery } from '../id-list.ts'
import { JournalClosed, JournalUnavailable } from '../persistence-errors.ts'
import { checkPersistenceId } from '../persistence-id.ts'
import {
  checkRegisterName,
  type StoredRegister,
  type Registers,
  type RegisterWrite,
  type RegisterWriteResult,
} from '../registers.ts'
import type { SlicePage, SliceQuery, SliceReader } from '../slice-reader.ts'
import {
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
import type { ToldAppend, ToldAppends } from '../told-appends.ts'
import { guardExit } from './exit-guard.ts'
import { checkRange, checkSliceQuery, placeOf } from './fence.ts'
import { DiskRoom } from './disk-room.ts'
import type { SnapshotsLeft } from './lmdb-commit.ts'
import { FolderTurns } from './folder-turns.ts'
import { GroupCommit, type Transact } from './group-commit.ts'
import {
  checkDataFile,
  fileIdsIn,
  freeBytesOf,
  type NewStore,
  prepareFolder,
  removeStore,
} from './lmdb-folder.ts'
import { checkFoldLimits, defaultFoldLimits, type FoldLimits } from './lmdb-fold.ts'
import { LmdbHeads } from './lmdb-heads.ts'
import { LmdbLock } from './lmdb-lock.ts'
import { LmdbLogRecord } from './lmdb-log-record.ts'
import { LmdbQuickCommits } from './lmdb-quick-commit.ts'
import { LmdbReader } from './lmdb-reader.ts'
import { checkRequest, type LmdbRequest } from './lmdb-request.ts'
import { checkLmdbSettings, defaultLmdbSettings, type LmdbSettings } from './lmdb-settings.ts'
import { hasAnyRow, knownFormatOf, type LmdbTables, openTables, readCount } from './lmdb-tables.ts'
import { foldOn, type LmdbAsker, LmdbWrite, transact } from './lmdb-write.ts'
import { StoppedWriter, StoppedWriterWatch } from './stopped-writer.ts'
import { StorePlace } from './store-place.ts'

export interface LmdbJournalOptions {
  /** Made when it is missing. Must be on a local disk: LMDB locks do not work over a network. */
  readonly folder: string
  readonly settings?: Partial<LmdbSettings>
  /** How much the log may hold that its index does not. Processes that share a folder may differ. */
  readonly foldLimits?: Partial<FoldLimits>
  readonly timers?: Timers
  readonly clock?: Clock
  /**
   * Is told when a process that was stopped with the write lock had to be ended, and when the files of the store are gone.
   * Standard error when left out.
   */
  readonly logger?: Logger
  /** @internal For whoever only looks: what others have deleted is left where it is. */
  readonly onlyLooks?: boolean
}

/**
 * A process that was killed while it read has left its snapshot behind, and no page that was freed since is used again: the
 * file grows by some 24 kB with every commit, until somebody looks. A look takes some microseconds.
 */
const commitsPerReaderCheck = 64

interface LmdbJournalParts {
  readonly tables: LmdbTables
  readonly settings: LmdbSettings
  readonly foldLimits: FoldLimits
  readonly timers: Timers
  readonly stoppedWriter: StoppedWriter
  readonly place: StorePlace
  readonly room: DiskRoom
  readonly lock: LmdbLock
  readonly clock: Clock
  readonly turns: FolderTurns
  /** Undefined for a store that was there. */
  readonly isNew: NewStore | undefined
}

export class LmdbJournal
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
  /** @internal */
  readonly toldAppends: ToldAppends = {
    journal: this,
    append: (batch, told) => this.#appendTold(batch, told),
  }
  readonly #tables: LmdbTables
  readonly #settings: LmdbSettings
  readonly #reader: LmdbReader
  readonly #place: StorePlace
  readonly #commits: GroupCommit<LmdbWrite>
  readonly #endGuard: () => void
  readonly #lock: LmdbLock
  readonly #turns: FolderTurns
  readonly #isNew: NewStore | undefined
  #isScrubbing = false
  #isSweeping = false
  #commitsToReaderCheck = commitsPerReaderCheck
  #closing: Promise<void> | undefined

  private constructor(parts: LmdbJournalParts) {
    const { tables, settings, foldLimits, timers, stoppedWriter, place, room, turns } = parts
    this.#tables = tables
    this.#settings = settings
    this.#place = place
    this.#lock = parts.lock
    this.#turns = turns
    this.#isNew = parts.isNew
    this.#reader = new LmdbReader(tables, settings)
    const record = new LmdbLogRecord()
    const heads = new LmdbHeads(tables)
    const commitParts = { tables, heads, record, foldLimits, room, clock: parts.clock }
    const quick = new LmdbQuickCommits(commitParts)
    const watch = new StoppedWriterWatch(stoppedWriter, timers)
    const watched = (write: (onLock: () => void) => Promise<void>): Promise<void> =>
      turns.commit(() => {
        this.#letGoOfDeadReaders()
        watch.begin()
        return write(() => watch.end()).finally(() => watch.end())
      })
    const run: Transact<LmdbWrite> = async (take, taken) => {
      place.checkKept()
      // Each ends on another thread, so the event loop has its turn in between.
      while (commitParts.heads.isFoldOverdue(foldLimits)) {
        await watched((onLock) => foldOn(commitParts, onLock))
      }
      await watched((onLock) => transact(commitParts, take, { onLock, quick, taken }))
      place.checkCommitted()
    }
    const advice = (): string => stoppedWriter.advice
    const soon = (work: () => void): void => void setImmediate(work)
    this.#commits = new GroupCommit({ transact: run, settings, timers, nextTurn: soon, advice })
    this.#endGuard = guardExit(() => this.#commits.isBusy)
  }

  /** Opens the folder and checks what is in it. Rejects with a CodedError that says what is wrong with it. */
  static async open(options: LmdbJournalOptions): Promise<LmdbJournal> {
    const { folder, timers = systemTimers, clock = systemClock } = options
    const { logger = consoleLogger() } = options
    const settings = { ...defaultLmdbSettings, ...options.settings }
    checkLmdbSettings(settings)
    const foldLimits = { ...defaultFoldLimits, ...options.foldLimits }
    checkFoldLimits(foldLimits)
    const isNew = prepareFolder(folder)
    checkDataFile(folder)
    const lock = new LmdbLock(folder)
    const killAfterMs = settings.stoppedWriterKillAfterMs
    const stoppedWriter = new StoppedWriter({ lock, folder, killAfterMs, logger })
    register(lock, folder, logger)
    await stoppedWriterGone(stoppedWriter, settings, timers)
    const idOf = fileIdsIn(folder)
    const turns = FolderTurns.enter(realpathSync(folder))
    try {
      const tables = await turns.open(() => openTables(folder))
      const place = new StorePlace({ folder, idOf, clock, logger })
      place.checkThere()
      const parts = { tables, settings, foldLimits, timers, stoppedWriter, place, lock, isNew }
      const journal = new LmdbJournal({ ...parts, turns, clock, room: roomIn(folder) })
      if (options.onlyLooks !== true) journal.#clearOn()
      return journal
    } catch (error) {
      turns.leave()
      throw error
    }
  }

  get storeId(): string {
    return this.#tables.storeId
  }

  get eventBytesMax(): number {
    return this.#settings.eventBytesMax
  }

  get stateBytesMax(): number {
    return this.#settings.stateBytesMax
  }

  claim(persistenceId: string, writer: string, grant?: Grant): Promise<Claim> {
    return this.#write({ type: 'Claim', persistenceId, writer, grant })
  }

  append(batch: AppendBatch): Promise<AppendResult> {
    return this.#write({ type: 'Append', batch })
  }

  /** Up to 256 events are out of the log when it resolves; more go out soon after, piece by piece. */
  async deleteEvents(batch: AppendBatch): Promise<AppendResult> {
    const result = await this.#write<AppendResult>({ type: 'Delete', batch })
    this.#scrubOn()
    this.#sweepOn()
    return result
  }

  /** What the events took is used again some commits later, when the sweep has come by. */
  async deleteEventsTo(deletion: EventDeletionTo): Promise<EventDeletionResult> {
    const result = await this.#write<EventDeletionResult>({ type: 'DeleteTo', deletion })
    this.#sweepOn()
    return result
  }

  saveSnapshot(snapshot: NewSnapshot): Promise<SnapshotResult> {
    return this.#write({ type: 'SaveSnapshot', snapshot })
  }

  /** Rejects with `JournalCorrupted` when the one that fits best is damaged; an older one may still be whole. */
  async loadSnapshot(query: SnapshotQuery): Promise<StoredSnapshot | undefined> {
    this.#checkReadable()
    checkSnapshotQuery(query)
    return this.#reader.snapshot(query)
  }

  async deleteSnapshots(deletion: SnapshotDeletion): Promise<SnapshotsDeleted | Fenced> {
    for (
      let toSequenceNr: number | undefined = deletion.toSequenceNr;
      toSequenceNr !== undefined;
    ) {
      const part: SnapshotDeletion = { ...deletion, toSequenceNr }
      const result: Fenced | SnapshotsLeft = await this.#write({
        type: 'DeleteSnapshots',
        deletion: part,
      })
      if ('type' in result) return result
      toSequenceNr = result.leftTo
    }
    return { type: 'SnapshotsDeleted' }
  }

  async claimState(persistenceId: string, writer: string, grant?: Grant): Promise<StateClaim> {
    this.#checkReadable()
    checkPersistenceId(persistenceId)
    const storedBytes = this.#reader.stateBytes(persistenceId)
    return this.#write({ type: 'ClaimState', persistenceId, writer, storedBytes, grant })
  }

  writeState(write: StateWrite): Promise<StateWriteResult> {
    return this.#write({ type: 'WriteState', write })
  }

  async readState(persistenceId: string): Promise<StoredState | undefined> {
    this.#checkReadable()
    checkPersistenceId(persistenceId)
    return this.#reader.state(persistenceId)
  }

  /** A claim writes the head of its stream at once, so that the table has all ids. */
  async listIds(query: IdQuery): Promise<IdPage> {
    this.#checkReadable()
    checkIdQuery(query)
    const { prefix, after, idsMax } = query
    const table = query.kind === 'events' ? 'heads' : 'states'
    return this.#reader.names(table, { prefix, after, namesMax: idsMax })
  }

  /** As it stands behind the writes under way. */
  readStream(persistenceId: string): Promise<StreamPlace | undefined> {
    return this.#write({ type: 'ReadStream', persistenceId })
  }

  placeStream(place: StreamPlace): Promise<void> {
    return this.#write({ type: 'PlaceStream', place })
  }

  placeState(state: StoredState): Promise<void> {
    return this.#write({ type: 'PlaceState', state })
  }

  async listRegisters(
    query: Parameters<StoreTransfer['listRegisters']>[0],
  ): Promise<readonly string[]> {
    this.#checkReadable()
    return this.#reader.names('registers', query).ids
  }

  placeRegister(named: StoredRegister & { readonly name: string }): Promise<void> {
    return this.#write({ type: 'PlaceRegister', register: named })
  }

  async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    this.#checkReadable()
    checkRange(range)
    const id = Buffer.from(range.persistenceId)
    const to = range.toSequenceNr
    const lastOrder = this.#reader.lastOrder()
    let from = Math.max(range.fromSequenceNr, 1)
    while (from <= to) {
      const events = this.#reader.chunk({ id, from, to, lastOrder })
      if (events.length === 0) return
      for (const event of events) onEvent(event)
      from = events.at(-1)!.sequenceNr + 1
      // Whoever reads more than this has other work in between.
      if (from > to) return
      await nextTurn()
      this.#checkReadable()
    }
  }

  /** A write that changes nothing: it takes its turn behind those under way. */
  highestSequenceNr(persistenceId: string): Promise<number> {
    return this.#write({ type: 'Highest', persistenceId })
  }

  /** In one order for all events, 1, 2, 3 and so on, with gaps only where events were deleted: more than the port asks for. */
  async readSlices(query: SliceQuery): Promise<SlicePage> {
    this.#checkReadable()
    checkSliceQuery(query)
    return this.#reader.page(query, placeOf(query.after))
  }

  /** Waits for no lock, so that it answers also while a process that was stopped holds the store's. */
  async readRegister(name: string): Promise<StoredRegister | undefined> {
    this.#checkReadable()
    checkRegisterName(name)
    // In files that are lost the register would stand still for ever.
    this.#place.checkRead()
    return this.#reader.register(name)
  }

  writeRegister(write: RegisterWrite): Promise<RegisterWriteResult> {
    return this.#write({ type: 'Register', write })
  }

  async listGrants(): Promise<readonly Grant[]> {
    this.#checkReadable()
    return this.#reader.grants()
  }

  forgetGrant(name: string): Promise<void> {
    return this.#write({ type: 'ForgetGrant', name })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /**
   * @internal Closes it, and removes it from the disk if it was made by this journal and nobody has written to it: where a
   * store was lost, an empty one in its place would be taken for it.
   */
  async takeBack(): Promise<void> {
    const isUnused = this.#closing === undefined && this.#isUnused()
    await this.close()
    if (isUnused && this.#isNew !== undefined && this.#lock.isAlone()) {
      removeStore(this.#tables.folder, this.#isNew)
    }
  }

  #isUnused(): boolean {
    const { lastOrder, claimCount } = readCount(this.#tables)
    const { registers, states } = this.#tables
    const isEmpty = lastOrder === 0 && claimCount === 0 && ![registers, states].some(hasAnyRow)
    return this.#isNew !== undefined && isEmpty
  }

  async #close(): Promise<void> {
    const isIdle = await this.#commits.whenIdle()
    // A commit that hangs holds the environment: waiting for it would hang the shutdown, too.
    if (!isIdle) return
    await this.#tables.environment.close()
    this.#turns.leave()
    this.#endGuard()
  }

  /** Whoever deleted may have died before it was done. */
  #clearOn(): void {
    this.#scrubOn()
    this.#sweepOn()
  }

  #scrubOn(): void {
    const isOpen = this.#closing === undefined
    if (this.#isScrubbing || !isOpen || !this.#reader.hasDeletions()) return
    this.#isScrubbing = true
    const ended = (left: number): void => {
      this.#isScrubbing = false
      if (left > 0) this.#scrubOn()
    }
    // What fails here, as on a full disk, is tried again with the next deletion, or when the store is opened next.
    void this.#write<number>({ type: 'Scrub' }).then(ended, () => ended(0))
  }

  #sweepOn(): void {
    const isOpen = this.#closing === undefined
    if (this.#isSweeping || !isOpen || !this.#reader.isSweepDue()) return
    this.#isSweeping = true
    const ended = (isDue: boolean): void => {
      this.#isSweeping = false
      if (isDue) this.#sweepOn()
    }
    void this.#write<boolean>({ type: 'Sweep' }).then(ended, () => ended(false))
  }

  #letGoOfDeadReaders(): void {
    if (--this.#commitsToReaderCheck > 0) return
    this.#commitsToReaderCheck = commitsPerReaderCheck
    this.#tables.environment.readerCheck()
  }

  /** What is wrong with the request rejects the promise, which is the only one made. */
  #write<Result>(request: LmdbRequest): Promise<Result> {
    return new Promise<Result>((resolve, failed) => {
      this.#add(request, { succeeded: resolve as (result: unknown) => void, failed })
    })
  }

  #add(request: LmdbRequest, asker: LmdbAsker): void {
    this.#checkOpen()
    const byteCount = checkRequest(request, this.#settings)
    this.#commits.add(new LmdbWrite(request, byteCount, asker))
  }

  #appendTold(batch: AppendBatch, told: ToldAppend): void {
    try {
      this.#add({ type: 'Append', batch }, told)
    } catch (error) {
      told.failed(error)
    }
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new JournalClosed()
  }

  /** Writes look inside their transaction. */
  #checkReadable(): void {
    this.#checkOpen()
    knownFormatOf(this.#tables)
  }
}

function roomIn(folder: string): DiskRoom {
  return new DiskRoom({ folder, freeBytes: () => freeBytesOf(folder) })
}

function register(lock: LmdbLock, folder: string, logger: Logger): void {
  try {
    lock.register()
  } catch (err) {
    const text = `This process could not leave a note in ${folder}/writers; if it is stopped while it writes, the others wait until it goes on.`
    logger.warn({ folder, err }, text)
  }
}

/** LMDB itself opens synchronously: behind the lock of a stopped process the whole event loop would hang, and no timer help. */
async function stoppedWriterGone(
  writer: StoppedWriter,
  { commitTimeoutMs }: LmdbSettings,
  timers: Timers,
): Promise<void> {
  const { lookEveryMs } = writer
  for (let waitedMs = 0; writer.look(); waitedMs += lookEveryMs) {
    if (waitedMs >= commitTimeoutMs) throw new JournalUnavailable(writer.advice)
    await new Promise<void>((resolve) => void timers.after(lookEveryMs, resolve))
  }
}
