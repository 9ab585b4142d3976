import { describe, expect, test } from 'vitest'
import { faultyJournal } from '../../../test/persistence/faulty-journal.ts'
import { MemoryJournal } from '../../persistence/index.ts'
import { ManualTime } from '../../testkit/index.ts'
import { bytesOf, claimed, readTexts } from '../../testkit/journal-contract/journal-texts.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { StoreFaults } from './store-faults.ts'

const faulty = (faults: Partial<StoreFaults> = {}, seed = 1) => {
  const time = new ManualTime()
  const memory = new MemoryJournal()
  const journal = faultyJournal(memory, time.environment, {
    random: new SeededRandom(seed, 'faults'),
  })
  journal.setFaults({ latencyMeanMs: 0, ...faults })
  return { journal, memory, time }
}

describe('SimulatedJournal', () => {
  test('keeps the order of appends to a stream, however slow it is', async () => {
    const { journal, memory, time } = faulty({ latencyMeanMs: 50 })
    const { epoch } = await claimed(memory, 'a')
    const appends = Array.from('0123456789').map((text, expectedSequenceNr) =>
      journal.append({ persistenceId: 'a', epoch, expectedSequenceNr, events: [bytesOf(text)] }),
    )
    await time.advance('10s')
    expect((await Promise.all(appends)).map(({ type }) => type)).toEqual(Array(10).fill('Appended'))
    expect((await readTexts(memory, 'a')).join('')).toBe('0123456789')
  })

  test('stores nothing when it says so, and one thing or the other when nobody knows', async () => {
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const fails = seed % 2 === 0 ? { failsBefore: 1 } : { failsUnknown: 0.5 }
      const { journal, memory } = faulty(fails, seed)
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
    const { journal, memory, time } = faulty()
    journal.stall()
    const claim = journal.claim('a', 'w')
    await time.settle()
    expect((await claimed(memory, 'a')).epoch).toBe(1)
    journal.flow()
    expect((await claim).epoch).toBe(2)
  })
})
