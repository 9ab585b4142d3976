import { expect, test } from 'vitest'
import { type Journal, type JournalSettings, MemoryStore } from '../../src/persistence/index.ts'
import { journalContract } from '../../src/testkit/index.ts'
import { grantFaults } from './grant-faults.ts'
import { journalFaults } from './journal-faults.ts'
import { type Faults, openWith } from './seeded-fault.ts'
import { deletionFaults, snapshotFaults } from './snapshot-faults.ts'
import { listFaults, stateFaults, tagFaults, transferFaults } from './state-faults.ts'

const seededFaults: Faults = {
  ...{ ...journalFaults, ...deletionFaults, ...snapshotFaults, ...stateFaults },
  ...{ ...listFaults, ...transferFaults, ...tagFaults, ...grantFaults },
}

type OpenOn = (store: MemoryStore, settings: Partial<JournalSettings>) => Promise<Journal>

/** The tests of the contract that this journal fails, of all or of those with this name. */
async function failedBy(open: OpenOn, only?: string): Promise<string[]> {
  const tests: (readonly [name: string, body: () => Promise<void>])[] = []
  const runner = {
    describe: (_name: string, body: () => void) => body(),
    test: (name: string, body: () => Promise<void>) => void tests.push([name, body]),
  }
  journalContract(runner, {
    name: 'a journal',
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
      return { open: (settings = {}) => open(store, settings) }
    },
  })
  const failed: string[] = []
  for (const [name, body] of tests) {
    if (only === undefined || name === only) await body().catch(() => failed.push(name))
  }
  return failed
}

test('a journal without a fault passes', async () => {
  const noFault = { open: () => ({}), fails: '' }
  expect(await failedBy((store, settings) => openWith(noFault, store, settings))).toEqual([])
})

test.each(Object.entries(seededFaults))('%s, and the contract finds out', async (_what, fault) => {
  const open: OpenOn = (store, settings) => openWith(fault, store, settings)
  expect(await failedBy(open, fault.fails)).toEqual([fault.fails])
})
