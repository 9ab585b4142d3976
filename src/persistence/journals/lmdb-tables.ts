/**
 * Opens the LMDB environment of a journal: one folder, shared by all processes of a host. Commits are synced before they
 * become visible (no `overlappingSync`), so whatever a transaction sees is durable. The map grows by itself, also when
 * another process has made the file longer.
 */
import { randomUUID } from 'node:crypto'
import { type Database, type RootDatabase, open } from 'lmdb'
import { CodedError } from '../../foundation/coded-error.ts'
import {
  JournalCorrupted,
  JournalFormatMismatch,
  JournalUnavailable,
} from '../persistence-errors.ts'
import { keepOffConsole } from './lmdb-console.ts'
import {
  checkedRegistersKey,
  commitMarkKey,
  countKey,
  decodeCount,
  emptyCount,
  encodeCommitMark,
  encodeCount,
  formatKey,
  formatText,
  formatTextWithDeletions,
  formatTextWithMarks,
  formatTextWithSweeps,
  formatTextWithTags,
  numberBytes,
  numberKey,
  type StoreCount,
  storeIdKey,
} from './lmdb-layout.ts'
import { LmdbRecordEntries } from './lmdb-log-record.ts'
import { LmdbStreamHead } from './lmdb-stream-head.ts'

export type LmdbTable = Database<Buffer, Buffer>

export interface LmdbTables {
  readonly folder: string
  readonly storeId: string
  readonly environment: RootDatabase<Buffer, Buffer>
  readonly meta: LmdbTable
  readonly log: LmdbTable
  readonly heads: LmdbTable
  readonly blocks: LmdbTable
  readonly claims: LmdbTable
  readonly registers: LmdbTable
  readonly deletions: LmdbTable
  readonly snapshots: LmdbTable
  readonly states: LmdbTable
}

const binary = { encoding: 'binary', keyEncoding: 'binary' } as const

/** Address space at first; no bytes on disk. Growing costs a little time, so it starts well above a test's needs. */
const mapBytes = 2 ** 30

const adviceByCode: ReadonlyMap<number, string> = new Map([
  // LMDB calls a write that was cut short an input/output error, whatever cut it short.
  [5, 'the disk is full or fails; free some space and look at the log of the system'],
  [27, 'the largest size of a file is reached; raise the limit'],
  [28, 'the disk is full; free some space'],
  [122, 'the quota of this user is used up; raise it or free some space'],
  [-30_792, 'the address space for the store is used up; allow the process more'],
])

/** The folder was prepared and its file looked at. */
export function openTables(folder: string): LmdbTables {
  try {
    return openChecked(folder)
  } catch (error) {
    if (error instanceof CodedError) throw error
    throw new JournalUnavailable(`The journal in ${folder} cannot be opened: ${reasonOf(error)}.`, {
      cause: error,
    })
  }
}

function openChecked(folder: string): LmdbTables {
  const environment = open<Buffer, Buffer>({
    ...binary,
    path: folder,
    noSubdir: false,
    overlappingSync: false,
    // Its batches have promises that nobody holds: a commit that fails would end the process by an unhandled rejection.
    eventTurnBatching: false,
    mapSize: mapBytes,
    maxDbs: 16,
  })
  keepOffConsole(environment)
  try {
    const names = [...environment.getKeys()].map((name) => String(name).replace(/\0$/, ''))
    const isForeign = names.length > 0 && !names.includes('meta')
    if (isForeign) throw foreign(folder)
    const table = (name: string): LmdbTable => environment.openDB<Buffer, Buffer>(name, binary)
    const meta = table('meta')
    const storeId = environment.transactionSync(() => {
      checkFormat(folder, meta, names)
      return takeStoreId(meta)
    })
    return {
      folder,
      storeId,
      environment,
      meta,
      log: table('log'),
      heads: table('heads'),
      blocks: table('blocks'),
      claims: table('claims'),
      registers: table('registers'),
      deletions: table('deletions'),
      snapshots: table('snapshots'),
      states: table('states'),
    }
  } catch (error) {
    void environment.close()
    throw error
  }
}

