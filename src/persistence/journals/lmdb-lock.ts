/**
 * LMDB's write lock as it lies in `lock.mdb`, and the processes that may hold it. On Linux the lock is a robust mutex of the C
 * library, whose first word is the number of the thread that holds it; `/proc` tells whose thread that is and whether it is
 * stopped. Each process that opens the journal leaves a note `writers/<pid>` with its start time, so that a number which is
 * in use again is not taken for it. Where the lock does not look as expected (another system, another C library, processes
 * in different pid namespaces), the holder is unknown.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { LockHolder, WriteLock } from './stopped-writer.ts'

const headBytes = 256
const magic = 0xbeefc0de
/** Of a mutex that is robust and shared by processes. */
const robustShared = 0x90
const commitAt = 8
const readersMutexAt = 24
const kindAt = 16
/** Behind the head of the file and the mutex of the readers, on the next line of the processor's cache. */
const writersMutexAt: Readonly<Record<string, number>> = { x64: 64, arm64: 128 }
const threadMask = 0x3fff_ffff
const ownerDied = 0x4000_0000

interface Freezer {
  /** In `/proc/<pid>/cgroup`: the path of its group. */
  readonly group: RegExp
  readonly folder: string
  readonly file: string
  readonly frozen: RegExp
}

/** Where cgroups of version 2, alone or beside version 1, and of version 1 say that they are frozen. */
const cgroup2 = { group: /^0::(.+)$/m, file: 'cgroup.events', frozen: /^frozen 1$/m }
const freezers: readonly Freezer[] = [
  { ...cgroup2, folder: '/sys/fs/cgroup' },
  { ...cgroup2, folder: '/sys/fs/cgroup/unified' },
  {
    group: /^\d+:freezer:(.+)$/m,
    file: 'freezer.state',
    frozen: /^FROZEN$/m,
    folder: '/sys/fs/cgroup/freezer',
  },
]

