/**
 * Performs the writes of one commit, statement by statement. Each statement changes only what may be changed, on rows that it
 * has locked; what it left alone is then looked at, and judged by the rules that all stores have.
 */
import { unreachable } from '../../../foundation/assert.ts'
import {
  InvalidJournalCall,
  JournalOutcomeUnknown,
  JournalUnavailable,
} from '../../persistence-errors.ts'
import { judgeRegisterWrite, type RegisterWrite } from '../../registers.ts'
import { judgeAppend, judgeDeletionTo, judgeSnapshot, judgeSnapshotDeletion } from '../fence.ts'
import {
  appendAllParameters,
  appendParameters,
  byStream,
  type StreamAppend,
} from './postgres-append.ts'
import { byteaArray } from './postgres-arrays.ts'
import { claimStates, claimStreams } from './postgres-claims.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import type { PostgresRow, PostgresValue } from './postgres-driver.ts'
import { sqlStateOf } from './postgres-failure.ts'
import type { PostgresStatement, PostgresStatements } from './postgres-statements.ts'
import {
  lanesOf,
  ownMistake,
  type PostgresCommitParts,
  textOf,
  writeStates,
} from './postgres-state-writes.ts'
import {
  type Of,
  type PostgresRequest,
  type PostgresStep,
  type PostgresWrite,
  stepsOf,
} from './postgres-write.ts'

/** Deleted events that one statement takes out of the tables. */
const scrubEventsMax = 500

/** Where a stream stands, as the server says. */
export interface StreamRow {
  readonly epoch: number
  readonly writer: string
  readonly highestSequenceNr: number
  readonly deletedSequenceNr: number
  readonly startSequenceNr: number
}

export function streamOf(row: PostgresRow): StreamRow {
  const [epoch, writer, highestSequenceNr, deletedSequenceNr, startSequenceNr] = row as [
    number,
    Buffer,
    number,
    number,
    number,
  ]
  const numbers = { highestSequenceNr, deletedSequenceNr, startSequenceNr }
  return { epoch, writer: writer.toString(), ...numbers }
}

/** Every write is decided when it resolves: with its result, or with the error that its caller is told. */
export async function performAll(
  parts: PostgresCommitParts,
  writes: readonly PostgresWrite[],
): Promise<void> {
  const commit = new PostgresCommit(parts)
  const steps = stepsOf(writes)
  for (const [at, step] of steps.entries()) {
    try {
      await commit.perform(step)
    } catch (error) {
      const reason = error instanceof Error ? error : new JournalUnavailable(String(error))
      refuse([step], reason)
      // Those behind were not tried: a stream must not go on where nobody knows how it stands.
      const isUnknown = reason instanceof JournalOutcomeUnknown
      const behind = isUnknown
        ? new JournalUnavailable(`Nothing was stored, after this: ${reason.message}`)
        : reason
      refuse(steps.slice(at + 1), behind)
      return
    }
  }
}

function refuse(steps: readonly PostgresStep[], reason: Error): void {
  for (const write of steps.flatMap(({ writes }) => writes)) {
    if (!write.isDecided) write.refuse(reason)
  }
}

function decideAppended({ writes, batches }: StreamAppend): void {
  for (const [nth, { expectedSequenceNr, events }] of batches.entries()) {
    const highestSequenceNr = expectedSequenceNr + events.length
    writes[nth]!.decide({ type: 'Appended', highestSequenceNr })
  }
}

/** What the server said when it refused a statement, with nothing done. */
function refusalOf(error: unknown): string | undefined {
  return error instanceof JournalUnavailable ? sqlStateOf(error.cause) : undefined
}

/** How a statement that does all or nothing says no. An engine may meet the events of the other writer before it comes to that. */
const notAll: ReadonlySet<string | undefined> = new Set(['22P02', '23505'])

/** The engine does not know what the statement is made of, as slices of arrays in CockroachDB. */
const notKnown: ReadonlySet<string | undefined> = new Set(['0A000', '42601', '42883'])

class PostgresCommit {
  readonly #parts: PostgresCommitParts
  readonly #connection: PostgresConnection
  readonly #statements: PostgresStatements

  constructor(parts: PostgresCommitParts) {
    this.#parts = parts
    this.#connection = parts.connection
    this.#statements = parts.statements
  }

