import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { registerLeases } from '../../src/lease/index.ts'
import { LmdbJournal, MemoryJournal, MemoryStore } from '../../src/persistence/index.ts'
import { leaseContract, TestLeases } from '../../src/testkit/index.ts'

leaseContract(
  { describe, test },
  {
    name: 'leases in memory',
    ttlMs: 1_000,
    hasNote: true,
    newStore: () => {
      const store = new MemoryStore()
      return { open: () => registerLeases(new MemoryJournal({ store })) }
    },
  },
)

leaseContract(
  { describe, test },
  {
    name: 'leases on LMDB',
    // A busy disk may take most of a second for a commit.
    ttlMs: 3_000,
    hasNote: true,
    newStore: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'sherd-leases-'))
      const journal = await LmdbJournal.open({ folder })
      return {
        open: () => registerLeases(journal),
        remove: async () => {
          await journal.close()
          await rm(folder, { recursive: true })
        },
      }
    },
  },
)

leaseContract(
  { describe, test },
  {
    name: 'leases for tests',
    ttlMs: 1_000,
    hasNote: true,
    newStore: () => {
      const { implementation } = new TestLeases()
      return { open: () => implementation }
    },
  },
)
