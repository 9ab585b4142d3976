/** The offsets of one projection in PostgreSQL: opens the pool when it is first needed, and makes the table where there is none. */
import type { Projection } from '../define-projection.ts'
import type { Offset } from '../offset.ts'
import { offsetTableSql, PostgresOffset } from './postgres-offset.ts'
import { openPool, type OwnPool, type PostgresPool } from './postgres-pool.ts'

export interface ProjectionDatabase {
  /** Of the database; connections are made by the package `pg`, which you install. */
  readonly url?: string | undefined
  /** Connections to it, at most; 8 when not given. A range needs one for each transaction. */
  readonly connectionsMax?: number | undefined
  /** In place of a url: a `Pool` of `pg` of your own, which you close. */
  readonly pool?: PostgresPool | undefined
  /** Where it is kept how far each range came; `sherd_projections` when not given. */
  readonly table?: string | undefined
}

const connectionsMaxByDefault = 8
const tableByDefault = 'sherd_projections'

export class PostgresOffsets {
  readonly #projection: Projection
  readonly #database: ProjectionDatabase
  #own: OwnPool | undefined = undefined
  #opened: Promise<PostgresPool> | undefined = undefined

  constructor(projection: Projection, database: ProjectionDatabase) {
    this.#projection = projection
    this.#database = database
  }

  of(range: number, worker: string, storeId: string | undefined): Offset {
    const { table = tableByDefault } = this.#database
    const pool = (): Promise<PostgresPool> => this.#pool(table)
    const projection = this.#projection
    return new PostgresOffset({ pool, table, projection, range, worker, storeId })
  }

  async close(): Promise<void> {
    await this.#opened?.catch(() => undefined)
    await this.#own?.end()
  }

  /** Once; again when that failed. */
  #pool(table: string): Promise<PostgresPool> {
    this.#opened ??= this.#open(table).catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #open(table: string): Promise<PostgresPool> {
    const { url = '', pool: given, connectionsMax = connectionsMaxByDefault } = this.#database
    const pool = given ?? (this.#own ??= await openPool(url, connectionsMax))
    const client = await pool.connect()
    try {
      await this.#makeTable(client, table)
    } finally {
      client.release()
    }
    return pool
  }

  /** Only where there is none: many may use a table that they may not make. */
  async #makeTable(
    client: Awaited<ReturnType<PostgresPool['connect']>>,
    table: string,
  ): Promise<void> {
    const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS there', [table])
    if (rows[0]?.['there'] === true) return
    await client.query(offsetTableSql(table)).catch((error: unknown) => {
      // Somebody else makes it at the same time.
      if (!['23505', '42P07'].includes(String((error as { readonly code?: unknown }).code)))
        throw error
    })
  }
}