  async perform({ type, writes }: PostgresStep): Promise<void> {
    switch (type) {
      case 'Append':
        return this.#append(byStream(writes), false)
      case 'End':
        return this.#append(byStream(writes), true)
      case 'Claim':
        return claimStreams(this.#parts, writes)
      case 'ClaimState':
        return claimStates(this.#parts, writes)
      case 'Highest':
        return this.#highest(writes)
      case 'WriteState':
        return writeStates(this.#parts, writes)
      case 'DeleteTo':
      case 'SaveSnapshot':
      case 'DeleteSnapshots':
      case 'Register':
      case 'Scrub':
      case 'Place':
        for (const write of writes) await this.#performAlone(write)
        return
      default:
        return unreachable(type)
    }
  }

  async #performAlone(write: PostgresWrite): Promise<void> {
    const { request } = write
    try {
      write.decide(await this.#alone(request))
    } catch (error) {
      // A caller's mistake is its own affair; anything else ends the commit.
      if (!(error instanceof InvalidJournalCall)) throw error
      write.refuse(error)
    }
  }

  #alone(request: PostgresRequest): Promise<unknown> {
    switch (request.type) {
      case 'DeleteTo':
        return this.#deleteTo(request)
      case 'SaveSnapshot':
        return this.#saveSnapshot(request)
      case 'DeleteSnapshots':
        return this.#deleteSnapshots(request)
      case 'Register':
        return this.#writeRegister(request.write)
      case 'Scrub':
        return this.#scrub()
      case 'Place':
        return request.place(this.#connection)
      default:
        throw new TypeError(`${request.type} is not performed alone`)
    }
  }

  /** All at once, which is how it nearly always ends; stream by stream where one of them is not as expected. */
  async #append(streams: readonly StreamAppend[], ends: boolean): Promise<void> {
    if (!ends && (await this.#appendAll(streams))) return
    return this.#appendEach(streams, ends)
  }

  /** False when nothing was stored. */
  async #appendAll(streams: readonly StreamAppend[]): Promise<boolean> {
    const { slices, numbers, engine } = this.#parts
    if (!engine.canAppendAll) return false
    let given = appendAllParameters(streams, slices, numbers)
    if (given === undefined) {
      await this.#streams(streams.map(({ id }) => id).filter((id) => numbers.get(id) === undefined))
      given = appendAllParameters(streams, slices, numbers)
    }
    // A stream that was never claimed has no number.
    if (given === undefined) return false
    const { append_all, append_all_tagged } = this.#statements
    try {
      await this.#run(given.hasTags ? append_all_tagged : append_all, given.values)
    } catch (error) {
      const refusal = refusalOf(error)
      if (notKnown.has(refusal)) engine.canAppendAll = false
      else if (!notAll.has(refusal)) throw error
      // They may be of tables that were restored since.
      for (const { id } of streams) numbers.delete(id)
      return false
    }
    for (const stream of streams) decideAppended(stream)
    return true
  }

  /** Until each is stored, or refused by what the stream has become. */
  async #appendEach(streams: readonly StreamAppend[], ends: boolean): Promise<void> {
    for (let open = streams; open.length > 0;) {
      const { hasTags, values } = appendParameters(open, this.#parts.slices)
      const { append, append_tagged, end, end_tagged } = this.#statements
      const [plain, tagged] = ends ? [end, end_tagged] : [append, append_tagged]
      const rows = await this.#run(hasTags ? tagged : plain, values)
      const refused = new Set(rows.map(([place]) => (place as number) - 1))
      for (const [at, stream] of open.entries()) if (!refused.has(at)) decideAppended(stream)
      const left = open.filter((_, at) => refused.has(at))
      open = left.length === 0 ? [] : await this.#judged(left)
    }
  }

  /** Answers what is to be tried again: an append may fit although the one before it did not. */
  async #judged(streams: readonly StreamAppend[]): Promise<StreamAppend[]> {
    const stored = await this.#streams(streams.map(({ id }) => id))
    const again: StreamAppend[] = []
    for (const { id, writes, batches } of streams) {
      const first = batches.findIndex((batch, nth) => {
        const write = writes[nth]!
        try {
          const result = judgeAppend(stored.get(id), batch)
          if (result.type === 'Appended') return true
          write.decide(result)
        } catch (error) {
          write.refuse(ownMistake(error))
        }
        return false
      })
      if (first >= 0) {
        again.push({ id, writes: writes.slice(first), batches: batches.slice(first) })
      }
    }
    return again
  }

  async #highest(writes: readonly PostgresWrite[]): Promise<void> {
    const ids = writes.map(({ request }) => (request as Of<'Highest'>).persistenceId)
    const stored = await this.#streams(ids)
    for (const [at, write] of writes.entries()) {
      write.decide(stored.get(ids[at]!)?.highestSequenceNr ?? 0)
    }
  }

  #deleteTo({ deletion }: Of<'DeleteTo'>): Promise<unknown> {
    const { persistenceId, epoch, toSequenceNr } = deletion
    const values = [Buffer.from(persistenceId), epoch, toSequenceNr]
    return this.#fenced(
      persistenceId,
      async () => {
        const [row] = await this.#run(this.#statements.delete_to, values)
        return row && { type: 'EventsDeleted', deletedSequenceNr: row[0] }
      },
      (stream) => {
        const result = judgeDeletionTo(stream, deletion)
        return result.type === 'EventsDeleted' ? undefined : result
      },
    )
  }

  #saveSnapshot({ snapshot }: Of<'SaveSnapshot'>): Promise<unknown> {
    const { persistenceId, epoch, sequenceNr, savedAtMs, bytes } = snapshot
    const values = [Buffer.from(persistenceId), epoch, sequenceNr, savedAtMs, bytes]
    return this.#fenced(
      persistenceId,
      async () => {
        const rows = await this.#run(this.#statements.save_snapshot, values)
        return rows.length > 0 ? { type: 'SnapshotSaved' } : undefined
      },
      (stream) => {
        const result = judgeSnapshot(stream, snapshot)
        return result.type === 'SnapshotSaved' ? undefined : result
      },
    )
  }

  #deleteSnapshots({ deletion }: Of<'DeleteSnapshots'>): Promise<unknown> {
    const { persistenceId, epoch, fromSequenceNr, toSequenceNr, savedUntilMs } = deletion
    const until = savedUntilMs ?? Number.MAX_SAFE_INTEGER
    const values = [Buffer.from(persistenceId), epoch, fromSequenceNr, toSequenceNr, until]
    return this.#fenced(
      persistenceId,
      async () => {
        const rows = await this.#run(this.#statements.delete_snapshots, values)
        return rows.length > 0 ? { type: 'SnapshotsDeleted' } : undefined
      },
      (stream) => judgeSnapshotDeletion(stream, deletion),
    )
  }

  /** Tries, and judges what it found instead; again when that has changed in between. */
  async #fenced(
    persistenceId: string,
    attempt: () => Promise<unknown>,
    judge: (stream: StreamRow | undefined) => unknown,
  ): Promise<unknown> {
    for (;;) {
      const done = await attempt()
      if (done !== undefined) return done
      const refusal = judge((await this.#streams([persistenceId])).get(persistenceId))
      if (refusal !== undefined) return refusal
    }
  }

  async #writeRegister(write: RegisterWrite): Promise<unknown> {
    const { first_register, next_register, read_register } = this.#statements
    const { expectedRevision, bytes } = write
    const name = Buffer.from(write.name)
    for (;;) {
      const [written] =
        expectedRevision === 0
          ? await this.#run(first_register, [name, bytes])
          : await this.#run(next_register, [name, bytes, expectedRevision])
      if (written !== undefined) return { type: 'RegisterWritten', revision: written[0] }
      const [found] = await this.#run(read_register, [name])
      const result = judgeRegisterWrite((found?.[0] as number | undefined) ?? 0, write)
      if (result.type === 'RegisterChanged') return result
    }
  }

  /** Answers whether there may be more. First the lock, then a look: others scrub the same stream, and the same commits. */
  async #scrub(): Promise<boolean> {
    const { unscrubbed, lock_lanes, scrub, scrubbed } = this.#statements
    const [stream] = await this.#run(unscrubbed, [])
    if (stream === undefined) return false
    const [number, slice, deleted] = stream as [number, number, number]
    const lanes = lanesOf(this.#parts, [slice])
    const [row] = await this.#connection.transaction(
      async (run) => {
        await run(lock_lanes, [lanes])
        return run(scrub, [number, deleted, scrubEventsMax, lanes])
      },
      { mayRepeat: true },
    )
    const gone = (row?.[0] as number | undefined) ?? 0
    if (gone < scrubEventsMax) await this.#run(scrubbed, [number, deleted])
    return true
  }

  async #streams(ids: readonly string[]): Promise<Map<string, StreamRow>> {
    const given = byteaArray(ids.map((id) => Buffer.from(id)))
    const rows = await this.#run(this.#statements.streams, [given])
    const streams = new Map<string, StreamRow>()
    for (const [bytes, ...row] of rows) {
      const id = textOf(bytes)
      streams.set(id, streamOf(row))
      this.#parts.numbers.set(id, row.at(-1) as number)
    }
    return streams
  }

  #run(
    statement: PostgresStatement,
    values: readonly PostgresValue[],
  ): Promise<readonly PostgresRow[]> {
    return this.#connection.run(statement, values)
  }
}
