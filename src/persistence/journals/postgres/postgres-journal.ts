/**
 * The journal on PostgreSQL, for clusters over several machines: one server, or several that share the slices. All that entities
 * of a process want to store goes through a group commit; each commit is one statement that checks epochs and sequence numbers
 * under the locks of its rows. Reads have connections of their own. One file because it is one port after another, each a few
 * lines: what they do is in the files beside it.
 */
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../foundation/clock.ts'
import type { Grant } from '../../../foundation/grant.ts'
import { InvalidSettings } from '../../../foundation/invalid-settings.ts'
import { systemClock } from '../../../foundation/system-clock.ts'
import { systemRandom } from '../../../foundation/system-random.ts'
import { systemTimers } from '../../../foundation/system-timers.ts'
import type { Timers } from '../../../foundation/timers.ts'
import {
  beforeGrants,
  bytesOfToken,
  checkGrantName,
  type ClaimFences,
  grantNameOf,
  registerOfGrant,
  tokenIn,
} from '../../claim-fences.ts'
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
import type { ToldAppend, ToldAppends } from '../../told-appends.ts'
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
import { type PostgresStatements, statementsFor } from './postgres-statements.ts'
import { placeRegister, placeState, placeStream } from './postgres-transfer.ts'
import { isPostgresUrl } from './postgres-url.ts'
import {
  type Place,
  type PostgresAsker,
  type PostgresRequest,
  PostgresWrite,
} from './postgres-write.ts'

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
  readonly statements: PostgresStatements
}

/** With the id that it is about; none for a register. */
interface CheckedRequest {
  readonly persistenceId?: string
  readonly request: PostgresRequest
  readonly byteCount?: number
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
    StoreTransfer,
    ClaimFences
{
  readonly storeId: string
  /** @internal */
  readonly toldAppends: ToldAppends = {
    journal: this,
    append: (batch, told) => this.#appendTold(batch, told),
  }
  readonly #partitions: readonly PostgresPartition[]
  readonly #slices: PostgresSlices
  readonly #settings: PostgresSettings
  readonly #statements: PostgresStatements
  readonly #sliceReader: PostgresSliceReader
  #closing: Promise<void> | undefined

  private constructor(parts: PostgresJournalParts) {
    this.storeId = parts.storeId
    this.#partitions = parts.partitions
    this.#slices = parts.slices
    this.#settings = parts.settings
    this.#statements = parts.statements
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
      (url) =>
        new PostgresPartition({
          ...{ url, connect, statements, slices, settings, clock, timers },
          gather: othersHadTheirTurn,
        }),
    )
    return new PostgresJournal({ storeId, partitions, slices, settings, statements })
  }

  get eventBytesMax(): number {
    return this.#settings.eventBytesMax
  }

  get stateBytesMax(): number {
    return this.#settings.stateBytesMax
  }

