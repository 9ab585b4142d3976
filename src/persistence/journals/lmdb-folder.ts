/**
 * Looks at the folder before LMDB does. LMDB would end the whole process on a file that is not its own, so its header is
 * checked here: magic, version, page size, and that the roots of the newest commit lie inside the file.
 */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { JournalCorrupted, JournalFolderUnusable } from '../persistence-errors.ts'
import type { FileIdOf } from './store-place.ts'

const magic = 0xbeefc0de
const dataVersion = 2
const headerBytes = 160
const noRoot = 2n ** 64n - 1n

/** Offsets in a meta page of LMDB's data format 2, on 64 bits, little-endian. */
const at = { magic: 24, version: 28, pageSize: 48, freeRoot: 88, mainRoot: 136, commit: 152 }

const dataFile = 'data.mdb'

/** A store that was not there before it was opened. */
export interface NewStore {
  readonly isFolderNew: boolean
}

interface Meta {
  readonly isWhole: boolean
  readonly pageSize: number
  readonly roots: readonly bigint[]
  readonly commit: bigint
}

/** Answers what of the store was not there before. */
export function prepareFolder(folder: string): NewStore | undefined {
  try {
    const isFolderNew = mkdirSync(folder, { recursive: true }) !== undefined
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    const found = statSync(join(folder, dataFile), { throwIfNoEntry: false })
    return found === undefined ? { isFolderNew } : undefined
  } catch (error) {
    throw new JournalFolderUnusable(folder, adviceOn(error), error)
  }
}

/**
 * Removes a store that this process has made, closed, and that holds nothing, so that an empty one does not stand where
 * another is missed. Not to be called for one that other processes may have opened.
 */
export function removeStore(folder: string, { isFolderNew }: NewStore): void {
  for (const file of [dataFile, 'lock.mdb', 'writers']) {
    rmSync(join(folder, file), { recursive: true, force: true })
  }
  if (isFolderNew) rmdirSync(folder)
}

function adviceOn(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') {
    return 'this user may not write there; change its owner or mode, or choose another folder'
  }
  if (code === 'EROFS') return 'it lies on a read-only file system; choose another folder'
  if (code === 'EEXIST' || code === 'ENOTDIR') {
    return 'it, or something above it, is a file; choose another folder'
  }
  if (code === 'ENOSPC') return 'the disk is full; free some space'
  return message
}

export function checkDataFile(folder: string): void {
  const file = join(folder, dataFile)
  let handle: number
  try {
    handle = openSync(file, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw new JournalFolderUnusable(folder, `data.mdb: ${adviceOn(error)}`, error)
  }
  try {
    if (fstatSync(handle).size > 0) checkMetas(folder, handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * For as long as the files are open: until then their numbers are given to no other. Where the folder lies is found out now,
 * so that a link that leads elsewhere later, or another working directory, is no loss.
 */
export function fileIdsIn(folder: string): FileIdOf {
  const place = realpathSync(folder)
  return (file) => {
    const found = statSync(join(place, file), { throwIfNoEntry: false })
    return found === undefined ? '' : `${found.dev} ${found.ino}`
  }
}

/** What this user may still write there; undefined where the system does not tell, as when the folder is gone. */
export function freeBytesOf(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return undefined
  }
}

function checkMetas(folder: string, handle: number): void {
  const first = readMeta(handle, 0)
  if (!first.isWhole) throw new JournalCorrupted(folder, 'data.mdb is not an LMDB file of format 2')
  const second = readMeta(handle, first.pageSize)
  const newest = second.isWhole && second.commit > first.commit ? second : first
  // Asked only now: another process may be writing, and it lets the file grow before its commit names the new pages.
  const { size } = fstatSync(handle)
  const pages = BigInt(Math.floor(size / first.pageSize))
  if (newest.roots.some((root) => root !== noRoot && root >= pages)) {
    throw new JournalCorrupted(folder, `data.mdb was cut off after ${size} bytes`)
  }
}

function readMeta(handle: number, position: number): Meta {
  const bytes = Buffer.alloc(headerBytes)
  const length = readSync(handle, bytes, 0, headerBytes, position)
  const pageSize = bytes.readUInt32LE(at.pageSize)
  const isWhole =
    length === headerBytes &&
    bytes.readUInt32LE(at.magic) === magic &&
    bytes.readUInt32LE(at.version) === dataVersion &&
    pageSize >= 256
  return {
    isWhole,
    pageSize,
    roots: [bytes.readBigUInt64LE(at.freeRoot), bytes.readBigUInt64LE(at.mainRoot)],
    commit: bytes.readBigUInt64LE(at.commit),
  }
}
