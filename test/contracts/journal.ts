/**
 * What every journal promises, whatever it keeps its events in. Run for each store by a test beside it:
 * `journalContract('MemoryJournal', makeStore)`.
 */
import { afterEach, beforeEach, describe } from 'vitest'
import type { Journal, JournalSettings } from '../../src/persistence/index.ts'
import { limits } from './journal-limits.ts'
import { journalModel } from './journal-model.ts'
import { closing, manyWriters, reading } from './journal-reading.ts'
import { tagging } from './journal-tags.ts'
import type { Opened } from './journal-words.ts'
import { claims, conditions, storing } from './journal-writing.ts'

/** A store that outlives its journals. */
export interface StoreUnderTest {
  /** At most one is open at a time. */
  open(settings?: Partial<JournalSettings>): Journal
  remove(): Promise<void>
}

export function journalContract(name: string, makeStore: () => StoreUnderTest): void {
  describe(`${name} keeps the promises of a journal`, () => {
    let store: StoreUnderTest
    let journal: Journal
    const reopen = async (settings?: Partial<JournalSettings>): Promise<void> => {
      await journal.close()
      journal = store.open(settings)
    }
    beforeEach(() => {
      store = makeStore()
      journal = store.open()
    })
    afterEach(async () => {
      await journal.close()
      await store.remove()
    })
    const open: Opened = { journal: () => journal, reopen }

    claims(open)
    conditions(open)
    storing(open)
    tagging(open)
    manyWriters(open)
    reading(open)
    limits(open)
    closing(open)
    journalModel(open)
  })
}
