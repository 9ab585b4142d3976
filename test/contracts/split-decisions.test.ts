import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbJournal, MemoryJournal, MemoryStore } from '../../src/persistence/index.ts'
import { splitDecisions } from './split-decisions.ts'

splitDecisions({
  name: 'a store in memory',
  newStore: async () => {
    const store = new MemoryStore()
    return {
      open: async () => new MemoryJournal({ store }),
      remove: async () => undefined,
    }
  },
})

splitDecisions({
  name: 'LMDB',
  newStore: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sherd-splits-'))
    const opened: LmdbJournal[] = []
    return {
      open: async () => {
        const journal = await LmdbJournal.open({ folder })
        opened.push(journal)
        return journal
      },
      remove: async () => {
        for (const journal of opened) await journal.close()
        await rm(folder, { recursive: true })
      },
    }
  },
})
