/** The pool of connections of the package `pg`, as far as projections use it: loaded when one needs it. */
import { PostgresDriverMissing } from '../../persistence/index.ts'

export interface PostgresPool {
  connect(): Promise<PooledClient>
}

/** A connection out of a pool, as `pg` has it. */
export interface PooledClient {
  query(text: string, values?: unknown[]): Promise<PostgresResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  release(destroys?: boolean): void
}

export interface PostgresResult {
  readonly rows: readonly Record<string, unknown>[]
  readonly rowCount: number | null
  /** What was done, such as `COMMIT`. */
  readonly command: string
}

/** One that was opened here, and is closed here. */
export interface OwnPool extends PostgresPool {
  end(): Promise<void>
}

interface Driver {
  readonly Pool: new (
    options: Readonly<Record<string, unknown>>,
  ) => OwnPool & { on(event: 'error', listener: (error: Error) => void): unknown }
}

/** By a variable, so that neither bundlers nor compilers of users who have no PostgreSQL look for it. */
const driverName = 'pg'

/** Connects when the first connection is wanted. Rejects with `PostgresDriverMissing`. */
export async function openPool(url: string, connectionsMax: number): Promise<OwnPool> {
  let driver: Driver
  try {
    const loaded = (await import(driverName)) as { readonly default?: Driver } & Driver
    driver = loaded.default ?? loaded
  } catch (error) {
    throw new PostgresDriverMissing(error)
  }
  const pool = new driver.Pool({
    ...{ connectionString: url, max: connectionsMax, application_name: 'sherd projection' },
    connectionTimeoutMillis: 10_000,
  })
  // A connection that is lost while nobody uses it is made anew; unheard, this would end the process.
  pool.on('error', () => undefined)
  return pool
}
