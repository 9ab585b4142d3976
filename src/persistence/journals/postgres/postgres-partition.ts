/** One server of the store: the connections that write, each with a group commit of its own, and those that read. */
import type { Clock } from '../../../foundation/clock.ts'
import type { Timers } from '../../../foundation/timers.ts'
import { GroupCommit } from '../group-commit.ts'
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
}

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
        succeed: (hasMore) => ended(hasMore === true),
        fail: () => ended(false),
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
    const { settings, statements, slices, timers } = this.#options
    const connection = this.#newConnection(settings.commitTimeoutMs)
    const parts = { connection, statements, slices }
    const transact = async (take: () => readonly PostgresWrite[]): Promise<void> => {
      await connection.ready()
      await performAll(parts, take())
    }
    const advice = (): string =>
      `Is PostgreSQL at ${connection.place} up, and does nothing there hold locks for long?`
    return { connection, commits: new GroupCommit({ transact, settings, timers, advice }) }
  }

  #newConnection(timeoutMs: number): PostgresConnection {
    const { url, connect, settings, clock, timers } = this.#options
    const { connectTimeoutMs } = settings
    return new PostgresConnection({
      ...{ url, clock, timers, timeoutMs },
      connect: () => connect({ url, connectTimeoutMs }),
      prepare: (client) => prepare(client, timeoutMs),
    })
  }
}

/**
 * What every connection needs: the server gives up a statement when we do, answers bytes in the form that we read, and confirms
 * a commit only when it is on its disk, also where its own default is another. After a failover the address may lead to a standby
 * for a while, and what it answers may be old: it is not asked anything.
 */
async function prepare(client: PostgresClient, timeoutMs: number): Promise<void> {
  const [row] = await client.query({
    text: `SELECT current_setting('in_hot_standby', true), set_config('statement_timeout', $1, false),
  set_config('bytea_output', 'hex', false),
  CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END`,
    values: [`${timeoutMs}`],
  })
  if (row?.[0] === 'on') throw new StandbyReached('in_hot_standby is on')
}

/** As the server says it of a write. */
class StandbyReached extends Error {
  readonly code = '25006'
}
