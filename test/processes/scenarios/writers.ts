/** Who wrote what into the shared journal, read from it while the nodes run: the newest epoch of every stream. */
import { LmdbJournal } from '../../../src/persistence/index.ts'

export interface Written {
  /** Per stream, the epoch of its newest event. */
  readonly epochs: ReadonlyMap<string, number>
}

export class JournalReader {
  readonly #journal: LmdbJournal
  readonly #epochs = new Map<string, number>()
  #after: string | undefined

  private constructor(journal: LmdbJournal) {
    this.#journal = journal
  }

  static async open(folder: string): Promise<JournalReader> {
    return new JournalReader(await LmdbJournal.open({ folder }))
  }

  /** Reads on from where it was; calls `visit` for every event that is new since. */
  async readOn(
    visit: (persistenceId: string, epoch: number, bytes: Uint8Array) => void = () => undefined,
  ): Promise<Written> {
    const slices = { fromSlice: 0, toSlice: 1023, eventsMax: 1_000 }
    for (let isLast = false; !isLast;) {
      const page = await this.#journal.readSlices({ ...slices, after: this.#after })
      for (const { persistenceId, epoch, bytes } of page.events) {
        this.#epochs.set(persistenceId, epoch)
        visit(persistenceId, epoch, bytes)
      }
      this.#after = page.next
      ;({ isLast } = page)
    }
    return { epochs: new Map(this.#epochs) }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#journal.close()
  }
}
