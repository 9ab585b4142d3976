/**
 * The journal on PostgreSQL, for clusters over several machines: one server, or several that share the slices. All that entities
 * of a process want to store goes through a group commit; each commit is one statement that checks epochs and sequence numbers
 * under the locks of its rows. Reads have connections of their own.
 */
import type { Clock } from '../../../foundation/clock.ts'
import { InvalidSettings } from '../../../foundation/invalid-settings.ts'
import { systemClock } from '../../../foundation/system-clock.ts'
import { systemRandom } from '../../../foundation/system-random.ts'
import { systemTimers } from '../../../foundation/system-timers.ts'
import type { Timers } from '../../../foundation/timers.ts'
import {
  checkStateWrite,
  type DurableStates,
  type StateClaim,
  type StateWrite,
  type StateWriteResult,
  type StoredState,
} from '../../durable-states.ts'
import type { EventDeletion, EventDeletionResult, EventDeletionTo } from '../../event-deletion.ts'
import { checkIdQuery, type IdList, type IdPage, type IdQuery } from '../../id-list.ts'
import type {
  AppendBatch,
  AppendResult,
  Claim,
  Fenced,
  Journal,
  ReadRange,
  StoredEvent,
} from '../../journal.ts'
import { JournalClosed } from '../../persistence-errors.ts'
import { checkPersistenceId, sliceOf } from '../../persistence-id.ts'
import {
  checkRegisterName,
  checkRegisterWrite,
  type Registers,
  type RegisterWrite,
  type RegisterWriteResult,
  type StoredRegister,
} from '../../registers.ts'
import type { SlicePage, SliceQuery, SliceReader } from '../../slice-reader.ts'
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
} from '../../snapshots.ts'
import type { StoreTransfer, StreamPlace } from '../../store-transfer.ts'
import {
  checkAppend,
  checkClaim,
  checkDeletion,
  checkDeletionTo,
  checkRange,
  checkSliceQuery,
} from '../fence.ts'
import { streamOf } from './postgres-commit.ts'
import { loadPostgresDriver, type PostgresRow } from './postgres-driver.ts'
import { openPartition } from './postgres-opening.ts'
import { PostgresPartition } from './postgres-partition.ts'
import { partitionsMax, PostgresSlices, tablesIn } from './postgres-schema.ts'
import {
  checkPostgresSettings,
  defaultPostgresSettings,
  type PostgresSettings,
} from './postgres-settings.ts'
import { PostgresSliceReader, tagsOfRow } from './postgres-slice-reader.ts'
import { statementsFor } from './postgres-statements.ts'
import { placeRegister, placeState, placeStream } from './postgres-transfer.ts'
import { isPostgresUrl } from './postgres-url.ts'
import type { PostgresRequest } from './postgres-write.ts'

export interface PostgresStore {
  /** `postgres://user:password@host:port/database`. */
  readonly url?: string | undefined
  /**
   * All servers of a store that is divided: 2, 4, 8 and so on up to 64, each with an equal part of the slices. The list can
   * never change once the store is made. `url` is left out then, or is the first of them.
   */
  readonly partitions?: readonly string[] | undefined
  /** Where the tables are; that of the connection when left out. */
  readonly schema?: string | undefined
  /** Whether missing tables are made. When false they must be there: `postgresSchemaSql` says what to run. */
  readonly createSchema?: boolean | undefined
  readonly settings?: Partial<PostgresSettings> | undefined
}

export interface PostgresJournalOptions extends PostgresStore {
  readonly timers?: Timers
  readonly clock?: Clock
}

interface PostgresJournalParts {
  readonly storeId: string
  readonly partitions: readonly PostgresPartition[]
  readonly slices: PostgresSlices
  readonly settings: PostgresSettings
}

