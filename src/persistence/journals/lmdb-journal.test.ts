import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journalContract } from '../../../test/contracts/journal.ts'
import { LmdbJournal } from './lmdb-journal.ts'

journalContract('LmdbJournal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-journal-'))
  return {
    open: (settings = {}) => LmdbJournal.open({ folder, settings }),
    remove: () => rm(folder, { recursive: true }),
  }
})
