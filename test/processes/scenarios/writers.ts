/** Who wrote what into the shared journal, read from it while the nodes run: the newest epoch of every stream. */
import { LmdbJournal } from '../../../src/persistence/index.ts'

export interface Written {
  /** The order number of the newest event. */
  readonly order: number
  /** Per stream, the epoch of its newest event. */
  readonly epochs: ReadonlyMap<string, number>
}

export class JournalReader {
  readonly #journal: LmdbJournal
  readonly #epochs = new Map<string, number>()
  #order = 0

  constructor(folder: string) {
    this.#journal = LmdbJournal.open({ folder })
  }

  /** Reads on from where it was; calls `visit` for every event that is new since. */
  async readOn(
    visit: (persistenceId: string, epoch: number, bytes: Uint8Array) => void = () => undefined,
  ): Promise<Written> {
    for (;;) {
      const events = await this.#journal.readGlobal(this.#order + 1, 1_000)
      if (events.length === 0) break
      for (const { persistenceId, epoch, order, bytes } of events) {
        this.#order = order
        this.#epochs.set(persistenceId, epoch)
        visit(persistenceId, epoch, bytes)
      }
    }
    return { order: this.#order, epochs: new Map(this.#epochs) }
  }

  close(): Promise<void> {
    return this.#journal.close()
  }
}
