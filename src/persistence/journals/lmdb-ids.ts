/** Names in a table, in the order of their bytes: ids of streams and of states, names of registers. */
import type { IdPage } from '../id-list.ts'
import type { LmdbTable } from './lmdb-tables.ts'

/** Names that are read in one go. */
const namesAtOnce = 1024

export interface NameQuery {
  readonly prefix?: string | undefined
  readonly after?: string | undefined
  readonly namesMax: number
}

export function listNames(table: LmdbTable, { prefix = '', after, namesMax }: NameQuery): IdPage {
  const first = Buffer.from(prefix)
  const last = after === undefined ? undefined : Buffer.from(after)
  const start = last !== undefined && Buffer.compare(last, first) > 0 ? last : first
  const atMost = Math.min(namesMax, namesAtOnce)
  const ids: string[] = []
  // No key is empty, and LMDB takes none.
  for (const key of table.getKeys(start.length === 0 ? {} : { start })) {
    if (Buffer.compare(key.subarray(0, first.length), first) !== 0) break
    if (last !== undefined && Buffer.compare(key, last) <= 0) continue
    if (ids.length === atMost) return { ids, isLast: false }
    ids.push(key.toString())
  }
  return { ids, isLast: true }
}
