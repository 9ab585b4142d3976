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
  canTransfer,
  deletesEvents,
  fencesClaims,
  hasRegisters,
  hasSnapshots,
  isSliceReader,
  type Journal,
  type JournalSettings,
  keepsStates,
  listsIds,
} from '../../persistence/index.ts'
import { comesWithin } from '../patience.ts'
import { anySteps } from './any-steps.ts'
import { claimFences, stateClaimFences } from './claim-fences.ts'
import { deleting } from './deleting.ts'
import { deletingFirst } from './deleting-first.ts'
import { listingIds } from './listing-ids.ts'
import { limits } from './limits.ts'
import { nastyIds } from './nasty-ids.ts'
import { OpenedJournal } from './opened-journal.ts'
import { closing, reading } from './reading.ts'
import { registers } from './registers.ts'
import { slices } from './slices.ts'
import { snapshots } from './snapshots.ts'
import { snapshotsOfEndedStreams } from './snapshots-of-ended-streams.ts'
import { states } from './states.ts'
import { tagQueries } from './tag-queries.ts'
import { tags } from './tags.ts'
import { transfer } from './transfer.ts'
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
  /** The same for `Snapshots`, */
  readonly keepsSnapshots?: boolean
  /** for `DurableStates`, */
  readonly keepsStates?: boolean
  /** for `IdList`, */
  readonly listsIds?: boolean
  /** for `ClaimFences`, */
  readonly fencesClaims?: boolean
  /** and for `StoreTransfer`, which goes with `EventDeletion`. */
  readonly transfers?: boolean
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
  underTest: JournalUnderTest,
): void {
  const { name: ofJournal, newStore } = underTest
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
    hasWhatItSays(check, underTest)
    claims(check)
    conditions(check)
    storing(check)
    tags(check)
    reading(check)
    limits(check)
    nastyIds(check)
    closing(check)
    anySteps(check)
    besides(check, underTest)
  })
}

/** What a journal may have besides, in words: with it, and without. */
const ports: readonly {
  readonly flag: Exclude<keyof JournalUnderTest, 'name' | 'newStore'>
  readonly words: readonly [has: string, hasNot: string]
  readonly isThere: (journal: Journal) => boolean
}[] = [
  {
    flag: 'readsSlices',
    words: ['reads over all streams', 'does not read over all streams'],
    isThere: isSliceReader,
  },
  {
    flag: 'keepsRegisters',
    words: ['keeps registers', 'does not keep registers'],
    isThere: hasRegisters,
  },
  {
    flag: 'deletesEvents',
    words: ['can delete events', 'cannot delete events'],
    isThere: deletesEvents,
  },
  {
    flag: 'keepsSnapshots',
    words: ['keeps snapshots', 'does not keep snapshots'],
    isThere: hasSnapshots,
  },
  { flag: 'keepsStates', words: ['keeps states', 'does not keep states'], isThere: keepsStates },
  { flag: 'listsIds', words: ['lists its ids', 'does not list its ids'], isThere: listsIds },
  {
    flag: 'fencesClaims',
    words: ['looks at the grants of claims', 'does not look at the grants of claims'],
    isThere: fencesClaims,
  },
  {
    flag: 'transfers',
    words: ['can be copied from and to', 'cannot be copied from and to'],
    isThere: canTransfer,
  },
]

function hasWhatItSays(check: AddTest, underTest: JournalUnderTest): void {
  for (const { flag, words, isThere } of ports) {
    const isSaid = underTest[flag] ?? false
    check(words[isSaid ? 0 : 1], async ({ journal }) => assert.equal(isThere(journal), isSaid))
  }
}

function besides(check: AddTest, underTest: JournalUnderTest): void {
  if (underTest.readsSlices) {
    slices(check)
    tagQueries(check)
  }
  if (underTest.keepsRegisters) registers(check)
  if (underTest.deletesEvents) {
    deleting(check)
    deletingFirst(check)
  }
  if (underTest.keepsSnapshots) snapshots(check)
  if (underTest.keepsSnapshots && underTest.deletesEvents) snapshotsOfEndedStreams(check)
  if (underTest.keepsStates) states(check)
  if (underTest.listsIds) listingIds(check)
  if (underTest.fencesClaims) claimFences(check)
  if (underTest.fencesClaims && underTest.keepsStates) stateClaimFences(check)
  if (underTest.transfers) transfer(check)
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