/** Marks a new store, and refuses one with a mark that we do not know. The mark comes before all tables but `meta`. */
function checkFormat(folder: string, meta: LmdbTable, names: readonly string[]): void {
  const found = meta.getBinary(formatKey)?.toString()
  const isForeign = found === undefined && names.some((name) => name !== 'meta')
  if (isForeign) throw foreign(folder)
  if (found === undefined) {
    void meta.put(formatKey, Buffer.from(formatTextWithMarks))
    void meta.put(checkedRegistersKey, Buffer.alloc(1))
  } else if (!formats.includes(found)) throw mismatch(folder, `"${found}"`)
}

/** Each reads what the ones before it have written. */
const formats: readonly string[] = [
  formatText,
  formatTextWithTags,
  formatTextWithDeletions,
  formatTextWithSweeps,
  formatTextWithMarks,
]

/** In a write transaction that stores tags. */
export function markTagged({ meta }: LmdbTables): void {
  markFormat(meta, formatTextWithTags)
}

/** In a write transaction that deletes. */
export function markDeleting({ meta }: LmdbTables): void {
  markFormat(meta, formatTextWithDeletions)
}

/** In a write transaction that writes what older formats do not have. */
export function markSweeping({ meta }: LmdbTables): void {
  markFormat(meta, formatTextWithSweeps)
}

/** Whether records of the log get a checksum. Once a store has the format for it, it keeps it, or gets a later one. */
export function hasChecksums(tables: LmdbTables): boolean {
  return isAtLeast(knownFormatOf(tables), formatTextWithSweeps)
}

/** Whether each commit that changes the count leaves its mark. */
export function hasCommitMarks(tables: LmdbTables): boolean {
  return isAtLeast(knownFormatOf(tables), formatTextWithMarks)
}

/**
 * Throws `JournalFormatMismatch` when a process of a later version has given the store a format that this one does not know,
 * which may happen at any time: what it writes must be neither taken for damage nor written over.
 */
export function knownFormatOf({ folder, meta }: LmdbTables): string {
  const found = meta.getBinary(formatKey)?.toString() ?? ''
  if (!formats.includes(found)) throw mismatch(folder, `"${found}"`)
  return found
}

/**
 * Whether registers get a checksum: in stores that were made with it. An older one may be open in a process of an earlier version
 * when it gets the newest format. That process takes a record or a head with a checksum for damage and stops, but a register
 * with one for another register, and would write over it.
 */
export function hasCheckedRegisters(tables: LmdbTables): boolean {
  return hasChecksums(tables) && tables.meta.doesExist(checkedRegistersKey)
}

function markFormat(meta: LmdbTable, format: string): void {
  const found = meta.getBinary(formatKey)?.toString() ?? ''
  if (!isAtLeast(found, format)) meta.putSync(formatKey, Buffer.from(format))
}

function isAtLeast(found: string, format: string): boolean {
  return formats.indexOf(found) >= formats.indexOf(format)
}

/** Made by whoever comes first, also in a store that is older than ids. Runs in a write transaction: all see the same one. */
function takeStoreId(meta: LmdbTable): string {
  const found = meta.getBinary(storeIdKey)?.toString()
  if (found !== undefined) return found
  const made = randomUUID()
  void meta.put(storeIdKey, Buffer.from(made))
  return made
}

function foreign(folder: string): JournalFormatMismatch {
  return mismatch(folder, 'an LMDB store that is not a journal')
}

function mismatch(folder: string, found: string): JournalFormatMismatch {
  const names = formats.map((format) => `"${format}"`)
  const known = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  const isLater = Number(/^"sherd journal, format (\d+)"$/.exec(found)?.[1] ?? 0) > newestFormat
  const what = isLater ? `${found}, written by a newer version of Sherd` : found
  return new JournalFormatMismatch(folder, what, known)
}

const newestFormat = Number(/\d+$/.exec(formatTextWithMarks)?.[0])

/**
 * Reads of one turn share a snapshot; ours may not be older than what other processes have committed. And it ends with
 * the read: while a snapshot is held, no page that was freed since is used again, and the file grows with every commit.
 */
export function inSnapshot<T>({ environment }: LmdbTables, read: () => T): T {
  environment.resetReadTxn()
  try {
    return read()
  } finally {
    environment.resetReadTxn()
  }
}

