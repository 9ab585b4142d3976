/**
 * Collects what wants to be written while a commit is under way, and gives it to the next one: a disk is bound by
 * commits, not by events. What a commit contains is decided when the store's write lock is held, as late as possible.
 * One commit at a time, bounded in size; what waits is bounded too; whoever waits too long is told so.
 *
 * Whoever is told goes on at once, and often writes again. So those of a commit are told in parts, with a turn of the event
 * loop in between: the next commit begins with what the first parts have brought and is flushed while the others go on, and
 * no commit holds the event loop for long. When the next one has ended, the rest is told: what is left is never more than one commit.
 *
 * Invariant: every operation is settled exactly once, in the order in which it was added.
 */
import { formatMs } from '../../foundation/duration.ts'
import type { Timer, Timers } from '../../foundation/timers.ts'
import { JournalOutcomeUnknown, JournalUnavailable } from '../persistence-errors.ts'

/** How large a commit may be, how much may wait for it, and for how long. */
export interface CommitSettings {
  readonly waitingBytesMax: number
  readonly commitEventsMax: number
  readonly commitBytesMax: number
  readonly commitTimeoutMs: number
}

export interface Operation {
  /** Of what has no events: of how many the work is worth. */
  readonly eventCount: number
  readonly byteCount: number
  /** What it wrote is durable. */
  succeed(): void
  fail(error: Error): void
}

/**
 * Runs one transaction: calls `take` once, best when it holds the write lock, and resolves when everything taken is durable.
 * Rejects with what each taken operation, or without a call of `take` each waiting one, is told. Whoever has to decide anew
 * asks `taken` for those that were not given up meanwhile.
 */
export type Transact<Op extends Operation> = (
  take: () => readonly Op[],
  taken: () => readonly Op[],
) => Promise<void>

interface GroupCommitOptions<Op extends Operation> {
  readonly transact: Transact<Op>
  readonly settings: CommitSettings
  readonly timers: Timers
  /** Does this when the event loop comes round. Without it all operations of a commit are told at once. */
  readonly nextTurn?: (work: () => void) => void
  /** Why a commit may hang just now, and what to do about it. */
  readonly advice: () => string
}

/** Events that are told in one turn of the event loop: their commands and the next ones take some tenths of a millisecond. */
const toldAtOnce = 48

const none: readonly never[] = []

export class GroupCommit<Op extends Operation> {
  readonly #transact: Transact<Op>
  readonly #settings: CommitSettings
  readonly #timers: Timers
  readonly #advice: () => string
  readonly #nextTurn: ((work: () => void) => void) | undefined
  #waiting: Op[] = []
  #waitingBytes = 0
  /** In the transaction under way. */
  #taken: readonly Op[] = []
  /** Of the last commit that succeeded, and how many of them were told. */
  #told: readonly Op[] = none
  #toldCount = 0
  #isTurnAsked = false
  #isRunning = false
  /** A transaction was asked for and has not ended. */
  #isUnderWay = false
  #isStuck = false
  #onIdle: (() => void)[] = []

  constructor({ transact, settings, timers, nextTurn, advice }: GroupCommitOptions<Op>) {
    this.#transact = transact
    this.#nextTurn = nextTurn
    this.#settings = settings
    this.#timers = timers
    this.#advice = advice
  }

