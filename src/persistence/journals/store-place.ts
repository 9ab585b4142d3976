/**
 * Notices that the files of the store are no longer those in its folder: somebody has deleted, moved or replaced them while
 * they were open. The system goes on writing into files that nobody will find again, and says nothing. So this process looks
 * after a commit, before anybody is told of it, unless it has looked a moment ago: a look costs some microseconds.
 *
 * Invariant: once a loss was noticed nothing is acknowledged any more, whatever is in the folder later.
 */
import type { Clock } from '../../foundation/clock.ts'
import type { Logger } from '../../foundation/logger.ts'
import { JournalFolderLost, JournalOutcomeUnknown } from '../persistence-errors.ts'

/** By what the system knows a file of the folder, whatever its name: equal for the same file only. Empty: there is none. */
export type FileIdOf = (file: string) => string

interface StorePlaceOptions {
  readonly folder: string
  readonly idOf: FileIdOf
  readonly clock: Clock
  readonly logger: Logger
}

/** So long commits may be acknowledged into files that are lost. */
const lookEveryMs = 100

/** Without the second the next process to come would make a lock of its own, and two would write at once. */
const files = ['data.mdb', 'lock.mdb'] as const

export class StorePlace {
  readonly #options: StorePlaceOptions
  readonly #ids: readonly (string | undefined)[]
  #lookedAt = -Infinity
  #loss: JournalFolderLost | undefined

  /** To be made when the store has opened its files. */
  constructor(options: StorePlaceOptions) {
    this.#options = options
    this.#ids = files.map((file) => this.#idOf(file))
  }

  /** After it was opened. Throws when somebody has removed the files meanwhile: nobody would ever find them again. */
  checkThere(): void {
    const lost = files.find((_, at) => this.#ids[at] === '')
    if (lost !== undefined) throw new JournalFolderLost(this.#options.folder, lost)
  }

  /** Before a commit. Throws when the files were lost. */
  checkKept(): void {
    if (this.#loss !== undefined) throw this.#loss
  }

  /** Before a read that must not miss what others write. Throws when the files were lost. */
  checkRead(): void {
    this.checkKept()
    const loss = this.#look()
    if (loss !== undefined) throw loss
  }

  /** After a commit. Throws when it may have gone into files that are lost. */
  checkCommitted(): void {
    const now = this.#options.clock.monotonicMs()
    if (now - this.#lookedAt < lookEveryMs) return
    this.#lookedAt = now
    const cause = this.#look()
    if (cause === undefined) return
    throw new JournalOutcomeUnknown(`A commit may be lost. ${cause.message}`, { cause })
  }

  #look(): JournalFolderLost | undefined {
    const { folder, logger } = this.#options
    const lost = files.find((file, at) => isOther(this.#idOf(file), this.#ids[at]))
    if (lost === undefined) return undefined
    const cause = new JournalFolderLost(folder, lost)
    this.#loss = cause
    logger.error({ folder, file: lost }, cause.message)
    return cause
  }

  /** Undefined when this process may not look, as after it has given up rights: then nobody can tell. */
  #idOf(file: string): string | undefined {
    try {
      return this.#options.idOf(file)
    } catch {
      return undefined
    }
  }
}

function isOther(now: string | undefined, then: string | undefined): boolean {
  return now !== undefined && then !== undefined && now !== then
}