export function readHead(tables: LmdbTables, id: Buffer): LmdbStreamHead | undefined {
  const stored = tables.heads.getBinaryFast(id)
  if (stored === undefined) return undefined
  // The buffer is lmdb's own, longer than it says, and good until the next read.
  const head = LmdbStreamHead.decode(stored.subarray(0, stored.length), id)
  if (head === undefined)
    throw new JournalCorrupted(tables.folder, `the head of "${id}" is unreadable`)
  return head
}

export function hasAnyRow(table: LmdbTable): boolean {
  return lastKeyOf(table) !== undefined
}

/** In a write transaction, or on a condition that takes the place of one. */
export function writeCount({ meta }: LmdbTables, count: StoreCount, isMarked: boolean): void {
  void meta.put(countKey, encodeCount(count))
  if (isMarked) void meta.put(commitMarkKey, encodeCommitMark(count.commitCount))
}

export function readCount({ meta, log, heads, folder }: LmdbTables): StoreCount {
  const stored = meta.getBinary(countKey)
  if (stored === undefined) {
    const isNew = [log, heads].every((table) => lastKeyOf(table) === undefined)
    if (isNew) return emptyCount
    throw new JournalCorrupted(folder, 'its count is missing')
  }
  const count = decodeCount(stored)
  if (count === undefined) throw new JournalCorrupted(folder, 'its count is unreadable')
  return count
}

/** The log ends where the count says, or one of them is damaged. */
export function checkLogEnd(tables: LmdbTables, { lastOrder }: StoreCount): void {
  const last = lastKeyOf(tables.log)?.readUIntBE(0, numberBytes)
  const end = last === undefined ? 0 : last + readRecord(tables, last).count - 1
  if (end === lastOrder) return
  const problem = `the log ends with event ${end}, and its count with event ${lastOrder}`
  throw new JournalCorrupted(tables.folder, problem)
}

function lastKeyOf(table: LmdbTable): Buffer | undefined {
  for (const key of table.getKeys({ reverse: true, limit: 1 })) return key
  return undefined
}

/** The record with this key, in bytes of its own: it stays as it is while other things are read. */
export function readRecord(tables: LmdbTables, key: number): LmdbRecordEntries {
  return entriesIn(tables, key, tables.log.getBinary(numberKey(key)))
}

/** The same without a copy: good until the next read. */
export function glanceAtRecord(tables: LmdbTables, key: number): LmdbRecordEntries {
  const stored = tables.log.getBinaryFast(numberKey(key))
  return entriesIn(tables, key, stored?.subarray(0, stored.length))
}

/** The record that holds the event of this place, without a copy: good until the next read. */
export function recordAt(tables: LmdbTables, place: number): LmdbRecordEntries {
  const stored = tables.log.getBinaryFast(numberKey(place))
  if (stored !== undefined) return entriesIn(tables, place, stored.subarray(0, stored.length))
  // It was joined with those before it.
  return glanceAtRecord(tables, keyOfRecord(tables, place) ?? place)
}

/** The key of the record that holds the event of this order, or its gap; undefined when the log begins behind it. */
export function keyOfRecord({ log }: LmdbTables, order: number): number | undefined {
  if (log.doesExist(numberKey(order))) return order
  const backwards = { start: numberKey(order), reverse: true, limit: 1 }
  for (const key of log.getKeys(backwards)) return key.readUIntBE(0, numberBytes)
  return undefined
}

/** The key of the next record of the log behind this order; undefined when there is none. */
export function keyBehind({ log }: LmdbTables, order: number): number | undefined {
  for (const key of log.getKeys({ start: numberKey(order + 1), limit: 1 })) {
    return key.readUIntBE(0, numberBytes)
  }
  return undefined
}

function entriesIn(
  { folder }: LmdbTables,
  place: number,
  record: Buffer | undefined,
): LmdbRecordEntries {
  if (record === undefined)
    throw new JournalCorrupted(folder, `record ${place} of the log is missing`)
  const entries = LmdbRecordEntries.in(record, place)
  if (entries === undefined)
    throw new JournalCorrupted(folder, `record ${place} of the log is unreadable`)
  return entries
}

/** What LMDB or the system said, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const advice = typeof code === 'number' ? adviceByCode.get(code) : undefined
  return advice === undefined ? String(message) : `${advice} (${String(message)})`
}
