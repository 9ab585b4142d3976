import { describe, expect, test } from 'vitest'
import { faultyJournal } from '../../../test/persistence/faulty-journal.ts'
import { MemoryJournal } from '../../persistence/index.ts'
import { ManualTime } from '../../testkit/index.ts'
import { bytesOf, claimed, readTexts } from '../../testkit/journal-contract/journal-texts.ts'
import { SeededRandom } from '../seeded-random.ts'
import { type JournalGround, SimulatedJournal } from './simulated-journal.ts'
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

const write = (expectedRevision: number, text: string) => ({
  ...{ name: 'r', expectedRevision, bytes: bytesOf(text) },
})

/** A store and a node whose steps the test takes one by one. */
const stepped = (seed = 1) => {
  const inStore: (() => void)[] = []
  const inNode: (() => void)[] = []
  let isAlive = true
  const ground: JournalGround = {
    ...{ label: 'a#1', clock: { monotonicMs: () => 0 }, fault: () => {} },
    inStore: (_delayMs, run) => void inStore.push(run),
    inNode: (_delayMs, run) => void (isAlive && inNode.push(run)),
    mayAct: () => isAlive,
    isAlive: () => isAlive,
  }
  const memory = new MemoryJournal()
  const random = new SeededRandom(seed, 'faults')
  const journal = new SimulatedJournal({ journal: memory, random, ground })
  const take = async (steps: (() => void)[]): Promise<void> => {
    for (const step of steps.splice(0)) step()
    await new Promise(setImmediate)
  }
  return {
    ...{ journal, memory },
    storeActs: () => take(inStore),
    nodeActs: () => take(inNode),
    die: () => (isAlive = false),
  }
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

  test('shows a register as it was when the store looked, though the node hears of it later', async () => {
    const { journal, memory, storeActs, nodeActs } = stepped()
    await memory.writeRegister(write(0, 'x'))
    const reading = journal.readRegister('r')
    await storeActs()
    await memory.writeRegister(write(1, 'y'))
    await nodeActs()
    expect(await reading).toEqual({ revision: 1, bytes: bytesOf('x') })
    const again = journal.readRegister('r')
    await memory.writeRegister(write(2, 'z'))
    await storeActs()
    await nodeActs()
    expect(await again).toMatchObject({ revision: 3 })
  })

  test('writes a register after its node has died, or never', async () => {
    const revisions = new Set<number | undefined>()
    for (let seed = 1; seed <= 20; seed++) {
      const { journal, memory, storeActs, die } = stepped(seed)
      const answered: unknown[] = []
      void journal.writeRegister(write(0, 'x')).then((result) => answered.push(result))
      void journal.readRegister('r').then((register) => answered.push(register))
      die()
      await storeActs()
      revisions.add((await memory.readRegister('r'))?.revision)
      expect(answered).toEqual([])
    }
    expect(revisions).toEqual(new Set([1, undefined]))
  })

  test('fails with registers as with all else', async () => {
    const outcomes = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const fails = seed % 2 === 0 ? { failsBefore: 1 } : { failsUnknown: 0.5 }
      const { journal, memory } = faulty(fails, seed)
      const error: unknown = await journal.writeRegister(write(0, 'x')).catch((e: unknown) => e)
      const { revision = 0 } = (await memory.readRegister('r')) ?? {}
      outcomes.add(`${(error as { code: string }).code} ${revision}`)
      const read = journal.readRegister('r')
      if (seed % 2 === 0) await expect(read).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
      else expect((await read)?.revision ?? 0).toBe(revision)
    }
    expect([...outcomes].sort()).toEqual([
      'JOURNAL_OUTCOME_UNKNOWN 0',
      'JOURNAL_OUTCOME_UNKNOWN 1',
      'JOURNAL_UNAVAILABLE 0',
    ])
  })

  test('shows no register while it stalls', async () => {
    const { journal, memory, time } = faulty()
    journal.stall()
    const reading = journal.readRegister('r')
    const writing = journal.writeRegister(write(0, 'mine'))
    await time.settle()
    await memory.writeRegister(write(0, 'theirs'))
    journal.flow()
    expect(await reading).toMatchObject({ revision: 1 })
    expect(await writing).toEqual({ type: 'RegisterChanged', revision: 1 })
  })
})