export class PostgresJournal
  implements
    Journal,
    SliceReader,
    Registers,
    EventDeletion,
    Snapshots,
    DurableStates,
    IdList,
    StoreTransfer
{
  readonly storeId: string
  readonly #partitions: readonly PostgresPartition[]
  readonly #slices: PostgresSlices
  readonly #settings: PostgresSettings
  readonly #sliceReader: PostgresSliceReader
  #closing: Promise<void> | undefined

  private constructor(parts: PostgresJournalParts) {
    this.storeId = parts.storeId
    this.#partitions = parts.partitions
    this.#slices = parts.slices
    this.#settings = parts.settings
    this.#sliceReader = new PostgresSliceReader(parts)
  }

  /** Connects, makes what is missing, and checks the rest. Rejects with a CodedError that says what is wrong. */
  static async open(options: PostgresJournalOptions): Promise<PostgresJournal> {
    const { timers = systemTimers, clock = systemClock } = options
    const settings = { ...defaultPostgresSettings, ...options.settings }
    checkPostgresSettings(settings)
    const urls = serversOf(options)
    const tables = tablesIn(options.schema)
    const connect = await loadPostgresDriver()
    const { connectTimeoutMs } = settings
    let storeId = `${systemRandom.uid().toString(36)}${systemRandom.uid().toString(36)}`
    for (const [partition, url] of urls.entries()) {
      storeId = await openPartition({
        ...{ url, tables, partition, partitions: urls.length, storeId, timers, clock },
        connect: () => connect({ url, connectTimeoutMs }),
        createSchema: options.createSchema ?? true,
        isFirst: partition === 0,
        patienceMs: connectTimeoutMs,
      })
    }
    const slices = new PostgresSlices(urls.length)
    const statements = statementsFor(tables)
    const partitions = urls.map(
      (url) => new PostgresPartition({ url, connect, statements, slices, settings, clock, timers }),
    )
    return new PostgresJournal({ storeId, partitions, slices, settings })
  }

  get eventBytesMax(): number {
    return this.#settings.eventBytesMax
  }

  async claim(persistenceId: string, writer: string): Promise<Claim> {
    this.#checkOpen()
    checkClaim(persistenceId, writer)
    return this.#write(persistenceId, { type: 'Claim', persistenceId, writer })
  }

  async append(batch: AppendBatch): Promise<AppendResult> {
    this.#checkOpen()
    const byteCount = checkAppend(batch, this.#settings)
    return this.#write(batch.persistenceId, { type: 'Append', batch }, byteCount)
  }

  /** They are hidden when it resolves, and leave the tables soon after, piece by piece. */
  async deleteEvents(batch: AppendBatch): Promise<AppendResult> {
    this.#checkOpen()
    const byteCount = checkDeletion(batch, this.#settings)
    const { persistenceId } = batch
    const request = { type: 'End', batch } as const
    const result = await this.#write<AppendResult>(persistenceId, request, byteCount)
    this.#partitionOf(persistenceId).scrubOn()
    return result
  }

  async deleteEventsTo(deletion: EventDeletionTo): Promise<EventDeletionResult> {
    this.#checkOpen()
    checkDeletionTo(deletion)
    const { persistenceId } = deletion
    const request = { type: 'DeleteTo', deletion } as const
    const result = await this.#write<EventDeletionResult>(persistenceId, request)
    this.#partitionOf(persistenceId).scrubOn()
    return result
  }

  async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    this.#checkOpen()
    checkRange(range)
    const { persistenceId, toSequenceNr } = range
    const { readEventsMax, readBytesMax } = this.#settings
    const id = Buffer.from(persistenceId)
    const partition = this.#partitionOf(persistenceId)
    for (let from = Math.max(range.fromSequenceNr, 1); from <= toSequenceNr;) {
      const values = [id, from, toSequenceNr, readEventsMax, readBytesMax]
      const rows = await partition.read(partition.statements.read, values)
      this.#checkOpen()
      let byteCount = 0
      for (const row of rows) {
        const event = eventOf(persistenceId, row)
        byteCount += event.bytes.byteLength
        from = event.sequenceNr + 1
        onEvent(event)
      }
      if (rows.length < readEventsMax && byteCount < readBytesMax) return
    }
  }

  async highestSequenceNr(persistenceId: string): Promise<number> {
    this.#checkOpen()
    checkPersistenceId(persistenceId)
    return this.#write(persistenceId, { type: 'Highest', persistenceId })
  }

  async readSlices(query: SliceQuery): Promise<SlicePage> {
    this.#checkOpen()
    checkSliceQuery(query)
    return this.#sliceReader.page(query)
  }

  async saveSnapshot(snapshot: NewSnapshot): Promise<SnapshotResult> {
    this.#checkOpen()
    const byteCount = checkNewSnapshot(snapshot, this.#settings.stateBytesMax)
    const request = { type: 'SaveSnapshot', snapshot } as const
    return this.#write(snapshot.persistenceId, request, byteCount)
  }

  async loadSnapshot(query: SnapshotQuery): Promise<StoredSnapshot | undefined> {
    this.#checkOpen()
    checkSnapshotQuery(query)
    const { persistenceId, fromSequenceNr, toSequenceNr } = query
    const until = query.savedUntilMs ?? Number.MAX_SAFE_INTEGER
    const partition = this.#partitionOf(persistenceId)
    const values = [Buffer.from(persistenceId), fromSequenceNr, toSequenceNr, until]
    const [row] = await partition.read(partition.statements.load_snapshot, values)
    if (row === undefined) return undefined
    const [sequenceNr, savedAtMs, bytes] = row as [number, number, Buffer]
    return { persistenceId, sequenceNr, savedAtMs, bytes }
  }

  async deleteSnapshots(deletion: SnapshotDeletion): Promise<SnapshotsDeleted | Fenced> {
    this.#checkOpen()
    checkSnapshotDeletion(deletion)
    return this.#write(deletion.persistenceId, { type: 'DeleteSnapshots', deletion })
  }

  async claimState(persistenceId: string, writer: string): Promise<StateClaim> {
    this.#checkOpen()
    checkClaim(persistenceId, writer)
    return this.#write(persistenceId, { type: 'ClaimState', persistenceId, writer })
  }

  async writeState(write: StateWrite): Promise<StateWriteResult> {
    this.#checkOpen()
    const byteCount = checkStateWrite(write, this.#settings.stateBytesMax)
    return this.#write(write.persistenceId, { type: 'WriteState', write }, byteCount)
  }

  async readState(persistenceId: string): Promise<StoredState | undefined> {
    this.#checkOpen()
    checkPersistenceId(persistenceId)
    const partition = this.#partitionOf(persistenceId)
    const values = [Buffer.from(persistenceId)]
    const [row] = await partition.read(partition.statements.read_state, values)
    if (row === undefined) return undefined
    const [epoch, writer, revision, bytes] = row as [number, Buffer, number, Buffer | null]
    return { persistenceId, epoch, writer: writer.toString(), revision, bytes: bytes ?? undefined }
  }

  async listIds(query: IdQuery): Promise<IdPage> {
    this.#checkOpen()
    checkIdQuery(query)
    const { kind, prefix = '', after = '', idsMax } = query
    const most = Math.min(idsMax, this.#settings.readEventsMax)
    const first = Buffer.from(prefix)
    const values = [first, Buffer.from(after), behind(first), most + 1]
    const pages = await Promise.all(
      this.#partitions.map((partition) => {
        const { stream_ids, state_ids } = partition.statements
        return partition.read(kind === 'events' ? stream_ids : state_ids, values)
      }),
    )
    const ids = pages.flat().map(([id]) => id as Buffer)
    const inOrder = ids.sort(Buffer.compare).slice(0, most)
    return { ids: inOrder.map((id) => id.toString()), isLast: ids.length <= most }
  }

  async readStream(persistenceId: string): Promise<StreamPlace | undefined> {
    this.#checkOpen()
    checkPersistenceId(persistenceId)
    const partition = this.#partitionOf(persistenceId)
    const values = [[Buffer.from(persistenceId)]]
    const [row] = await partition.read(partition.statements.streams, values)
    return row && { persistenceId, ...streamOf(row.slice(1)) }
  }

  async placeStream(place: StreamPlace): Promise<void> {
    this.#checkOpen()
    checkClaim(place.persistenceId, place.writer)
    const { persistenceId } = place
    const { statements } = this.#partitionOf(persistenceId)
    const key = `e${persistenceId}`
    await this.#write(persistenceId, { type: 'Place', key, place: placeStream(statements, place) })
  }

  async placeState(state: StoredState): Promise<void> {
    this.#checkOpen()
    checkClaim(state.persistenceId, state.writer)
    const { persistenceId } = state
    const { statements } = this.#partitionOf(persistenceId)
    const key = `s${persistenceId}`
    await this.#write(persistenceId, { type: 'Place', key, place: placeState(statements, state) })
  }

  async listRegisters({
    after = '',
    namesMax,
  }: Parameters<StoreTransfer['listRegisters']>[0]): Promise<readonly string[]> {
    this.#checkOpen()
    const first = this.#partitions[0]!
    const values = [Buffer.from(after), Math.min(namesMax, this.#settings.readEventsMax)]
    const rows = await first.read(first.statements.register_names, values)
    return rows.map(([name]) => (name as Buffer).toString())
  }

  async placeRegister(register: StoredRegister & { readonly name: string }): Promise<void> {
    this.#checkOpen()
    checkRegisterName(register.name)
    const first = this.#partitions[0]!
    const key = `r${register.name}`
    const place = placeRegister(first.statements, register)
    await first.write({ type: 'Place', key, place }, registerSlice, 0)
  }

  async readRegister(name: string): Promise<StoredRegister | undefined> {
    this.#checkOpen()
    checkRegisterName(name)
    const first = this.#partitions[0]!
    const [row] = await first.read(first.statements.read_register, [Buffer.from(name)])
    if (row === undefined) return undefined
    const [revision, bytes] = row as [number, Buffer]
    return { revision, bytes }
  }

  async writeRegister(write: RegisterWrite): Promise<RegisterWriteResult> {
    this.#checkOpen()
    const byteCount = checkRegisterWrite(write)
    const request = { type: 'Register', write } as const
    const written = await this.#partitions[0]!.write(request, registerSlice, byteCount)
    return written as RegisterWriteResult
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#partitions.map((partition) => partition.close())).then(
      () => undefined,
    )
    return this.#closing
  }

  async #write<Result>(
    persistenceId: string,
    request: PostgresRequest,
    byteCount = 0,
  ): Promise<Result> {
    const partition = this.#partitionOf(persistenceId)
    return (await partition.write(request, sliceOf(persistenceId), byteCount)) as Result
  }

  #partitionOf(persistenceId: string): PostgresPartition {
    return this.#partitions[this.#slices.partitionOf(sliceOf(persistenceId))]!
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new JournalClosed()
  }
}

/** Registers are on the first server, all in the turn of one of its connections. */
const registerSlice = 0

function eventOf(persistenceId: string, row: PostgresRow): StoredEvent {
  const [sequenceNr, epoch, tags, bytes] = row as [number, number, Buffer[] | null, Buffer]
  return { persistenceId, sequenceNr, epoch, tags: tagsOfRow(tags), bytes }
}

/** The first bytes that come behind all that begin so; null when there are none such. */
function behind(prefix: Buffer): Buffer | null {
  // The last byte of a text in UTF-8 is never the greatest there is.
  if (prefix.length === 0) return null
  const end = Buffer.from(prefix)
  end[end.length - 1]!++
  return end
}

/** Throws `InvalidSettings`. */
function serversOf({ url, partitions }: PostgresStore): readonly string[] {
  const urls = partitions ?? (url === undefined ? [] : [url])
  const problems: string[] = []
  if (urls.length === 0) problems.push('url must be given, or partitions')
  if (!urls.every(isPostgresUrl)) {
    problems.push('url and partitions must be addresses such as postgres://user@host:5432/database')
  }
  if (url !== undefined && urls.length > 0 && urls[0] !== url) {
    problems.push('url must be the first of partitions, which lists all servers, or be left out')
  }
  if (urls.length > partitionsMax || !Number.isInteger(Math.log2(urls.length))) {
    problems.push(`partitions must be 1, 2, 4, 8 and so on, at most ${partitionsMax}`)
  }
  if (new Set(urls).size < urls.length) problems.push('partitions must not name a server twice')
  if (problems.length > 0) {
    throw new InvalidSettings('The options of the PostgreSQL store', problems)
  }
  return urls
}
