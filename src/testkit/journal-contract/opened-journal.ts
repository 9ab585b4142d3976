/** The journal of a running test of the contract, and how the store is opened anew under it. */
import type { Journal, JournalSettings } from '../../persistence/index.ts'
import type { StoreUnderTest } from './journal-contract.ts'

export class OpenedJournal {
  readonly #store: StoreUnderTest
  #journal: Journal

  constructor(store: StoreUnderTest, journal: Journal) {
    this.#store = store
    this.#journal = journal
  }

  get journal(): Journal {
    return this.#journal
  }

  async reopen(settings?: Partial<JournalSettings>): Promise<void> {
    await this.#journal.close()
    this.#journal = await this.#store.open(settings)
  }
}
