import { describe, test } from 'vitest'
import { systemEnvironment } from '../../src/foundation/system-environment.ts'
import { MemoryJournal, MemoryStore } from '../../src/persistence/index.ts'
import { journalContract } from '../../src/testkit/index.ts'
import { faultyJournal, noFaults } from '../persistence/faulty-journal.ts'

journalContract(
  { describe, test },
  {
    name: 'PT-012 MemoryJournal',
    readsSlices: true,
    keepsRegisters: true,
    deletesEvents: true,
    keepsSnapshots: true,
    keepsStates: true,
    listsIds: true,
    transfers: true,
    fencesClaims: true,
    newStore: () => {
      const store = new MemoryStore()
      return { open: async (settings = {}) => new MemoryJournal({ store, settings }) }
    },
  },
)

describe.each([
  ['that answers at once', noFaults],
  ['that is slow, and stalls', { latencyMeanMs: 0.1, stallChance: 0.01, stallMaxMs: 5 }],
])('PT-012 SimulatedJournal %s', (_how, faults) => {
  journalContract(
    { describe, test },
    {
      name: 'it',
      readsSlices: true,
      keepsRegisters: true,
      deletesEvents: true,
      keepsSnapshots: true,
      keepsStates: true,
      listsIds: true,
      fencesClaims: true,
      newStore: () => {
        const store = new MemoryStore()
        const open = async (settings = {}) => {
          const memory = new MemoryJournal({ store, settings })
          const journal = faultyJournal(memory, systemEnvironment({}))
          journal.setFaults(faults)
          return journal
        }
        return { open }
      },
    },
  )
})