  add(operation: Op): void {
    const { waitingBytesMax } = this.#settings
    if (this.#waitingBytes + operation.byteCount > waitingBytesMax) {
      operation.fail(
        new JournalUnavailable(
          `More than ${waitingBytesMax} bytes (waitingBytesMax) wait to be stored. The disk does not keep up, or another process holds the write lock.`,
        ),
      )
      return
    }
    this.#waiting.push(operation)
    this.#waitingBytes += operation.byteCount
    if (!this.#isRunning) void this.#run()
  }

  /** Whether a commit is under way. Not while its operations are told: those who hear of it may end the process. */
  get isBusy(): boolean {
    return this.#isUnderWay
  }

  /** Resolves when nothing waits and no commit is under way; with false when a commit hangs and was given up. */
  async whenIdle(): Promise<boolean> {
    const isIdle = !this.#isRunning && !this.#isTelling
    if (!isIdle && !this.#isStuck) {
      await new Promise<void>((resolve) => this.#onIdle.push(resolve))
    }
    return !this.#isStuck
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) await this.#commit()
    this.#isRunning = false
    if (!this.#isTelling) this.#tellIdle()
  }

  async #commit(): Promise<void> {
    const patience = this.#startPatience()
    let isTaken = false
    try {
      const underWay = this.#underWay(() => {
        isTaken = true
        return this.#take()
      })
      // Only now, so that the store has begun with the next commit before those of the last one go on.
      this.#askTurn()
      await underWay
      this.#succeeded(this.#takeBack())
    } catch (error) {
      this.#tellRest()
      const reason = error instanceof Error ? error : new JournalUnavailable(String(error))
      const told = isTaken ? this.#takeBack() : this.#takeWaiting()
      for (const operation of told) operation.fail(reason)
    } finally {
      patience.cancel()
      this.#isStuck = false
    }
  }

  async #underWay(take: () => readonly Op[]): Promise<void> {
    this.#isUnderWay = true
    try {
      await this.#transact(take, () => this.#taken)
    } finally {
      this.#isUnderWay = false
    }
  }

  // ---- those that succeeded

  get #isTelling(): boolean {
    return this.#toldCount < this.#told.length
  }

  #succeeded(operations: readonly Op[]): void {
    this.#tellRest()
    this.#told = operations
    this.#toldCount = 0
    if (this.#nextTurn === undefined) this.#tellRest()
    else if (this.#waiting.length === 0) this.#tellSome()
  }

  #tellPart(eventsMax: number): void {
    const told = this.#told
    for (let events = 0; events < eventsMax && this.#toldCount < told.length;) {
      const operation = told[this.#toldCount++]!
      events += operation.eventCount
      try {
        operation.succeed()
      } catch (error) {
        this.#throwOn(error)
      }
    }
    // Up to a whole commit, which nobody needs any more.
    if (!this.#isTelling) this.#told = none
  }

  /** Whoever is told never throws, unless it is broken: all hear of it, and the other operations are told nevertheless. */
  #throwOn(error: unknown): void {
    this.#timers.after(0, () => {
      throw error
    })
  }

  #tellSome(): void {
    this.#tellPart(toldAtOnce)
    this.#askTurn()
  }

  #askTurn(): void {
    if (!this.#isTelling || this.#isTurnAsked) return
    this.#isTurnAsked = true
    this.#nextTurn?.(this.#tellOn)
  }

  readonly #tellOn = (): void => {
    this.#isTurnAsked = false
    if (!this.#isTelling) return
    this.#tellSome()
    if (!this.#isTelling && !this.#isRunning) this.#tellIdle()
  }

  #tellRest(): void {
    if (this.#isTelling) this.#tellPart(Infinity)
  }

  // ---- what is in a commit

  /** As many as one commit may hold, and at least one. */
  #take(): readonly Op[] {
    const { commitEventsMax, commitBytesMax } = this.#settings
    let count = 0
    let events = 0
    let bytes = 0
    for (const { eventCount, byteCount } of this.#waiting) {
      events += eventCount
      bytes += byteCount
      if (count > 0 && (events > commitEventsMax || bytes > commitBytesMax)) break
      this.#waitingBytes -= byteCount
      count++
    }
    this.#taken = count === this.#waiting.length ? this.#takeAll() : this.#waiting.splice(0, count)
    return this.#taken
  }

  #takeAll(): readonly Op[] {
    const all = this.#waiting
    this.#waiting = []
    return all
  }

  #takeBack(): readonly Op[] {
    const taken = this.#taken
    this.#taken = []
    return taken
  }

  #takeWaiting(): readonly Op[] {
    this.#waitingBytes = 0
    return this.#takeAll()
  }

  /** Who comes while the commit still hangs is not left waiting either, so it strikes again and again. */
  #startPatience(): Timer {
    const { commitTimeoutMs } = this.#settings
    const strike = (): void => {
      this.#giveUp()
      timer = this.#timers.after(commitTimeoutMs, strike)
    }
    let timer = this.#timers.after(commitTimeoutMs, strike)
    return { cancel: () => timer.cancel() }
  }

  #giveUp(): void {
    const waited = formatMs(this.#settings.commitTimeoutMs)
    const advice = this.#advice()
    this.#isStuck = true
    this.#tellRest()
    for (const operation of this.#takeBack()) {
      operation.fail(new JournalOutcomeUnknown(`A commit did not end within ${waited}. ${advice}`))
    }
    for (const operation of this.#takeWaiting()) {
      operation.fail(new JournalUnavailable(`No commit began within ${waited}. ${advice}`))
    }
    this.#tellIdle()
  }

  #tellIdle(): void {
    const listeners = this.#onIdle
    this.#onIdle = []
    for (const tell of listeners) tell()
  }
}
