/**
 * Brings one instance back to its state: waits for a permit, claims the stream, starts from a snapshot where there is one, and
 * reads the events after it in bounded chunks. Every chunk is applied in the actor's turn before the next is read. The permit
 * is given back on every way out.
 *
 *   waiting for a permit ──▶ claiming ──▶ loading a snapshot ──▶ reading ⇄ applying ──▶ over (completed, failed or cancelled)
 */
import type { Grant } from '../../foundation/grant.ts'
import type { Timer, Timers } from '../../foundation/timers.ts'
import type { Claim, Journal, StoredEvent } from '../journal.ts'
import { JournalCorrupted } from '../persistence-errors.ts'
import type { StoredSnapshot } from '../snapshots.ts'
import type { ActorTurn } from './actor-turn.ts'
import { RecoveryTimedOut } from './event-sourced-errors.ts'
import type { EventSourcedSettings } from './event-sourced-settings.ts'
import { type RecoveryStart, recoveryStart, type SnapshotSearch } from './snapshot-recovery.ts'
import type { RecoveryPermit, RecoveryPermits } from './recovery-permits.ts'

export interface RecoveryOptions<Event> {
  readonly persistenceId: string
  readonly writer: string
  /** Under what the actor lives, when it claims. */
  readonly grant: () => Grant | undefined
  readonly journal: Journal
  readonly permits: RecoveryPermits | undefined
  readonly settings: EventSourcedSettings
  readonly timers: Timers
  readonly turn: Pick<ActorTurn<never>, 'run'>
  readonly decode: (bytes: Uint8Array) => Event
  /** How snapshots are looked for; undefined begins empty behind the last event, and reads nothing. */
  readonly snapshots: SnapshotChoices | undefined
  /** In the actor's turn. Throws `SnapshotRefused` when it cannot be started from. */
  readonly startFrom: (snapshot: StoredSnapshot) => void
  /** In the actor's turn, as the following two. */
  readonly apply: (event: Event, sequenceNr: number) => void
  readonly completed: (claim: Claim, start: RecoveryStart) => void
  readonly failed: (error: unknown) => void
}

export type SnapshotChoices = Pick<SnapshotSearch, 'choice' | 'eventsMin' | 'every' | 'passedOver'>

export class Recovery<Event> {
  readonly #options: RecoveryOptions<Event>
  #permit: RecoveryPermit | undefined = undefined
  #patience: Timer | undefined = undefined
  #isOver = false
  #claiming: Promise<void> | undefined = undefined

  constructor(options: RecoveryOptions<Event>) {
    this.#options = options
  }

  start(): void {
    const { permits } = this.#options
    const recover = (): void => void this.#recover()
    if (permits === undefined) recover()
    else this.#permit = permits.request(recover)
  }

  /**
   * While a claim is under way: settles when the journal has answered it. Who claims the stream next must come after it, or
   * a late claim of one that has ended would take the stream from its successor.
   */
  get whenClaimed(): Promise<void> | undefined {
    return this.#claiming
  }

  /** The instance ends: nothing is called any more. */
  cancel(): void {
    this.#isOver = true
    this.#patience?.cancel()
    this.#permit?.release()
  }

  async #recover(): Promise<void> {
    const { settings, completed } = this.#options
    // It may have waited for its permit until now.
    if (this.#isOver) return
    try {
      this.#expect('The claim of the stream')
      const claim = await this.#claim()
      const last = claim.highestSequenceNr
      const start = await this.#start(claim)
      const first = start.sequenceNr + 1
      for (let from = first; from <= last && !this.#isOver; from += settings.replayEventsMax) {
        await this.#replay(from, Math.min(from + settings.replayEventsMax - 1, last))
      }
      this.#end(() => completed(claim, start))
    } catch (error) {
      this.#end(() => this.#options.failed(error))
    }
  }

  #start(claim: Claim): Promise<RecoveryStart> | RecoveryStart {
    const { snapshots, journal, persistenceId, startFrom } = this.#options
    if (snapshots === undefined) return { sequenceNr: claim.highestSequenceNr, isSnapshot: false }
    const expect = (what: string): void => this.#expect(what)
    const use = (snapshot: StoredSnapshot): Promise<void> => this.#inTurn(() => startFrom(snapshot))
    return recoveryStart({ ...snapshots, journal, persistenceId, expect, use }, claim)
  }

  async #claim(): Promise<Claim> {
    const { journal, persistenceId, writer, grant } = this.#options
    const claim = journal.claim(persistenceId, writer, grant())
    const ended = (): void => void (this.#claiming = undefined)
    this.#claiming = claim.then(ended, ended)
    return claim
  }

  async #replay(from: number, to: number): Promise<void> {
    const { journal, persistenceId, decode, apply } = this.#options
    this.#expect(`Reading events ${from} to ${to}`)
    const events: Event[] = []
    const range = { persistenceId, fromSequenceNr: from, toSequenceNr: to }
    await journal.read(range, (stored) => {
      checkNumber(stored, from + events.length)
      events.push(decode(stored.bytes))
    })
    const next = from + events.length
    if (next <= to) throw missing(persistenceId, next)
    await this.#inTurn(() => events.forEach((event, index) => apply(event, from + index)))
  }

  /** Resolves when it is done, rejects when it throws; neither when the instance has ended meanwhile. */
  #inTurn(work: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#options.turn.run(() => {
        if (this.#isOver) return
        try {
          work()
          resolve()
        } catch (error) {
          // What a user's handler throws is passed on as it is.
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors
          reject(error)
        }
      })
    })
  }

  /** Once, whatever happens first. */
  #end(tell: () => void): void {
    this.#options.turn.run(() => {
      if (this.#isOver) return
      this.cancel()
      tell()
    })
  }

  #expect(what: string): void {
    if (this.#isOver) return
    const { settings, timers, failed } = this.#options
    this.#patience?.cancel()
    this.#patience = timers.after(settings.recoveryTimeoutMs, () => {
      // A journal that says nothing is not waited for any longer.
      this.#claiming = undefined
      this.#end(() => failed(new RecoveryTimedOut(what, settings.recoveryTimeoutMs)))
    })
  }
}

function checkNumber({ persistenceId, sequenceNr }: StoredEvent, expected: number): void {
  if (sequenceNr !== expected) throw missing(persistenceId, expected)
}

function missing(persistenceId: string, sequenceNr: number): JournalCorrupted {
  return new JournalCorrupted(`the stream of "${persistenceId}"`, `event ${sequenceNr} is missing`)
}
