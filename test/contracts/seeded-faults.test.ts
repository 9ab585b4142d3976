import { expect, test } from 'vitest'
import { type Journal, type JournalSettings, MemoryStore } from '../../src/persistence/index.ts'
import { journalContract } from '../../src/testkit/index.ts'
import { openWith, seededFaults } from './seeded-faults.ts'

type OpenOn = (store: MemoryStore, settings: Partial<JournalSettings>) => Promise<Journal>

/** The tests of the contract that this journal fails. */
async function failedBy(open: OpenOn): Promise<string[]> {
  const tests: (readonly [name: string, body: () => Promise<void>])[] = []
  const runner = {
    describe: (_name: string, body: () => void) => body(),
    test: (name: string, body: () => Promise<void>) => void tests.push([name, body]),
  }
  journalContract(runner, {
    name: 'a journal',
    readsSlices: true,
    keepsRegisters: true,
    newStore: () => {
      const store = new MemoryStore()
      return { open: (settings = {}) => open(store, settings) }
    },
  })
  const failed: string[] = []
  for (const [name, body] of tests) await body().catch(() => failed.push(name))
  return failed
}

test('a journal without a fault passes', async () => {
  const noFault = { open: () => ({}), fails: '' }
  expect(await failedBy((store, settings) => openWith(noFault, store, settings))).toEqual([])
})

test.each(Object.entries(seededFaults))('%s, and the contract finds out', async (_what, fault) => {
  const failed = await failedBy((store, settings) => openWith(fault, store, settings))
  expect(failed).toContain(fault.fails)
})
