/**
 * Ends a process that was stopped (SIGSTOP, Ctrl-Z) while it held the store's only write lock, so that the other processes of
 * the host can write again: the lock is robust and passes on when its holder dies. Only a holder that is seen stopped, with
 * no commit and no work in between, at every look of a whole `stoppedWriterKillAfterMs` is ended.
 */
import { formatMs } from '../../foundation/duration.ts'
import type { Logger } from '../../foundation/logger.ts'
import type { Timer, Timers } from '../../foundation/timers.ts'

/** The process that holds the write lock, as seen at one moment. */
export interface LockHolder {
  readonly pid: number
  /** The letter of `/proc`: R runs, S waits, D waits for the disk, T is stopped, t is held by a debugger. */
  readonly state: string
  readonly isStopped: boolean
  /** With all of its cgroup, as by `docker pause`; the letter may be any. */
  readonly isFrozen: boolean
  /** This very process. */
  readonly isSelf: boolean
  /** False for a process that did not open this journal, or may be another one under the same number. */
  readonly isRegistered: boolean
  /** Which life of which process this is, and how far it has come: another text when it did anything at all. */
  readonly progress: string
}

/** The lock as this process sees it. */
export interface WriteLock {
  /** Undefined when it is free, or when nobody can tell who has it. */
  holder(): LockHolder | undefined
  /** Ends that process at once. Throws when it may not be ended. */
  kill(holder: LockHolder): void
}

export interface StoppedWriterOptions {
  readonly lock: WriteLock
  readonly folder: string
  /** Infinity: never. */
  readonly killAfterMs: number
  readonly logger: Logger
}

/** So many intervals make up the whole time; a look at each end of them. */
const intervals = 4

/** For those who only want to know. */
const lookAnywayEveryMs = 250

export class StoppedWriter {
  readonly #options: StoppedWriterOptions
  #progress: string | undefined
  #sameLooks = 0

  constructor(options: StoppedWriterOptions) {
    this.#options = options
  }

  get isEnabled(): boolean {
    return Number.isFinite(this.#options.killAfterMs)
  }

  get lookEveryMs(): number {
    return this.isEnabled ? Math.ceil(this.#options.killAfterMs / intervals) : lookAnywayEveryMs
  }

  /** Who keeps the others from writing, as far as can be seen, and what to do about it. */
  get advice(): string {
    return adviceOn(this.#holder(), this.#options.folder)
  }

  /**
   * To be called every `lookEveryMs` while the lock is waited for. Answers whether it is held by a process that stands
   * still. One that is frozen with its cgroup is left to whoever froze it.
   */
  look(): boolean {
    const holder = this.#holder()
    if (holder === undefined || !holder.isStopped || !holder.isRegistered) {
      this.forget()
      return holder !== undefined && (holder.isStopped || holder.isFrozen)
    }
    this.#sameLooks = holder.progress === this.#progress ? this.#sameLooks + 1 : 0
    this.#progress = holder.progress
    if (this.isEnabled && this.#sameLooks >= intervals) this.#end(holder)
    return true
  }

  forget(): void {
    this.#progress = undefined
    this.#sameLooks = 0
  }

  #holder(): LockHolder | undefined {
    const { lock, folder, logger } = this.#options
    try {
      return lock.holder()
    } catch (err) {
      logger.warn(
        { folder, err },
        `Nobody can see who holds the write lock of the journal in ${folder}.`,
      )
      return undefined
    }
  }

  #end(holder: LockHolder): void {
    const { lock, folder, killAfterMs, logger } = this.#options
    const fields = { folder, pid: holder.pid }
    const story = `Process ${holder.pid} was stopped while it held the write lock of the journal in ${folder}, for ${formatMs(killAfterMs)} (stoppedWriterKillAfterMs)`
    this.forget()
    try {
      lock.kill(holder)
      logger.warn(fields, `${story}; it was ended with SIGKILL, so that others can write.`)
    } catch (err) {
      logger.warn(
        { ...fields, err },
        `${story}, and could not be ended; until it goes on nobody can write. Continue or end it by hand.`,
      )
    }
  }
}

/** Looks again and again while a transaction waits for the lock. */
export class StoppedWriterWatch {
  readonly #writer: StoppedWriter
  readonly #timers: Timers
  #timer: Timer | undefined

  constructor(writer: StoppedWriter, timers: Timers) {
    this.#writer = writer
    this.#timers = timers
  }

  /** The lock is asked for. */
  begin(): void {
    this.#writer.forget()
    if (this.#writer.isEnabled) this.#lookLater()
  }

  /** It is held, or no longer asked for. */
  end(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #lookLater(): void {
    this.#timer = this.#timers.after(this.#writer.lookEveryMs, () => {
      this.#writer.look()
      this.#lookLater()
    })
  }
}

function adviceOn(holder: LockHolder | undefined, folder: string): string {
  if (holder === undefined) {
    return 'Another process may hold the write lock (stopped, in a debugger, in a paused container?), or the disk hangs.'
  }
  const { pid, state, isSelf, isRegistered } = holder
  if (isSelf)
    return `This process (${pid}) holds the write lock itself: the disk hangs, or a command has computed for long.`
  if (!isRegistered) {
    // The number may be one of another pid namespace, and then mean somebody here who has nothing to do with it.
    return `The write lock names process ${pid}, which left no note in ${folder}/writers and may be another one by that number. Find the process that has ${folder}/data.mdb open and stands still, in other containers too; continue or end it.`
  }
  return `Process ${pid} (state ${state}) holds the write lock of the journal in ${folder}: ${plightOf(holder)}, or end it: kill -9 ${pid}.`
}

/** What keeps it from going on, and how it would. */
function plightOf({ pid, state, isFrozen }: LockHolder): string {
  if (isFrozen) {
    return 'it is frozen with its cgroup, in which kill -9 may wait for the thaw. Thaw it (docker unpause)'
  }
  switch (state) {
    case 'T':
      return `it is stopped. Continue it (kill -CONT ${pid})`
    case 't':
      return 'it is held by a debugger. Let it go on there'
    case 'D':
      return 'it waits for the disk, or is paused. Look at the disk, thaw it (docker unpause)'
    default:
      return 'it computes, or its disk is slow. Wait for it'
  }
}
