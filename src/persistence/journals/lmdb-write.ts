/** One claim or append on its way to the disk, and the transaction that carries many of them. */
import { CodedError } from '../../foundation/coded-error.ts'
import {
  InvalidJournalCall,
  JournalOutcomeUnknown,
  JournalUnavailable,
} from '../persistence-errors.ts'
import type { Operation } from './group-commit.ts'
import { LmdbCommit } from './lmdb-commit.ts'
import type { LmdbHeads } from './lmdb-heads.ts'
import { type LmdbTables, reasonOf } from './lmdb-tables.ts'

interface LmdbWriteOptions {
  readonly eventCount: number
  readonly byteCount: number
  /** Decides inside the transaction; what it answers is told once the commit is durable. */
  readonly perform: (commit: LmdbCommit) => unknown
  readonly succeed: (result: unknown) => void
  readonly fail: (error: Error) => void
}

export class LmdbWrite implements Operation {
  readonly #options: LmdbWriteOptions
  #result: unknown
  #refusal: InvalidJournalCall | undefined

  constructor(options: LmdbWriteOptions) {
    this.#options = options
  }

  get eventCount(): number {
    return this.#options.eventCount
  }

  get byteCount(): number {
    return this.#options.byteCount
  }

  /** A caller's mistake is its own affair; anything else ends the transaction, and with it all that it carries. */
  perform(commit: LmdbCommit): void {
    try {
      this.#result = this.#options.perform(commit)
    } catch (error) {
      if (!(error instanceof InvalidJournalCall)) throw error
      this.#refusal = error
    }
  }

  succeed(): void {
    if (this.#refusal === undefined) this.#options.succeed(this.#result)
    else this.#options.fail(this.#refusal)
  }

  fail(error: Error): void {
    this.#options.fail(error)
  }
}

/** A child transaction, because only a child is rolled back when our own code throws in the middle. */
export async function transact(
  tables: LmdbTables,
  heads: LmdbHeads,
  take: () => readonly LmdbWrite[],
): Promise<void> {
  let isDecided = false
  try {
    await tables.environment.childTransaction(() => {
      const commit = new LmdbCommit(tables, heads)
      for (const write of take()) write.perform(commit)
      commit.finish()
      isDecided = true
    })
  } catch (error) {
    heads.forget()
    throw await explained(error, isDecided, tables.folder)
  }
}

async function explained(error: unknown, isDecided: boolean, folder: string): Promise<CodedError> {
  if (error instanceof CodedError) return error
  const cause = await causeOf(error)
  const text = `in ${folder}: ${reasonOf(cause)}.`
  return isDecided
    ? new JournalOutcomeUnknown(`A commit failed ${text}`, { cause })
    : new JournalUnavailable(`Nothing could be written ${text}`, { cause })
}

/** lmdb names the cause of a failed commit by a promise that rejects with it. */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<unknown> }
  if (commitError === undefined) return error
  return commitError.then(
    () => error,
    (cause: unknown) => cause,
  )
}
