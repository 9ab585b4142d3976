import { describe, expect, test } from 'vitest'
import type { StoredEvent } from '../journal.ts'
import { MemoryJournal } from '../journals/memory-journal.ts'
import { StatesAsJournal } from './states-as-journal.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('states as a journal', () => {
  const make = () => {
    const memory = new MemoryJournal()
    const journal = new StatesAsJournal(memory)
    const read = async (from: number, to: number): Promise<string[]> => {
      const found: string[] = []
      const range = { persistenceId: 'a', fromSequenceNr: from, toSequenceNr: to }
      await journal.read(range, ({ sequenceNr, bytes: stored }: StoredEvent) => {
        found.push(`${sequenceNr} ${Buffer.from(stored).toString()}`)
      })
      return found
    }
    const append = (epoch: number, expectedSequenceNr: number, ...texts: string[]) =>
      journal.append({ persistenceId: 'a', epoch, expectedSequenceNr, events: texts.map(bytes) })
    return { memory, journal, read, append }
  }

  test('have one event, the newest state, under the number of its revision', async () => {
    const { journal, read, append } = make()
    expect(await journal.claim('a', 'w')).toEqual({
      ...{ epoch: 1, highestSequenceNr: 0, deletedSequenceNr: 0, startSequenceNr: 0 },
    })
    expect(await append(1, 0, 'x', 'y', 'z')).toEqual({ type: 'Appended', highestSequenceNr: 3 })
    expect(await journal.claim('a', 'w')).toEqual({
      ...{ epoch: 2, highestSequenceNr: 3, deletedSequenceNr: 2, startSequenceNr: 2 },
    })
    expect(await read(3, 3)).toEqual(['3 z'])
    // What came with the claim was read; from here on the store is asked.
    expect(await read(3, 3)).toEqual(['3 z'])
    expect(await journal.highestSequenceNr('a')).toBe(3)
  })

  test('are claimed under the grant that is given', async () => {
    const { journal } = make()
    await journal.claim('a', 'w', { name: 'lease', token: 2 })
    const late = journal.claim('a', 'w', { name: 'lease', token: 1 })
    await expect(late).rejects.toMatchObject({ code: 'CLAIM_FENCED' })
  })

  test('end where they were deleted, and go on from there', async () => {
    const { journal, read, append } = make()
    await journal.claim('a', 'w')
    await append(1, 0, 'x')
    const deletion = { persistenceId: 'a', epoch: 1, expectedSequenceNr: 1, events: [] }
    expect(await journal.deleteEvents(deletion)).toMatchObject({ type: 'Appended' })
    expect(await journal.claim('a', 'w')).toEqual({
      ...{ epoch: 2, highestSequenceNr: 1, deletedSequenceNr: 1, startSequenceNr: 1 },
    })
    expect(await append(2, 1, 'y')).toEqual({ type: 'Appended', highestSequenceNr: 2 })
    expect(await read(2, 2)).toEqual(['2 y'])
  })

  test('refuse a writer that was succeeded, and one that is wrong about the revision', async () => {
    const { journal, append } = make()
    await journal.claim('a', 'first')
    expect(await append(1, 4, 'x')).toEqual({ type: 'SequenceConflict', highestSequenceNr: 0 })
    await journal.claim('a', 'second')
    expect(await append(1, 0, 'x')).toEqual({ type: 'Fenced', byEpoch: 2, byWriter: 'second' })
  })

  test('say who has the state when it was replaced while it is read', async () => {
    const { memory, journal, read, append } = make()
    await journal.claim('a', 'first')
    await append(1, 0, 'x')
    await memory.claimState('a', 'second')
    const write = { persistenceId: 'a', epoch: 2, expectedRevision: 1, revision: 2 }
    await memory.writeState({ ...write, bytes: bytes('y') })
    await expect(read(1, 1)).rejects.toThrow(
      'The state of "a" was written by second (epoch 2) while it was read',
    )
    await memory.writeState({ ...write, expectedRevision: 2, bytes: undefined })
    await expect(read(2, 2)).rejects.toThrow(
      'The state of "a" was deleted by second (epoch 2) while it was read',
    )
  })
})
