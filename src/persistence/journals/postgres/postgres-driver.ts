/** The package `pg`, as far as we use it: loaded when a store is opened, since only this store needs it. */
import { assert } from '../../../foundation/assert.ts'
import { PostgresDriverMissing } from './postgres-errors.ts'

export type PostgresValue = string | number | boolean | Uint8Array | readonly unknown[] | null

/** Each in the order of the columns: numbers, texts, bytes, lists of them, or null. */
export type PostgresRow = readonly unknown[]

/** One connection to a server. */
export interface PostgresClient {
  query(statement: {
    /** Prepared once under it; never when left out. */
    readonly name?: string
    readonly text: string
    readonly values?: readonly PostgresValue[]
  }): Promise<readonly PostgresRow[]>
  /** Called once, when it cannot be used any more. */
  onEnd(listener: () => void): void
  /** Says good-bye to the server. */
  end(): Promise<void>
  /** At once: whatever is under way fails. */
  destroy(): void
}

export interface PostgresConnect {
  readonly url: string
  readonly connectTimeoutMs: number
}

/** The part of `pg` that we call, so that our types need none of its own. */
interface Driver {
  readonly Client: new (options: Readonly<Record<string, unknown>>) => DriverClient
}

interface DriverClient {
  connect(): Promise<unknown>
  query(options: Readonly<Record<string, unknown>>): Promise<{ readonly rows: PostgresRow[] }>
  on(event: string, listener: (error?: Error) => void): unknown
  end(): Promise<void>
  readonly connection: { readonly stream: { destroy(): unknown } }
}

/** By a variable, so that neither bundlers nor compilers of users who have no PostgreSQL look for it. */
const driverName = 'pg'

/** Rejects with `PostgresDriverMissing`. */
export async function loadPostgresDriver(
  load: () => Promise<unknown> = () => import(driverName),
): Promise<(options: PostgresConnect) => Promise<PostgresClient>> {
  let driver: Driver
  try {
    const loaded = (await load()) as { readonly default?: Driver } & Driver
    driver = loaded.default ?? loaded
  } catch (error) {
    throw new PostgresDriverMissing(error)
  }
  return (options) => connect(driver, options)
}

async function connect(
  { Client }: Driver,
  { url, connectTimeoutMs }: PostgresConnect,
): Promise<PostgresClient> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'sherd',
    keepAlive: true,
  })
  let isEnded = false
  let tellEnd = (): void => undefined
  const ended = (): void => {
    if (isEnded) return
    isEnded = true
    tellEnd()
  }
  // A connection that is lost while nobody asks anything says so here, and would end the process unheard.
  client.on('error', ended)
  client.on('end', ended)
  await client.connect()
  return {
    query: async ({ name, text, values }) => {
      const given = { text, values, rowMode: 'array', types: { getTypeParser } }
      const { rows } = await client.query(name === undefined ? given : { ...given, name })
      return rows
    },
    onEnd: (listener) => {
      tellEnd = listener
      if (isEnded) listener()
    },
    end: () => client.end(),
    destroy: () => void client.connection.stream.destroy(),
  }
}

const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [16, (text) => text === 't'],
  [17, (text) => Buffer.from(text.slice(2), 'hex')],
  [20, exactNumber],
  [21, exactNumber],
  [23, exactNumber],
  [
    1001,
    (text) => [...text.matchAll(/\\\\x([0-9a-f]*)/g)].map(([, hex]) => Buffer.from(hex!, 'hex')),
  ],
  [1016, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(exactNumber))],
])

/** By the type that the server names. */
function getTypeParser(oid: number): (text: string) => unknown {
  return parsers.get(oid) ?? ((text) => text)
}

function exactNumber(text: string): number {
  const number = Number(text)
  assert(Number.isSafeInteger(number), `${text} is a number that we have stored`)
  return number
}
