/**
 * What every journal promises, whatever it keeps its events in, as tests for any runner that has `describe` and `test`:
 *
 *   import { describe, test } from 'node:test' // or from 'vitest'
 *   journalContract({ describe, test }, {
 *     name: 'MyJournal',
 *     readsSlices: false,
 *     newStore: async () => {
 *       const url = await newDatabase()
 *       return { open: (settings) => MyJournal.open(url, settings), remove: () => dropDatabase(url) }
 *     },
 *   })
 */
import assert from 'node:assert/strict'
import {
  deletesEvents,
  hasRegisters,
  isSliceReader,
  type Journal,
  type JournalSettings,
} from '../../persistence/index.ts'
import { comesWithin } from '../patience.ts'
import { anySteps } from './any-steps.ts'
import { deleting } from './deleting.ts'
import { limits } from './limits.ts'
import { OpenedJournal } from './opened-journal.ts'
import { closing, reading } from './reading.ts'
import { registers } from './registers.ts'
import { slices } from './slices.ts'
import { tags } from './tags.ts'
import { claims, conditions, storing } from './writing.ts'

/** Of the test runner. */
export interface TestFunctions {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
}

/** A journal, and how the tests come to stores for it. */
export interface JournalUnderTest {
  readonly name: string
  /** Whether it has the second port, `SliceReader`. */
  readonly readsSlices: boolean
  /** Whether it has the port `Registers`. Left out: it has not. */
  readonly keepsRegisters?: boolean
  /** Whether it has the port `EventDeletion`; it has not when this is not given. */
  readonly deletesEvents?: boolean
  /** An empty store, for one test. */
  readonly newStore: () => StoreUnderTest | Promise<StoreUnderTest>
}

/** A store that outlives its journals. */
export interface StoreUnderTest {
  /** At most one journal is open at a time. Settings that are not given have their defaults. */
  open(settings?: Partial<JournalSettings>): Promise<Journal>
  remove?(): Promise<void>
}

/** Registers a test that has a journal on a store of its own. */
export type AddTest = (name: string, body: (opened: OpenedJournal) => Promise<void>) => void

/** Of one test. A journal that never answers fails it, also where the runner would wait forever. */
const patienceMs = 60_000

/** Registers the tests; the runner runs them. */
export function journalContract(
  { describe, test }: TestFunctions,
  {
    name: ofJournal,
    readsSlices,
    keepsRegisters = false,
    deletesEvents: deletes = false,
    newStore,
  }: JournalUnderTest,
): void {
  const check: AddTest = (name, body) => {
    test(name, async () => {
      const work = onStore(await newStore(), body)
      const settled = work.catch(() => undefined)
      const isOver = await comesWithin(patienceMs, settled)
      assert.ok(isOver, `the journal has not answered within ${patienceMs} ms`)
      await work
    })
  }
  describe(`${ofJournal} keeps the promises of a journal`, () => {
    check(`${readsSlices ? 'reads' : 'does not read'} over all streams`, async ({ journal }) => {
      assert.equal(isSliceReader(journal), readsSlices)
    })
    check(`${keepsRegisters ? 'keeps' : 'does not keep'} registers`, async ({ journal }) => {
      assert.equal(hasRegisters(journal), keepsRegisters)
    })
    check(`${deletes ? 'can' : 'cannot'} delete events`, async ({ journal }) => {
      assert.equal(deletesEvents(journal), deletes)
    })
    claims(check)
    conditions(check)
    storing(check)
    tags(check)
    reading(check)
    limits(check)
    closing(check)
    anySteps(check)
    if (readsSlices) slices(check)
    if (keepsRegisters) registers(check)
    if (deletes) deleting(check)
  })
}

async function onStore(
  store: StoreUnderTest,
  body: (opened: OpenedJournal) => Promise<void>,
): Promise<void> {
  try {
    const opened = new OpenedJournal(store, await store.open())
    try {
      await body(opened)
    } finally {
      await opened.journal.close()
    }
  } finally {
    await store.remove?.()
  }
}
