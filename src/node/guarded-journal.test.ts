import { expect, test } from 'vitest'
import { deletesEvents, MemoryJournal } from '../persistence/index.ts'
import { GuardedJournal } from './guarded-journal.ts'

const words = /This node is frozen and writes nothing: .* may have been replaced/

test('claims and writes nothing while the node is frozen, and goes on afterwards', async () => {
  const memory = new MemoryJournal()
  const journal = new GuardedJournal(memory, true)
  let isFrozen = false
  journal.isFrozen = () => isFrozen
  const { epoch } = await journal.claim('a', 'me')
  const batch = { persistenceId: 'a', epoch, expectedSequenceNr: 0, events: [new Uint8Array([1])] }
  isFrozen = true
  await expect(journal.claim('a', 'me')).rejects.toThrow(words)
  await expect(journal.append(batch)).rejects.toMatchObject({ code: 'JOURNAL_UNAVAILABLE' })
  expect(await journal.highestSequenceNr('a')).toBe(0)
  isFrozen = false
  expect(await journal.append(batch)).toMatchObject({ type: 'Appended' })
  expect(await memory.highestSequenceNr('a')).toBe(1)
})

test('deletes nothing while the node is frozen, and nothing at all where the store cannot', async () => {
  const memory = new MemoryJournal()
  const journal = new GuardedJournal(memory, true)
  const { epoch } = await journal.claim('a', 'w')
  const batch = { persistenceId: 'a', epoch, expectedSequenceNr: 0, events: [new Uint8Array([7])] }
  await journal.append(batch)
  const deletion = { ...batch, expectedSequenceNr: 1, events: [] }
  journal.isFrozen = () => true
  await expect(journal.deleteEvents?.(deletion)).rejects.toThrow('frozen')
  expect((await memory.claim('a', 'w')).deletedSequenceNr).toBe(undefined)
  journal.isFrozen = () => false
  expect(await journal.deleteEvents?.(deletion)).toMatchObject({ type: 'Fenced' })

  const { claim, append, read, highestSequenceNr, close } = memory
  const without = new GuardedJournal({ claim, append, read, highestSequenceNr, close }, false)
  expect(deletesEvents(without)).toBe(false)
})

test('closes only what is its own', async () => {
  const memory = new MemoryJournal()
  await new GuardedJournal(memory, false).close()
  expect(await memory.highestSequenceNr('a')).toBe(0)
  await new GuardedJournal(memory, true).close()
  await expect(memory.highestSequenceNr('a')).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' })
})
