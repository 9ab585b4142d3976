/**
 * How far a range came, as a row in the user's own PostgreSQL. The handler runs in the transaction that moves the row on, and
 * the row is moved first: so it is locked until the handler has ended, and a worker that takes over waits for that. What the
 * handler writes there happens exactly once.
 */
import { JournalUnavailable } from '../../persistence/index.ts'
import {
  firstPlace,
  placeOfText,
  type SlicePlace,
  textOfPlace,
} from '../../persistence/internals.ts'
import type { ProjectionClient } from '../define-projection.ts'
import {
  formOf,
  HandlerThrew,
  type Offset,
  type OffsetForm,
  type OffsetOwner,
  refuseOtherForm,
} from '../offset.ts'
import { RangeTaken } from '../projection-errors.ts'
import type { PooledClient, PostgresPool } from './postgres-pool.ts'

export interface PostgresOffsetOptions extends OffsetOwner {
  readonly pool: () => Promise<PostgresPool>
  readonly table: string
  readonly worker: string
}

/** How long a worker that takes over waits for a handler of the one before; then it tries again. */
const lockTimeoutMs = 5_000

/** What passes by itself: the transaction did nothing, and may work next time. */
const passing: ReadonlySet<unknown> = new Set(['40001', '40P01', '55P03'])

export class PostgresOffset implements Offset {
  readonly #options: PostgresOffsetOptions
  readonly #table: string
  readonly #key: readonly [string, number]
  /** As it stands in the row, as far as is known. */
  #stored = textOfPlace(firstPlace)

  constructor(options: PostgresOffsetOptions) {
    const { table, projection, range } = options
    this.#options = options
    this.#table = quoted(table)
    this.#key = [projection.name, range]
  }

  async takeOver(): Promise<SlicePlace> {
    await this.#inTransaction(async (client) => {
      await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
      await this.#insert(client)
      const row = await this.#row(client, 'FOR UPDATE')
      this.#refuseOther(row?.form)
      await client.query(`UPDATE ${this.#table} SET worker = $3 WHERE ${this.#where}`, [
        ...this.#key,
        this.#options.worker,
      ])
      this.#stored = row?.place ?? textOfPlace(firstPlace)
    })
    return placeOfText(this.#stored)
  }

  async store(place: SlicePlace): Promise<void> {
    await this.#inTransaction(async (client) => {
      if (await this.#moves(client, place)) return
      this.#stored = (await this.#placeOrTaken(client)).place
      throw new JournalUnavailable('An earlier write of this offset came late.')
    })
    this.#stored = textOfPlace(place)
  }

  async reset(): Promise<void> {
    const place = textOfPlace(firstPlace)
    await this.#inTransaction(async (client) => {
      await this.#insert(client)
      await client.query(
        `UPDATE ${this.#table} SET worker = $3, place = $4, form = $5 WHERE ${this.#where}`,
        [...this.#key, this.#options.worker, place, this.#form],
      )
    })
    this.#stored = place
  }

  async check(): Promise<void> {
    await this.#inTransaction(async (client) => {
      await this.#insert(client)
      this.#refuseOther((await this.#row(client))?.form)
    })
  }

  async together(
    place: SlicePlace,
    work: (client: ProjectionClient) => Promise<void>,
    signal: AbortSignal,
  ): Promise<SlicePlace | undefined> {
    let moved: SlicePlace | undefined
    await this.#inTransaction(async (client) => {
      if (!(await this.#moves(client, place))) {
        // A commit of which nobody could tell had worked.
        this.#stored = (await this.#placeOrTaken(client)).place
        moved = placeOfText(this.#stored)
        return
      }
      await work(client).catch((error: unknown) => {
        throw passing.has((error as { readonly code?: unknown }).code)
          ? error
          : new HandlerThrew(error)
      })
      signal.throwIfAborted()
    })
    if (moved === undefined) this.#stored = textOfPlace(place)
    return moved
  }

  // ---- statements

  get #where(): string {
    return 'name = $1 AND "range" = $2'
  }

  get #form(): string {
    const { projection, storeId } = this.#options
    return JSON.stringify(formOf(projection, storeId))
  }

  /** Whether the row was where this worker left it. */
  async #moves(client: PooledClient, place: SlicePlace): Promise<boolean> {
    const { rowCount } = await client.query(
      `UPDATE ${this.#table} SET place = $4 WHERE ${this.#where} AND worker = $3 AND place = $5`,
      [...this.#key, this.#options.worker, textOfPlace(place), this.#stored],
    )
    return rowCount === 1
  }

  async #placeOrTaken(client: PooledClient): Promise<{ readonly place: string }> {
    const { projection, range, worker } = this.#options
    const row = await this.#row(client)
    if (row?.worker === worker) return row
    throw new RangeTaken(projection.name, range, row?.worker ?? 'nobody, since its row is gone')
  }

  async #row(client: PooledClient, lock = ''): Promise<OffsetRow | undefined> {
    const { rows } = await client.query(
      `SELECT form, place, worker FROM ${this.#table} WHERE ${this.#where} ${lock}`,
      [...this.#key],
    )
    return rows[0] as OffsetRow | undefined
  }

  #insert(client: PooledClient): Promise<unknown> {
    return client.query(
      `INSERT INTO ${this.#table} (name, "range", form, place, worker) VALUES ($1, $2, $3, $4, '')
       ON CONFLICT (name, "range") DO NOTHING`,
      [...this.#key, this.#form, textOfPlace(firstPlace)],
    )
  }

  #refuseOther(form: string | undefined): void {
    if (form !== undefined) refuseOtherForm(this.#options, JSON.parse(form) as OffsetForm)
  }

  // ---- transactions

  async #inTransaction(work: (client: PooledClient) => Promise<void>): Promise<void> {
    const client = await (await this.#options.pool()).connect()
    let isBroken = false
    const broken = (): void => void (isBroken = true)
    // Unheard, it would end the process.
    client.on('error', broken)
    try {
      await client.query('BEGIN')
      await work(client)
      const { command } = await client.query('COMMIT')
      if (command !== 'COMMIT') throw new HandlerThrew(new Error(swallowed))
    } catch (error) {
      await client.query('ROLLBACK').catch(broken)
      // With a connection that is gone a handler cannot but fail: that is not its fault.
      throw isBroken && error instanceof HandlerThrew ? error.cause : error
    } finally {
      client.off('error', broken)
      client.release(isBroken)
    }
  }
}

interface OffsetRow {
  readonly form: string
  readonly place: string
  readonly worker: string
}

const swallowed =
  'A statement of the handler failed, so nothing of its transaction was stored, and the handler went on all the same. Do not catch errors of `client`; use a savepoint where one may fail.'

/** The name of a table, with its schema or without. */
function quoted(table: string): string {
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.')
}

/** What makes the table, for those who may not let us. */
export function offsetTableSql(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${quoted(table)} (
  name text NOT NULL,
  "range" int NOT NULL,
  form text NOT NULL,
  place text NOT NULL,
  worker text NOT NULL,
  PRIMARY KEY (name, "range")
)`
}
