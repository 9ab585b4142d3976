/** One request on its way to the disk, and the transaction that carries many of them. */
import { assert } from '../../foundation/assert.ts'
import { CodedError } from '../../foundation/coded-error.ts'
import {
  ClaimFenced,
  InvalidJournalCall,
  JournalCorrupted,
  JournalOutcomeUnknown,
  JournalUnavailable,
} from '../persistence-errors.ts'
import type { Operation } from './group-commit.ts'
import { LmdbCommit, type LmdbCommitParts } from './lmdb-commit.ts'
import type { LmdbQuickCommits } from './lmdb-quick-commit.ts'
import {
  decide,
  type LmdbRequest,
  type LmdbResult,
  looksBeforeItWrites,
  workOf,
} from './lmdb-request.ts'
import { reasonOf } from './lmdb-tables.ts'

/** Whoever waits for a request. */
export interface LmdbAsker {
  /** What was decided, once the commit is durable. */
  succeeded(result: LmdbResult): void
  failed(error: Error): void
}

const undecided = Symbol('undecided')

export class LmdbWrite implements Operation {
  readonly eventCount: number
  readonly byteCount: number
  readonly #request: LmdbRequest
  readonly #asker: LmdbAsker
  /** Decided inside the transaction. */
  #result: LmdbResult | typeof undecided = undecided
  #refusal: InvalidJournalCall | ClaimFenced | JournalCorrupted | undefined = undefined

  constructor(request: LmdbRequest, byteCount: number, asker: LmdbAsker) {
    this.eventCount = workOf(request)
    this.byteCount = byteCount
    this.#request = request
    this.#asker = asker
  }

  get isAppend(): boolean {
    return this.#request.type === 'Append'
  }

  /**
   * A caller's mistake is its own affair, and so is damage in what it asks for, if it was found before anything was changed.
   * Anything else ends the transaction, and with it all that it carries. What was decided before, and came to nothing, is
   * forgotten.
   */
  perform(commit: LmdbCommit): void {
    this.#refusal = undefined
    try {
      this.#result = decide(this.#request, commit)
    } catch (error) {
      const isOwnAffair =
        error instanceof InvalidJournalCall ||
        error instanceof ClaimFenced ||
        (error instanceof JournalCorrupted && looksBeforeItWrites(this.#request))
      if (!isOwnAffair) throw error
      this.#refusal = error
    }
  }

  succeed(): void {
    if (this.#refusal !== undefined) return this.#asker.failed(this.#refusal)
    assert(this.#result !== undecided, 'a write is performed before it is durable')
    this.#asker.succeeded(this.#result)
  }

  fail(error: Error): void {
    this.#asker.failed(error)
  }
}

interface TransactOptions {
  /** Is told when it holds the write lock, if that is seen. */
  readonly onLock?: () => void
  readonly quick?: LmdbQuickCommits
  /** What was taken and not given up meanwhile. */
  readonly taken?: () => readonly LmdbWrite[]
}

/** What a transaction carries is decided under the write lock, or before it where `quick` says that this is as good. */
export async function transact(
  parts: LmdbCommitParts,
  take: () => readonly LmdbWrite[],
  { onLock, quick, taken }: TransactOptions = {},
): Promise<void> {
  if (quick?.isNext !== true) return transactUnderLock(parts, take, onLock)
  const writes = take()
  const areAppends = writes.every(({ isAppend }) => isAppend)
  if (areAppends && (await commitQuickly(parts, quick, writes))) return
  return transactUnderLock(parts, taken ?? (() => writes), onLock)
}

function transactUnderLock(
  parts: LmdbCommitParts,
  take: () => readonly LmdbWrite[],
  onLock: (() => void) | undefined,
): Promise<void> {
  return inTransaction(parts, (commit) => {
    onLock?.()
    const writes = take()
    checkRoom(parts, writes)
    for (const write of writes) write.perform(commit)
    commit.finish()
    return true
  })
}

async function commitQuickly(
  parts: LmdbCommitParts,
  quick: LmdbQuickCommits,
  writes: readonly LmdbWrite[],
): Promise<boolean> {
  let isDecided = false
  try {
    checkRoom(parts, writes)
    return await quick.commit(writes, () => (isDecided = true))
  } catch (error) {
    // They may hold what was not written.
    parts.heads.forget()
    throw await explained(error, isDecided, parts.tables.folder)
  }
}

/** A mere question needs none; and a claim, so that entities can be read, and a deletion, which makes room, are tried. */
function checkRoom({ room }: LmdbCommitParts, writes: readonly LmdbWrite[]): void {
  const byteCount = writes.reduce((sum, write) => sum + write.byteCount, 0)
  if (byteCount > 0) room.check(byteCount)
}

/** A transaction that carries nothing, and only goes on with the fold. `onLock` is told when it holds the write lock. */
export function foldOn(parts: LmdbCommitParts, onLock: () => void): Promise<void> {
  return inTransaction(parts, (commit) => {
    onLock()
    parts.room.check(0)
    commit.foldOn()
    return false
  })
}

/**
 * A child transaction, because only a child is rolled back when our own code throws in the middle. `work` answers whether
 * it has decided anything that somebody waits for.
 */
async function inTransaction(
  parts: LmdbCommitParts,
  work: (commit: LmdbCommit) => boolean,
): Promise<void> {
  const { tables, heads } = parts
  let isDecided = false
  try {
    await tables.environment.childTransaction(() => {
      isDecided = work(new LmdbCommit(parts))
    })
  } catch (error) {
    // They may hold what was rolled back.
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
