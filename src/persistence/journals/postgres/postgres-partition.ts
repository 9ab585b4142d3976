/** One server of the store: the connections that write, each with a group commit of its own, and those that read. */
import type { Clock } from '../../../foundation/clock.ts'
import type { Timers } from '../../../foundation/timers.ts'
import { GroupCommit } from '../group-commit.ts'
import { LatelyUsed } from '../lately-used.ts'
import type { StreamNumbers } from './postgres-append.ts'
import { performAll } from './postgres-commit.ts'
import { PostgresConnection } from './postgres-connection.ts'
import type {
  PostgresClient,
  PostgresConnect,
  PostgresRow,
  PostgresValue,
} from './postgres-driver.ts'
import { lanesPerServer, type PostgresSlices } from './postgres-schema.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import type { PostgresStatement, PostgresStatements } from './postgres-statements.ts'
import { PostgresWrite } from './postgres-write.ts'

export interface PostgresPartitionOptions {
  readonly url: string
  readonly connect: (options: PostgresConnect) => Promise<PostgresClient>
  readonly statements: PostgresStatements
  readonly slices: PostgresSlices
  readonly settings: PostgresSettings
  readonly clock: Clock
  readonly timers: Timers
  /** Resolves when all who are at work now had their turn: a commit takes along what they want to store. */
  readonly gather: () => Promise<void>
}

/** Streams whose numbers a connection that writes remembers, in each of two generations. */
const numbersMax = 65_536

/** Its connection can scrub as well as any. */
const anySlice = 0

interface Writer {
  readonly connection: PostgresConnection
  readonly commits: GroupCommit<PostgresWrite>
}

export class PostgresPartition {
  readonly #options: PostgresPartitionOptions
  readonly #writers: readonly Writer[]
  readonly #readers: readonly PostgresConnection[]
  readonly #reads = new Set<Promise<unknown>>()
  #isScrubbing = false
  #isClosed = false

  constructor(options: PostgresPartitionOptions) {
    const { writeConnections, readConnections, readTimeoutMs } = options.settings
    this.#options = options
    this.#writers = Array.from({ length: writeConnections }, () => this.#newWriter())
    this.#readers = Array.from({ length: readConnections }, () =>
      this.#newConnection(readTimeoutMs),
    )
    // Whoever deleted may have died before it was done.
    this.scrubOn()
  }

  get statements(): PostgresStatements {
    return this.#options.statements
  }

  /** In one order with all other writes of the same slice. */
  add(write: PostgresWrite): void {
    const lane = this.#options.slices.laneOf(write.slice)
    const writer = Math.floor((lane * this.#writers.length) / lanesPerServer)
    this.#writers[writer]!.commits.add(write)
  }

  /** On the connection that has the least to do. */
  read(
    statement: PostgresStatement,
    values: readonly PostgresValue[],
  ): Promise<readonly PostgresRow[]> {
    const [first, ...others] = this.#readers
    const least = others.reduce((a, b) => (b.underWay < a.underWay ? b : a), first!)
    const reading = least.run(statement, values)
    this.#reads.add(reading)
    const done = (): void => void this.#reads.delete(reading)
    reading.then(done, done)
    return reading
  }

  /** Takes deleted events out of the tables, some at a time, until none is left. */
  scrubOn(): void {
    if (this.#isScrubbing || this.#isClosed) return
    this.#isScrubbing = true
    const ended = (hasMore: boolean): void => {
      this.#isScrubbing = false
      if (hasMore) this.scrubOn()
    }
    // What fails here is tried again with the next deletion, or when the store is opened next.
    this.add(
      new PostgresWrite({
        ...{ request: { type: 'Scrub' }, slice: anySlice, byteCount: 0 },
        asker: {
          succeeded: (hasMore) => ended(hasMore === true),
          failed: () => ended(false),
        },
      }),
    )
  }

  /** Finishes what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#writers.map(({ commits }) => commits.whenIdle()))
    await Promise.allSettled(this.#reads)
    const connections = [...this.#readers, ...this.#writers.map(({ connection }) => connection)]
    await Promise.all(connections.map((connection) => connection.close()))
  }

  #newWriter(): Writer {
    const { settings, statements, slices, timers, gather } = this.#options
    const connection = this.#newConnection(settings.commitTimeoutMs, writerSettings)
    const numbers: StreamNumbers = new LatelyUsed(numbersMax)
    const parts = { connection, statements, slices, numbers, engine: { canAppendAll: true } }
    const transact = async (take: () => readonly PostgresWrite[]): Promise<void> => {
      if (!connection.isReady) await connection.ready()
      await gather()
      await performAll(parts, take())
    }
    const advice = (): string =>
      `Is PostgreSQL at ${connection.place} up, and does nothing there hold locks for long?`
    return { connection, commits: new GroupCommit({ transact, settings, timers, advice }) }
  }

  #newConnection(timeoutMs: number, own: ServerSettings = {}): PostgresConnection {
    const { url, connect, settings, clock, timers } = this.#options
    const { connectTimeoutMs } = settings
    return new PostgresConnection({
      ...{ url, clock, timers, timeoutMs },
      connect: () => connect({ url, connectTimeoutMs }),
      prepare: (client) => prepare(client, { ...serverSettings(timeoutMs), ...own }),
    })
  }
}

/** By name; those that the server does not know are left out. */
type ServerSettings = Readonly<Record<string, string>>

/** The server gives up a statement when we do, and answers bytes in the form that we read. */
function serverSettings(timeoutMs: number): ServerSettings {
  return { statement_timeout: `${timeoutMs}`, bytea_output: 'hex' }
}

/**
 * Statements that write find their rows by key, and are planned once: to plan an append of many rows costs as much as to do it
 * for a few, and a plan of a time when the tables were small must not read all of one that has grown.
 */
const writerSettings: ServerSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
}

/**
 * What every connection needs. A commit is confirmed only when it is on the server's disk, also where its own default is another.
 * After a failover the address may lead to a standby for a while, and what it answers may be old: it is not asked anything.
 */
async function prepare(client: PostgresClient, settings: ServerSettings): Promise<void> {
  const set = Object.keys(settings).map(
    (name, at) =>
      `CASE WHEN current_setting('${name}', true) IS NOT NULL THEN set_config('${name}', $${at + 1}, false) END`,
  )
  const [row] = await client.query({
    text: `SELECT current_setting('in_hot_standby', true), ${set.join(', ')},
  CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END`,
    values: Object.values(settings),
  })
  if (row?.[0] === 'on') throw new StandbyReached('in_hot_standby is on')
}

/** As the server says it of a write. */
class StandbyReached extends Error {
  readonly code = '25006'
}
