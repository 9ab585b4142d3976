/** How a store is named on a command line: a folder, or one or several PostgreSQL servers. */
import { show } from '../foundation/show.ts'
import { isPostgresUrl, placeOfUrl } from '../persistence/internals.ts'
import { UsageError } from './cli-errors.ts'

export type StoreAddress = FolderAddress | PostgresAddress

export interface FolderAddress {
  readonly type: 'folder'
  readonly folder: string
}

export interface PostgresAddress {
  readonly type: 'postgres'
  /** More than one: the partitions of the store, in their order. */
  readonly urls: readonly string[]
  readonly schema: string | undefined
}

/** Throws `UsageError`. */
export function parseStoreAddress(text: string): StoreAddress {
  if (text === '') throw new UsageError('A store is a folder or postgres://…, and this is empty.')
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return { type: 'folder', folder: text }
  const servers = text.split(/,(?=[a-z]+:\/\/)/i).map(serverOf)
  const [schema, ...others] = new Set(servers.map((server) => server.schema))
  if (others.length > 0) {
    throw new UsageError(
      `All servers of a store have the same schema; give each the same ?schema=.`,
    )
  }
  return { type: 'postgres', urls: servers.map(({ url }) => url), schema }
}

function serverOf(text: string): { readonly url: string; readonly schema: string | undefined } {
  if (!isPostgresUrl(text) || !URL.canParse(text)) {
    // Not the whole of it: there may be a password in it.
    const start = show(text.slice(0, text.indexOf('://') + 3))
    throw new UsageError(
      `A store is a folder or postgres://user@host:port/database, and ${start}… is neither.`,
    )
  }
  const url = new URL(text)
  const schema = url.searchParams.get('schema') ?? undefined
  url.searchParams.delete('schema')
  return { url: url.href, schema }
}

/** For people, without user and password. */
export function nameOfStore(address: StoreAddress): string {
  if (address.type === 'folder') return address.folder
  const places = address.urls.map((url) => `postgres://${placeOfUrl(url)}`)
  return `${places.join(',')}${address.schema === undefined ? '' : `?schema=${address.schema}`}`
}
