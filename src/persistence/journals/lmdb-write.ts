/** One claim, append, deletion or write of a register on its way to the disk, and the transaction that carries many of them. */
import { assert, unreachable } from '../../foundation/assert.ts'
import { CodedError } from '../../foundation/coded-error.ts'
import type { AppendBatch, AppendResult, Claim } from '../journal.ts'
import {
  InvalidJournalCall,
  JournalOutcomeUnknown,
  JournalUnavailable,
} from '../persistence-errors.ts'
import type { RegisterWrite, RegisterWriteResult } from '../registers.ts'
import type { Operation } from './group-commit.ts'
import { LmdbCommit, type LmdbCommitParts } from './lmdb-commit.ts'
import { scrubEventsMax } from './lmdb-scrub.ts'
import { reasonOf } from './lmdb-tables.ts'

export type LmdbRequest =
  | { readonly type: 'Append'; readonly batch: AppendBatch }
  | { readonly type: 'Delete'; readonly batch: AppendBatch }
  /** Takes deleted events out of the log. */
  | { readonly type: 'Scrub' }
  | { readonly type: 'Claim'; readonly persistenceId: string; readonly writer: string }
  | { readonly type: 'Highest'; readonly persistenceId: string }
  | { readonly type: 'Register'; readonly write: RegisterWrite }

/**
 * Decisions are taken on the event loop and inside the write lock, so a commit is bounded in all that it decides. In events of
 * equal work: a claim writes a head where its stream's name sorts, a question reads one there, a register
 * is read and written where its own name sorts.
 */
const claimEvents = 2
const highestEvents = 1
const registerEvents = 2

type LmdbResult = AppendResult | Claim | number | RegisterWriteResult

interface LmdbWriteOptions {
  readonly request: LmdbRequest
  readonly byteCount: number
  /** Is told what was decided, once the commit is durable. */
  readonly succeed: (result: LmdbResult) => void
  readonly fail: (error: Error) => void
}

export class LmdbWrite implements Operation {
  readonly eventCount: number
  readonly byteCount: number
  readonly #request: LmdbRequest
  readonly #succeed: (result: LmdbResult) => void
  readonly #fail: (error: Error) => void
  /** Decided inside the transaction. */
  #outcome: LmdbResult | InvalidJournalCall | undefined

  constructor({ request, byteCount, succeed, fail }: LmdbWriteOptions) {
    this.eventCount = workOf(request)
    this.byteCount = byteCount
    this.#request = request
    this.#succeed = succeed
    this.#fail = fail
  }

  /** A caller's mistake is its own affair; anything else ends the transaction, and with it all that it carries. */
  perform(commit: LmdbCommit): void {
    try {
      this.#outcome = decide(this.#request, commit)
    } catch (error) {
      if (!(error instanceof InvalidJournalCall)) throw error
      this.#outcome = error
    }
  }

  succeed(): void {
    const outcome = this.#outcome
    assert(outcome !== undefined, 'a write is performed before it is durable')
    if (outcome instanceof InvalidJournalCall) this.#fail(outcome)
    else this.#succeed(outcome)
  }

  fail(error: Error): void {
    this.#fail(error)
  }
}

function workOf(request: LmdbRequest): number {
  switch (request.type) {
    case 'Append':
      return request.batch.events.length
    case 'Delete':
      return request.batch.events.length + scrubEventsMax
    case 'Scrub':
      return scrubEventsMax
    case 'Claim':
      return claimEvents
    case 'Highest':
      return highestEvents
    case 'Register':
      return registerEvents
    default:
      return unreachable(request)
  }
}

function decide(request: LmdbRequest, commit: LmdbCommit): LmdbResult {
  switch (request.type) {
    case 'Append':
      return commit.append(request.batch)
    case 'Delete':
      return commit.deleteEvents(request.batch)
    case 'Scrub':
      return commit.scrubOn()
    case 'Claim':
      return commit.claim(request.persistenceId, request.writer)
    case 'Highest':
      return commit.highestSequenceNr(request.persistenceId)
    case 'Register':
      return commit.writeRegister(request.write)
    default:
      return unreachable(request)
  }
}

export function transact(parts: LmdbCommitParts, take: () => readonly LmdbWrite[]): Promise<void> {
  return inTransaction(parts, (commit) => {
    const writes = take()
    const byteCount = writes.reduce((sum, write) => sum + write.byteCount, 0)
    // A mere question needs none.
    if (byteCount > 0) parts.room.check(byteCount)
    for (const write of writes) write.perform(commit)
    commit.finish()
    return true
  })
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
