/**
 * The journal of a node that may be frozen: while it is, nothing is claimed and nothing is written. A node that may have
 * been replaced, or that slept, must not write; the fence of the journal would hold, but need not be tried.
 */
import {
  type AppendBatch,
  type AppendResult,
  type Claim,
  deletesEvents,
  type EventDeletion,
  type Journal,
  JournalUnavailable,
  LmdbJournal,
  type ReadRange,
  type StoredEvent,
} from '../persistence/index.ts'

export class GuardedJournal implements Journal {
  readonly #journal: Journal
  readonly #closes: boolean
  /** If the journal can. */
  readonly deleteEvents: EventDeletion['deleteEvents'] | undefined
  /** Told by the cluster, once there is one. */
  isFrozen: () => boolean = () => false

  /** The cluster does not want this node: a store that was made for it is removed when it is closed. */
  isTakenBack = false

  /** `closes` is false for a journal that its owner closes. */
  constructor(journal: Journal, closes: boolean) {
    this.#journal = journal
    this.#closes = closes
    if (deletesEvents(journal)) {
      this.deleteEvents = (batch) => (this.isFrozen() ? refused() : journal.deleteEvents(batch))
    }
  }

  get storeId(): string | undefined {
    return this.#journal.storeId
  }

  get eventBytesMax(): number | undefined {
    return this.#journal.eventBytesMax
  }

  claim(persistenceId: string, writer: string): Promise<Claim> {
    return this.isFrozen() ? refused() : this.#journal.claim(persistenceId, writer)
  }

  append(batch: AppendBatch): Promise<AppendResult> {
    return this.isFrozen() ? refused() : this.#journal.append(batch)
  }

  read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    return this.#journal.read(range, onEvent)
  }

  highestSequenceNr(persistenceId: string): Promise<number> {
    return this.#journal.highestSequenceNr(persistenceId)
  }

  async close(): Promise<void> {
    if (!this.#closes) return
    if (this.isTakenBack && this.#journal instanceof LmdbJournal) await this.#journal.takeBack()
    else await this.#journal.close()
  }
}

function refused(): Promise<never> {
  return Promise.reject(
    new JournalUnavailable(
      'This node is frozen and writes nothing: it slept too long, or does not see a majority of the cluster, and may have been replaced. It goes on when it hears from the cluster again.',
    ),
  )
}
