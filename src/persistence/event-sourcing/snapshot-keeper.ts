/**
 * Keeps snapshots of one instance, and deletes what they make needless: one run at a time, beside the commands, which wait for
 * nothing of it.
 *
 *   idle ──state due──▶ saving ──▶ deleting events ──▶ deleting snapshots ──▶ idle, or the newest state that came due meanwhile
 *
 * Invariants: a state comes here only when all its events are stored; events are deleted only after the store has said that
 * the snapshot is kept, and another one before it, where the user wants several. Whatever fails is told and given up: the next
 * run covers it.
 */
import { deletesEvents } from '../event-deletion.ts'
import type { Fenced, Journal } from '../journal.ts'
import { hasSnapshots, type Snapshots } from '../snapshots.ts'
import type { DueSnapshot } from './due-snapshot.ts'
import { WriterFenced } from './event-sourced-errors.ts'
import { deletable, type Retention } from './retention.ts'
import { SnapshotRefused } from './snapshot-form.ts'
import type { SnapshotSignal } from './snapshot-signals.ts'

export interface SnapshotKeeperOptions {
  readonly persistenceId: string
  readonly epoch: number
  readonly journal: Journal
  readonly retention: Retention | undefined
  readonly wallMs: () => number
  /** From wherever the journal answers. */
  readonly tell: (signal: SnapshotSignal) => void
}

export class SnapshotKeeper {
  readonly #options: SnapshotKeeperOptions
  /** Numbers of snapshots known to be in the store, the oldest first. */
  readonly #kept: number[]
  #isRunning = false
  #next: DueSnapshot | undefined = undefined
  /** Counts the lives of the stream: what was begun in an earlier one is of no interest any more. */
  #life = 0

  /** `newest` is the number of the newest snapshot that is known to be in the store; 0 when none is. */
  constructor(options: SnapshotKeeperOptions, newest: number) {
    this.#options = options
    this.#kept = newest === 0 ? [] : [newest]
  }

  get isIdle(): boolean {
    return !this.#isRunning
  }

  /** Keeps it now, or after the run under way; then only the newest. All events up to it are stored. */
  keep(due: DueSnapshot): void {
    this.#next = { ...due, isRetained: due.isRetained || this.#next?.isRetained === true }
    if (!this.#isRunning) void this.#run()
  }

  /** The stream was ended, and its snapshots with it. */
  forget(): void {
    this.#life++
    this.#next = undefined
    this.#kept.length = 0
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let due = this.#take(); due !== undefined; due = this.#take()) {
      const life = this.#life
      const tell = (signal: SnapshotSignal): void => {
        if (life === this.#life) this.#options.tell(signal)
      }
      if (await this.#save(due, tell)) {
        if (life === this.#life) this.#remember(due.sequenceNr)
        if (due.isRetained) await this.#retain(life, tell)
      }
    }
    this.#isRunning = false
  }

  #take(): DueSnapshot | undefined {
    const due = this.#next
    this.#next = undefined
    return due
  }

  async #save({ encoded, sequenceNr }: DueSnapshot, tell: Tell): Promise<boolean> {
    const { persistenceId, epoch, wallMs } = this.#options
    try {
      if ('error' in encoded) throw encoded.error
      const { bytes } = encoded
      const snapshot = { persistenceId, epoch, sequenceNr, savedAtMs: wallMs(), bytes }
      const result = await this.#snapshots.saveSnapshot(snapshot)
      if (result.type === 'Fenced') throw this.#fenced(result)
      if (result.type === 'SnapshotConflict') {
        throw new SnapshotRefused(
          `The store knows ${result.highestSequenceNr} events of "${persistenceId}" and refuses a snapshot of number ${sequenceNr}.`,
        )
      }
    } catch (error) {
      tell({ type: 'SnapshotFailed', sequenceNr, error })
      return false
    }
    tell({ type: 'SnapshotSaved', sequenceNr })
    return true
  }

  async #retain(life: number, tell: Tell): Promise<void> {
    const { retention } = this.#options
    if (retention === undefined || life !== this.#life) return
    const { keepsNewestSnapshotOnly: isOne = false } = this.#snapshots
    // Where the user wants several, events never go on the word of one alone: should it be damaged, nothing else would know.
    const isAlone = !isOne && this.#kept.length < Math.min(retention.keepSnapshots, 2)
    if (retention.deleteEvents === true && isAlone) return
    const { eventsTo, snapshotsTo } = deletable(retention, this.#kept, isOne)
    if (eventsTo > 0 && !(await this.#deleteEvents(eventsTo, tell))) return
    if (snapshotsTo > 0) await this.#deleteSnapshots(snapshotsTo, tell)
  }

  /** No more of them than a retention asks about. */
  #remember(sequenceNr: number): void {
    const { keepSnapshots = 0 } = this.#options.retention ?? {}
    this.#kept.push(sequenceNr)
    if (this.#kept.length > 1 + keepSnapshots) this.#kept.shift()
  }

  async #deleteEvents(toSequenceNr: number, tell: Tell): Promise<boolean> {
    const { journal, persistenceId, epoch } = this.#options
    try {
      if (!deletesEvents(journal)) throw new TypeError('the journal deletes no events')
      const result = await journal.deleteEventsTo({ persistenceId, epoch, toSequenceNr })
      if (result.type === 'Fenced') throw this.#fenced(result)
      if (result.type === 'SequenceConflict') {
        throw new RangeError(`the store knows ${result.highestSequenceNr} events only`)
      }
    } catch (error) {
      tell({ type: 'EventDeletionFailed', toSequenceNr, error })
      return false
    }
    tell({ type: 'EventsDeleted', toSequenceNr })
    return true
  }

  async #deleteSnapshots(toSequenceNr: number, tell: Tell): Promise<void> {
    const { persistenceId, epoch } = this.#options
    try {
      const deletion = { persistenceId, epoch, fromSequenceNr: 0, toSequenceNr }
      const result = await this.#snapshots.deleteSnapshots(deletion)
      if (result.type === 'Fenced') throw this.#fenced(result)
    } catch (error) {
      return tell({ type: 'SnapshotDeletionFailed', toSequenceNr, error })
    }
    tell({ type: 'SnapshotsDeleted', toSequenceNr })
  }

  get #snapshots(): Snapshots {
    const { journal } = this.#options
    if (hasSnapshots(journal)) return journal
    throw new TypeError('the journal keeps no snapshots')
  }

  #fenced({ byWriter, byEpoch }: Fenced): WriterFenced {
    return new WriterFenced(this.#options.persistenceId, byWriter, byEpoch)
  }
}

type Tell = (signal: SnapshotSignal) => void