export class LmdbLock implements WriteLock {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Leaves the note of this process, and removes those of processes that are gone. */
  register(): void {
    if (process.platform !== 'linux') return
    const notes = join(this.#folder, 'writers')
    mkdirSync(notes, { recursive: true })
    for (const name of readdirSync(notes)) {
      if (this.#isGone(name)) rmSync(join(notes, name), { force: true })
    }
    const { pid } = process
    writeFileSync(join(notes, `${pid}`), `${hostId()} ${lifeOf(pid)?.start ?? ''}`)
  }

  /** Whether no other process has left a note. False where there are no notes to tell. */
  isAlone(): boolean {
    return process.platform === 'linux' && this.#noted().length === 0
  }

  /** The numbers of other processes that may have the store open. Undefined where there are no notes to tell. */
  others(): readonly string[] | undefined {
    if (process.platform !== 'linux') return undefined
    const inode = statSync(join(this.#folder, 'lock.mdb'), { throwIfNoEntry: false })?.ino
    return this.#noted().filter((name) => {
      const isSeenHere = this.#note(name)[0] === hostId()
      const maps = isSeenHere ? read(`/proc/${name}/maps`) : undefined
      // A process that has closed the store may live on. What cannot be looked at counts as open.
      return maps === undefined || (inode !== undefined && mappingOf(inode).test(maps))
    })
  }

  /** The other processes that have left a note and may live. */
  #noted(): string[] {
    const notes = readdirSync(join(this.#folder, 'writers'))
    return notes.filter((name) => name !== `${process.pid}` && !this.#isGone(name))
  }

  holder(): LockHolder | undefined {
    if (process.platform !== 'linux') return undefined
    const head = this.#read()
    const thread = head && ownerOf(head)
    const pid = thread === undefined ? undefined : processOf(thread)
    const life = pid === undefined ? undefined : lifeOf(pid)
    if (head === undefined || pid === undefined || life === undefined) return undefined
    const [host, start] = this.#note(`${pid}`)
    return {
      pid,
      state: life.state,
      isStopped: life.state === 'T',
      isFrozen: isFrozen(pid),
      isSelf: pid === process.pid,
      isRegistered: pid !== process.pid && host === hostId() && start === life.start,
      progress: [pid, life.start, life.work, thread, head.readBigUInt64LE(commitAt)].join(' '),
    }
  }

  kill({ pid }: LockHolder): void {
    process.kill(pid, 'SIGKILL')
  }

  /**
   * Never by opening the file while this process has the store open: closing it again would take away the locks by which
   * LMDB knows that the store is in use, and the next process to open it would make all locks anew. So it is read where
   * LMDB has mapped it.
   */
  #read(): Buffer | undefined {
    const file = join(this.#folder, 'lock.mdb')
    const inode = statSync(file, { throwIfNoEntry: false })?.ino
    if (inode === undefined) return undefined
    const address = addressOf(inode)
    return address === undefined ? headOf(file, 0) : headOf('/proc/self/mem', address)
  }

  /** Whether the process that left this note is no more. */
  #isGone(name: string): boolean {
    const [host = '', start] = this.#note(name)
    const life = lifeOf(Number(name))
    // It may be writing its note at this moment.
    if (host === '') return life === undefined
    // Of another pid namespace nothing can be said, unless the host was started anew since.
    return host === hostId() ? life?.start !== start : !isOfThisBoot(host)
  }

  #note(name: string): string[] {
    return read(join(this.#folder, 'writers', name))?.split(' ') ?? []
  }
}

/** The other processes that have the store in this folder open, by their numbers; empty where nobody can tell. */
export function otherProcessesIn(folder: string): readonly string[] {
  return new LmdbLock(folder).others() ?? []
}

/** Where this process has mapped the file. */
function addressOf(inode: number): number | undefined {
  const address = mappingOf(inode).exec(read('/proc/self/maps') ?? '')?.[1]
  return address === undefined ? undefined : Number.parseInt(address, 16)
}

/** A line of the mapped files of a process: `7f01-7f02 rw-s offset device inode path`. */
function mappingOf(inode: number): RegExp {
  return new RegExp(`^([0-9a-f]+)-\\S+ rw-s 0+ \\S+ ${inode} .*/lock\\.mdb$`, 'm')
}

function headOf(file: string, position: number): Buffer | undefined {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    return unlessMissing(error)
  }
  try {
    const head = Buffer.alloc(headBytes)
    return readSync(handle, head, 0, headBytes, position) === headBytes ? head : undefined
  } finally {
    closeSync(handle)
  }
}

/** The number of the thread that holds the lock. */
function ownerOf(head: Buffer): number | undefined {
  const at = writersMutexAt[process.arch]
  if (at === undefined || head.readUInt32LE(0) !== magic) return undefined
  const kinds = [readersMutexAt, at].map((mutex) => head.readUInt32LE(mutex + kindAt))
  if (kinds.some((kind) => kind !== robustShared)) return undefined
  const word = head.readUInt32LE(at)
  const thread = word & threadMask
  return thread === 0 || (word & ownerDied) !== 0 ? undefined : thread
}

function processOf(thread: number): number | undefined {
  const pid = /^Tgid:\s+(\d+)$/m.exec(read(`/proc/${thread}/status`) ?? '')?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** What the system says of a process: its state, the processor time it has used, and when it was started. */
function lifeOf(pid: number): { state: string; work: string; start?: string } | undefined {
  const text = read(`/proc/${pid}/stat`)
  // The name before it may hold anything, closing brackets included.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ')
  return fields && { state: fields[0]!, work: `${fields[11]} ${fields[12]}`, start: fields[19]! }
}

/** Whether it stands still with all of its cgroup. What cannot be read says no, and nobody is ended by it. */
function isFrozen(pid: number): boolean {
  try {
    const groups = read(`/proc/${pid}/cgroup`) ?? ''
    return freezers.some(({ group, folder, file, frozen }) => {
      const path = group.exec(groups)?.[1]
      return path !== undefined && frozen.test(read(join(folder, path, file)) ?? '')
    })
  } catch {
    return false
  }
}

/** Numbers of processes mean the same to all who have the same boot and pid namespace. */
function hostId(): string {
  return `${bootId()}/${readlinkSync('/proc/self/ns/pid')}`
}

function isOfThisBoot(host: string): boolean {
  return host.startsWith(`${bootId()}/`)
}

function bootId(): string {
  return read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return unlessMissing(error)
  }
}

/** A process may end between two looks, and a file may not be there yet. */
function unlessMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ESRCH' && code !== 'EACCES') throw error
  return undefined
}
