/**
 * Looks at one server before the store is used: makes what is missing, and refuses what is not ours, of another version, or of
 * another place in the list of servers. Several nodes may do so at once.
 */
import type { Clock } from '../../../foundation/clock.ts'
import { formatMs, seconds } from '../../../foundation/duration.ts'
import type { Timers } from '../../../foundation/timers.ts'
import type { PostgresClient } from './postgres-driver.ts'
import {
  PostgresPartitionMismatch,
  PostgresSchemaMismatch,
  PostgresUnusable,
} from './postgres-errors.ts'
import { explain, sqlStateOf } from './postgres-failure.ts'
import { placeOfUrl } from './postgres-url.ts'
import {
  lanesPerServer,
  type PostgresTables,
  schemaVersion,
  statementsOf,
} from './postgres-schema.ts'

export interface PostgresOpening {
  readonly url: string
  readonly connect: () => Promise<PostgresClient>
  readonly tables: PostgresTables
  readonly createSchema: boolean
  /** 0 for the first server. */
  readonly partition: number
  readonly partitions: number
  /** Of the store that the other servers belong to, or for a new one. */
  readonly storeId: string
  /** Whether the store may turn out to have another id than that. */
  readonly isFirst: boolean
  readonly timers: Timers
  readonly clock: Clock
  readonly patienceMs: number
}

interface Meta {
  readonly version: number
  readonly storeId: string
  readonly partition: number
  readonly partitions: number
}

const undefinedTable = '42P01'
const noSchema = '3F000'

/** The server starts, or has no connection left just now: a moment later it may be otherwise. */
const passing: ReadonlySet<string | undefined> = new Set(['57P03', '53300'])

/** Others make the same tables just now. */
const madeTwice: ReadonlySet<string | undefined> = new Set([
  ...['23505', '42P07', '42P06', '42710', 'XX000', '40001', '40P01'],
])

/** For all that is asked of one server, with the tables that are made there. */
const answerMs = seconds(30)
const silent = `it let us in, and has not answered within ${formatMs(answerMs)}. Does somebody hold locks on the tables named sherd_…, or is it overloaded?`

const attemptsMax = 20
const pauseMs = 50

/** Answers the id of the store. Throws a `CodedError` that says what to do. */
export async function openPartition(opening: PostgresOpening): Promise<string> {
  const place = placeOfUrl(opening.url)
  try {
    const client = await connected(opening)
    let isLate = false
    const patience = opening.timers.after(answerMs, () => {
      isLate = true
      client.destroy()
    })
    try {
      await checkWritable(client, place)
      const meta = (await readMeta(client, opening)) ?? (await make(client, opening))
      checkMeta(meta, opening)
      return meta.storeId
    } catch (error) {
      throw isLate ? new PostgresUnusable(place, silent, { cause: error }) : error
    } finally {
      await client.end().catch(() => undefined)
      patience.cancel()
    }
  } catch (error) {
    if (!(error instanceof Error) || 'place' in error || 'expected' in error) throw error
    throw new PostgresUnusable(place, explain(error), { sqlState: sqlStateOf(error), cause: error })
  }
}

async function connected(opening: PostgresOpening): Promise<PostgresClient> {
  const { connect, clock, patienceMs } = opening
  const deadline = clock.monotonicMs() + patienceMs
  for (;;) {
    try {
      return await connect()
    } catch (error) {
      if (!passing.has(sqlStateOf(error)) || clock.monotonicMs() > deadline) throw error
    }
    await pause(opening)
  }
}

async function checkWritable(client: PostgresClient, place: string): Promise<void> {
  const [row] = await client.query({ text: `SELECT current_setting('transaction_read_only')` })
  if (row?.[0] !== 'on') return
  const problem =
    'the server takes no writes: it is a standby, or default_transaction_read_only is set. Give the address of the primary.'
  throw new PostgresUnusable(place, problem, { sqlState: '25006' })
}

/** Undefined when something is missing. */
async function readMeta(
  client: PostgresClient,
  { tables }: PostgresOpening,
): Promise<Meta | undefined> {
  try {
    const [row] = await client.query({
      text: `SELECT version, store_id, partition, partitions FROM ${tables.meta}`,
    })
    if (row === undefined) return undefined
    const [version, storeId, partition, partitions] = row as [number, string, number, number]
    return { version, storeId, partition, partitions }
  } catch (error) {
    const state = sqlStateOf(error)
    if (state === undefinedTable || state === noSchema) return undefined
    throw error
  }
}

/** All of it, or nothing: whoever comes at the same time finds it there, or waits. */
async function make(client: PostgresClient, opening: PostgresOpening): Promise<Meta> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query({ text: 'BEGIN' })
      if (opening.createSchema) await makeTables(client, opening)
      await makeRows(client, opening)
      await client.query({ text: 'COMMIT' })
      const meta = await readMeta(client, opening)
      if (meta !== undefined) return meta
    } catch (error) {
      // Where this fails too, the reason is what went wrong first.
      await client.query({ text: 'ROLLBACK' }).catch(() => undefined)
      if (sqlStateOf(error) === undefinedTable) throw tablesMissing(opening, error)
      if (!madeTwice.has(sqlStateOf(error)) || attempt === attemptsMax) throw error
    }
    await pause(opening)
  }
}

async function makeTables(client: PostgresClient, { tables }: PostgresOpening): Promise<void> {
  for (const text of statementsOf(tables)) await client.query({ text })
}

async function makeRows(client: PostgresClient, opening: PostgresOpening): Promise<void> {
  const { tables, storeId, partition, partitions } = opening
  await client.query({
    text: `INSERT INTO ${tables.lanes} (lane, last) SELECT lane, 0 FROM generate_series(0, $1::int4) AS g (lane)
ON CONFLICT (lane) DO NOTHING`,
    values: [lanesPerServer - 1],
  })
  await client.query({
    text: `INSERT INTO ${tables.meta} (version, store_id, partition, partitions) VALUES ($1::int4, $2, $3::int4, $4::int4)
ON CONFLICT (only_row) DO NOTHING`,
    values: [schemaVersion, storeId, partition, partitions],
  })
}

function tablesMissing({ url, tables }: PostgresOpening, cause: unknown): PostgresUnusable {
  const problem = `there is no table ${tables.meta}, and createSchema is false. Run what postgresSchemaSql() gives, in this database, or leave createSchema out.`
  return new PostgresUnusable(placeOfUrl(url), problem, { sqlState: undefinedTable, cause })
}

function checkMeta(meta: Meta, opening: PostgresOpening): void {
  const { url, partition, partitions, storeId, isFirst } = opening
  const place = placeOfUrl(url)
  if (meta.version !== schemaVersion) {
    throw new PostgresSchemaMismatch(place, meta.version, schemaVersion)
  }
  const isOther = !isFirst && meta.storeId !== storeId
  if (meta.partition === partition && meta.partitions === partitions && !isOther) return
  const stored = `${partInWords(meta)} of the store ${meta.storeId}`
  const given = `${partInWords(opening)}${isFirst ? '' : ` of the store ${storeId}`}`
  throw new PostgresPartitionMismatch(place, given, stored)
}

function partInWords({ partition, partitions }: Pick<Meta, 'partition' | 'partitions'>): string {
  const size = 1024 / partitions
  return `server ${partition + 1} of ${partitions}, with the slices ${partition * size} to ${(partition + 1) * size - 1},`
}

function pause({ timers }: PostgresOpening): Promise<void> {
  return new Promise((resolve) => void timers.after(pauseMs, resolve))
}