  claim(persistenceId: string, writer: string, grant?: Grant): Promise<Claim> {
    return this.#write(() => {
      checkClaim(persistenceId, writer, grant)
      return { persistenceId, request: { type: 'Claim', persistenceId, writer, grant } }
    })
  }

  append(batch: AppendBatch): Promise<AppendResult> {
    return this.#write(() => this.#checkedAppend(batch))
  }

  /** They are hidden when it resolves, and leave the tables soon after, piece by piece. */
  async deleteEvents(batch: AppendBatch): Promise<AppendResult> {
    const { persistenceId } = batch
    const result = await this.#write<AppendResult>(() => ({
      byteCount: checkDeletion(batch, this.#settings),
      ...{ persistenceId, request: { type: 'End', batch } },
    }))
    this.#partitionOf(persistenceId).scrubOn()
    return result
  }

  async deleteEventsTo(deletion: EventDeletionTo): Promise<EventDeletionResult> {
    const { persistenceId } = deletion
    const result = await this.#write<EventDeletionResult>(() => {
      checkDeletionTo(deletion)
      return { persistenceId, request: { type: 'DeleteTo', deletion } }
    })
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
      const rows = await partition.read(this.#statements.read, values)
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

  highestSequenceNr(persistenceId: string): Promise<number> {
    return this.#write(() => {
      checkPersistenceId(persistenceId)
      return { persistenceId, request: { type: 'Highest', persistenceId } }
    })
  }

  async readSlices(query: SliceQuery): Promise<SlicePage> {
    this.#checkOpen()
    checkSliceQuery(query)
    return this.#sliceReader.page(query)
  }

  saveSnapshot(snapshot: NewSnapshot): Promise<SnapshotResult> {
    return this.#write(() => ({
      byteCount: checkNewSnapshot(snapshot, this.#settings.stateBytesMax),
      persistenceId: snapshot.persistenceId,
      request: { type: 'SaveSnapshot', snapshot },
    }))
  }

  async loadSnapshot(query: SnapshotQuery): Promise<StoredSnapshot | undefined> {
    this.#checkOpen()
    checkSnapshotQuery(query)
    const { persistenceId, fromSequenceNr, toSequenceNr } = query
    const until = query.savedUntilMs ?? Number.MAX_SAFE_INTEGER
    const partition = this.#partitionOf(persistenceId)
    const values = [Buffer.from(persistenceId), fromSequenceNr, toSequenceNr, until]
    const [row] = await partition.read(this.#statements.load_snapshot, values)
    if (row === undefined) return undefined
    const [sequenceNr, savedAtMs, bytes] = row as [number, number, Buffer]
    return { persistenceId, sequenceNr, savedAtMs, bytes }
  }

  deleteSnapshots(deletion: SnapshotDeletion): Promise<SnapshotsDeleted | Fenced> {
    return this.#write(() => {
      checkSnapshotDeletion(deletion)
      const { persistenceId } = deletion
      return { persistenceId, request: { type: 'DeleteSnapshots', deletion } }
    })
  }

  claimState(persistenceId: string, writer: string, grant?: Grant): Promise<StateClaim> {
    return this.#write(() => {
      checkClaim(persistenceId, writer, grant)
      return { persistenceId, request: { type: 'ClaimState', persistenceId, writer, grant } }
    })
  }

  writeState(write: StateWrite): Promise<StateWriteResult> {
    return this.#write(() => ({
      byteCount: checkStateWrite(write, this.#settings.stateBytesMax),
      persistenceId: write.persistenceId,
      request: { type: 'WriteState', write },
    }))
  }

  async readState(persistenceId: string): Promise<StoredState | undefined> {
    this.#checkOpen()
    checkPersistenceId(persistenceId)
    const partition = this.#partitionOf(persistenceId)
    const values = [Buffer.from(persistenceId)]
    const [row] = await partition.read(this.#statements.read_state, values)
    if (row === undefined) return undefined
    const [epoch, writer, revision, bytes] = row as [number, Buffer, number, Buffer | null]
    return { persistenceId, epoch, writer: writer.toString(), revision, bytes: bytes ?? undefined }
  }

  async listIds(query: IdQuery): Promise<IdPage> {
    this.#checkOpen()
    checkIdQuery(query)
    const { kind, prefix = '', after = '', idsMax } = query
    const most = Math.min(idsMax, namesReadMax)
    const first = Buffer.from(prefix)
    const values = [first, Buffer.from(after), behind(first), most + 1]
    const pages = await Promise.all(
      this.#partitions.map((partition) => {
        const { stream_ids, state_ids } = this.#statements
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
    const [row] = await partition.read(this.#statements.streams, values)
    return row && { persistenceId, ...streamOf(row.slice(1)) }
  }

  placeStream(place: StreamPlace): Promise<void> {
    return this.#write(() => {
      const { persistenceId } = place
      checkClaim(persistenceId, place.writer)
      return {
        persistenceId,
        request: { type: 'Place', place: placeStream(this.#statements, place) },
      }
    })
  }

  placeState(state: StoredState): Promise<void> {
    return this.#write(() => {
      const { persistenceId } = state
      checkClaim(persistenceId, state.writer)
      return {
        persistenceId,
        request: { type: 'Place', place: placeState(this.#statements, state) },
      }
    })
  }

  async listRegisters({
    after = '',
    namesMax,
  }: Parameters<StoreTransfer['listRegisters']>[0]): Promise<readonly string[]> {
    this.#checkOpen()
    const first = this.#partitions[0]!
    const values = [Buffer.from(after), Math.min(namesMax, namesReadMax)]
    const rows = await first.read(this.#statements.register_names, values)
    return rows.map(([name]) => (name as Buffer).toString())
  }

  placeRegister(register: StoredRegister & { readonly name: string }): Promise<void> {
    return this.#write(() => {
      checkRegisterName(register.name)
      return { request: { type: 'Place', place: placeRegister(this.#statements, register) } }
    })
  }

  async readRegister(name: string): Promise<StoredRegister | undefined> {
    this.#checkOpen()
    checkRegisterName(name)
    const first = this.#partitions[0]!
    const [row] = await first.read(this.#statements.read_register, [Buffer.from(name)])
    if (row === undefined) return undefined
    const [revision, bytes] = row as [number, Buffer]
    return { revision, bytes }
  }

  writeRegister(write: RegisterWrite): Promise<RegisterWriteResult> {
    return this.#write(() => ({
      byteCount: checkRegisterWrite(write),
      request: { type: 'Register', write },
    }))
  }

  async listGrants(): Promise<readonly Grant[]> {
    this.#checkOpen()
    const first = Buffer.from(beforeGrants)
    const { registers_between } = this.#statements
    const pages = await Promise.all(
      this.#partitions.map((partition) =>
        partition.read(registers_between, [first, behind(first)]),
      ),
    )
    return greatestOf(pages.flat().map(([name, bytes]) => grantIn(name as Buffer, bytes as Buffer)))
  }

  /** On every server. */
  async forgetGrant(name: string): Promise<void> {
    this.#checkOpen()
    checkGrantName(name)
    const values = [Buffer.from(registerOfGrant(name)), bytesOfToken(0)]
    const place: Place = async (connection) => {
      await connection.run(this.#statements.put_token, values)
    }
    await Promise.all(
      this.#partitions.map((partition, at) => {
        const slice = this.#slices.firstOf(at)
        return new Promise<unknown>((succeeded, failed) => {
          const request = { type: 'Place', place } as const
          partition.add(
            new PostgresWrite({ request, slice, byteCount: 0, asker: { succeeded, failed } }),
          )
        })
      }),
    )
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#partitions.map((partition) => partition.close())).then(
      () => undefined,
    )
    return this.#closing
  }

  /** What is wrong with the request rejects the promise, which is the only one made. */
  #write<Result>(checked: () => CheckedRequest): Promise<Result> {
    return new Promise<Result>((resolve, failed) => {
      this.#checkOpen()
      this.#add(checked(), { succeeded: resolve, failed })
    })
  }

  #add({ persistenceId, request, byteCount = 0 }: CheckedRequest, asker: PostgresAsker): void {
    const slice = persistenceId === undefined ? registerSlice : sliceOf(persistenceId)
    const write = new PostgresWrite({ request, slice, byteCount, asker })
    this.#partitions[this.#slices.partitionOf(slice)]!.add(write)
  }

  #appendTold(batch: AppendBatch, told: ToldAppend): void {
    try {
      this.#checkOpen()
      this.#add(this.#checkedAppend(batch), told)
    } catch (error) {
      told.failed(error)
    }
  }

  #checkedAppend(batch: AppendBatch): CheckedRequest {
    return {
      byteCount: checkAppend(batch, this.#settings),
      persistenceId: batch.persistenceId,
      request: { type: 'Append', batch },
    }
  }

  #partitionOf(persistenceId: string): PostgresPartition {
    return this.#partitions[this.#slices.partitionOf(sliceOf(persistenceId))]!
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new JournalClosed()
  }
}

/**
 * Behind the turns that are under way, and those that the dispatcher has put off to let the event loop go round; before the next
 * look at the sockets, so that it never waits for what another connection brings.
 */
async function othersHadTheirTurn(): Promise<void> {
  await Promise.resolve()
  await setImmediate()
}

/** Ids, and names of registers, that are read in one go. */
const namesReadMax = 1000

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

function grantIn(register: Buffer, bytes: Buffer): Grant {
  const name = grantNameOf(register.toString()) ?? ''
  return { name, token: tokenIn(name, bytes) }
}

/** Each server has seen its own. */
function greatestOf(seen: readonly Grant[]): Grant[] {
  const tokens = new Map<string, number>()
  for (const { name, token } of seen) tokens.set(name, Math.max(token, tokens.get(name) ?? 0))
  return [...tokens].flatMap(([name, token]) => (token > 0 ? [{ name, token }] : []))
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
