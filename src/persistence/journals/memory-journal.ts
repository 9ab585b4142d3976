/**
 * A journal in memory, for tests and simulation. Calls take effect at once and in order, and answer by microtasks: no
 * timers, no chance, no disk. What delays or fails is a wrapper's business.
 */
import type {
  AppendBatch,
  AppendResult,
  Claim,
  Journal,
  ReadRange,
  StoredEvent,
} from '../journal.ts'
import { JournalClosed } from '../persistence-errors.ts'
import { checkPersistenceId } from '../persistence-id.ts'
import { defaultJournalSettings, type JournalSettings } from '../persistence-settings.ts'
import { checkAppend, checkClaim, checkRange, checkSettings, checkWhole } from './fence.ts'
import { MemoryStore } from './memory-store.ts'

export interface MemoryJournalOptions {
  /** Journals with the same store see the same streams, as nodes with the same database do. */
  readonly store?: MemoryStore
  readonly settings?: Partial<JournalSettings>
}

export class MemoryJournal implements Journal {
  readonly #store: MemoryStore
  readonly #settings: JournalSettings
  #isClosed = false

  constructor({ store = new MemoryStore(), settings }: MemoryJournalOptions = {}) {
    this.#store = store
    this.#settings = { ...defaultJournalSettings, ...settings }
    checkSettings(this.#settings)
  }

  get storeId(): string | undefined {
    return this.#store.storeId
  }

  get eventBytesMax(): number {
    return this.#settings.eventBytesMax
  }

  /** Gives the store an id, unless it has one: memory has no chance of its own. */
  identify(makeId: () => string): void {
    this.#store.storeId ??= makeId()
  }

  async claim(persistenceId: string, writer: string): Promise<Claim> {
    this.#checkOpen()
    checkClaim(persistenceId, writer)
    return this.#store.claim(persistenceId, writer)
  }

  async append(batch: AppendBatch): Promise<AppendResult> {
    this.#checkOpen()
    checkAppend(batch, this.#settings)
    return this.#store.append(batch)
  }

  async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    this.#checkOpen()
    checkRange(range)
    const { persistenceId, toSequenceNr } = range
    const last = Math.min(toSequenceNr, this.#store.highestSequenceNr(persistenceId))
    const chunk = this.#settings.readEventsMax
    for (let from = Math.max(range.fromSequenceNr, 1); from <= last; from += chunk) {
      const to = Math.min(from + chunk - 1, last)
      for (const event of this.#store.events(persistenceId, from, to)) onEvent(event)
      await Promise.resolve()
      this.#checkOpen()
    }
  }

  async highestSequenceNr(persistenceId: string): Promise<number> {
    this.#checkOpen()
    checkPersistenceId(persistenceId)
    return this.#store.highestSequenceNr(persistenceId)
  }

  async readGlobal(fromOrder: number, limit: number): Promise<readonly StoredEvent[]> {
    this.#checkOpen()
    checkWhole('fromOrder', fromOrder, 0)
    checkWhole('limit', limit, 0)
    return this.#store.log(fromOrder, Math.min(limit, this.#settings.readEventsMax))
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new JournalClosed()
  }
}
