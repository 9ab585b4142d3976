import { describe, expect, test } from 'vitest'
import { journalContract } from '../../test/contracts/journal.ts'
import { bytesOf, claimed, globalTexts } from '../../test/contracts/journal-words.ts'
import { SeededRandom } from '../simulation/index.ts'
import { ManualTime } from '../testkit/index.ts'
import { FaultyJournal, type JournalFaults } from './faulty-journal.ts'
import { MemoryJournal } from './journals/memory-journal.ts'
import { MemoryStore } from './journals/memory-store.ts'

const noFaults: JournalFaults = { latencyMaxMs: 0, failsBefore: 0, failsUnknown: 0 }
const faulty = (faults: JournalFaults, store = new MemoryStore(), seed = 1) => {
  const time = new ManualTime()
  const memory = new MemoryJournal({ store })
  const journal = new FaultyJournal({
    journal: memory,
    random: new SeededRandom(seed, 'faults'),
    timers: time.environment.timers,
    faults,
  })
  return { journal, memory, time }
}

journalContract('FaultyJournal without faults', () => {
  const store = new MemoryStore()
  return {
    open: (settings = {}) =>
      new FaultyJournal({
        journal: new MemoryJournal({ store, settings }),
        random: new SeededRandom(1, 'faults'),
        timers: new ManualTime().environment.timers,
        faults: noFaults,
      }),
    remove: async () => {},
  }
})

describe('FaultyJournal', () => {
  test('keeps the order of appends to a stream, however slow it is', async () => {
    const { journal, memory, time } = faulty({ ...noFaults, latencyMaxMs: 100 })
    const { epoch } = await claimed(memory, 'a')
    const appends = Array.from('0123456789').map((text, expectedSequenceNr) =>
      journal.append({ persistenceId: 'a', epoch, expectedSequenceNr, events: [bytesOf(text)] }),
    )
    await time.advance('1s')
    expect((await Promise.all(appends)).map(({ type }) => type)).toEqual(Array(10).fill('Appended'))
    expect((await globalTexts(memory)).join()).toBe(
      Array.from('0123456789')
        .map((text) => `a:${text}`)
        .join(),
    )
  })

  test('stores nothing when it says so, and one thing or the other when nobody knows', async () => {
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const fails = seed % 2 === 0 ? { failsBefore: 1 } : { failsUnknown: 1 }
      const { journal, memory } = faulty({ ...noFaults, ...fails }, new MemoryStore(), seed)
      const { epoch } = await claimed(memory, 'a')
      const batch = { persistenceId: 'a', epoch, expectedSequenceNr: 0, events: [bytesOf('x')] }
      const error: unknown = await journal.append(batch).catch((reason: unknown) => reason)
      outcomes.add(`${(error as { code: string }).code} ${await memory.highestSequenceNr('a')}`)
    }
    expect([...outcomes].sort()).toEqual([
      'JOURNAL_OUTCOME_UNKNOWN 0',
      'JOURNAL_OUTCOME_UNKNOWN 1',
      'JOURNAL_UNAVAILABLE 0',
    ])
  })

  test('does nothing while it stalls', async () => {
    const { journal, memory, time } = faulty(noFaults)
    journal.stall()
    const claim = journal.claim('a', 'w')
    await time.settle()
    expect((await claimed(memory, 'a')).epoch).toBe(1)
    journal.flow()
    expect((await claim).epoch).toBe(2)
  })
})
