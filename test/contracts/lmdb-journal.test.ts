import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { LmdbJournal, type LmdbJournalOptions } from '../../src/persistence/index.ts'
import { journalContract } from '../../src/testkit/index.ts'

function lmdbContract(name: string, options: Omit<LmdbJournalOptions, 'folder'>): void {
  const newStore = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sherd-journal-'))
    return {
      open: (settings = {}) =>
        LmdbJournal.open({ ...options, folder, settings: { ...options.settings, ...settings } }),
      remove: () => rm(folder, { recursive: true }),
    }
  }
  const ports = {
    ...{ readsSlices: true, keepsRegisters: true, deletesEvents: true, keepsSnapshots: true },
    ...{ keepsStates: true, listsIds: true, transfers: true, fencesClaims: true },
  }
  journalContract({ describe, test }, { name: `PT-012 ${name}`, ...ports, newStore })
}

lmdbContract('LmdbJournal', {})

lmdbContract('LmdbJournal that folds often, and reads a little at a time', {
  foldLimits: { foldAfterEvents: 5 },
  settings: { readEventsMax: 7 },
})
