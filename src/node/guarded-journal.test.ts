import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type AppendBatch,
  type AppendResult,
  deletesEvents,
  hasRegisters,
  type Journal,
  LmdbJournal,
  MemoryJournal,
} from '../persistence/index.ts'
import { toldAppendsOf } from '../persistence/internals.ts'
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

test('claims under the grant that it is given, streams and states', async () => {
  const memory = new MemoryJournal()
  const journal = new GuardedJournal(memory, true)
  const under = (token: number) => ({ name: 'lease', token })
  await journal.claim('a', 'me', under(2))
  await expect(journal.claim('a', 'me', under(1))).rejects.toMatchObject({ code: 'CLAIM_FENCED' })
  const states = journal.claimState?.('a', 'me', under(1))
  await expect(states).rejects.toMatchObject({ code: 'CLAIM_FENCED' })
})

test('looks which founding of the cluster lives before it claims, and claims nothing when that froze the node', async () => {
  const memory = new MemoryJournal()
  const journal = new GuardedJournal(memory, true)
  let [looks, isFrozen] = [0, false]
  journal.isFrozen = () => isFrozen
  journal.lookAtFounding = async () => void looks++
  expect(await journal.claim('a', 'me')).toMatchObject({ epoch: 1 })
  expect(looks).toBe(1)
  journal.lookAtFounding = async () => void (isFrozen = true)
  await expect(journal.claim('a', 'me')).rejects.toThrow(words)
  expect(await memory.claim('a', 'somebody')).toMatchObject({ epoch: 2 })
})

test('lets a claim wait until the node goes on, and refuses it when that takes long', async () => {
  const journal = new GuardedJournal(new MemoryJournal(), true)
  let [isFrozen, waits] = [true, 0]
  journal.isFrozen = () => isFrozen
  journal.whenThawed = async () => {
    waits++
    isFrozen = false
  }
  expect(await journal.claim('a', 'me')).toMatchObject({ epoch: 1 })
  journal.lookAtFounding = async () => void (isFrozen = waits < 2)
  expect(await journal.claim('a', 'me')).toMatchObject({ epoch: 2 })
  expect(waits).toBe(2)
  isFrozen = true
  journal.whenThawed = async () => void waits++
  await expect(journal.claim('a', 'me')).rejects.toThrow(words)
  expect(waits).toBe(3)
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

test('tells of appends where the journal does, refuses them while the node is frozen, and has none where it does not', async () => {
  expect(toldAppendsOf(new GuardedJournal(new MemoryJournal(), true))).toBeUndefined()
  const folder = mkdtempSync(join(tmpdir(), 'sherd-guarded-'))
  const journal = new GuardedJournal(await LmdbJournal.open({ folder }), true)
  let isFrozen = true
  journal.isFrozen = () => isFrozen
  const toldAppends = toldAppendsOf(journal)!
  const appended = (batch: AppendBatch): Promise<AppendResult> =>
    new Promise((succeeded, failed) => toldAppends.append(batch, { succeeded, failed }))
  isFrozen = false
  const { epoch } = await journal.claim('a', 'me')
  const batch = { persistenceId: 'a', epoch, expectedSequenceNr: 0, events: [new Uint8Array([1])] }
  isFrozen = true
  await expect(appended(batch)).rejects.toThrow(words)
  expect(await journal.highestSequenceNr('a')).toBe(0)
  isFrozen = false
  expect(await appended(batch)).toMatchObject({ type: 'Appended', highestSequenceNr: 1 })
  await journal.close()
  rmSync(folder, { recursive: true })
})

test('closes only what is its own', async () => {
  const memory = new MemoryJournal()
  await new GuardedJournal(memory, false).close()
  expect(await memory.highestSequenceNr('a')).toBe(0)
  await new GuardedJournal(memory, true).close()
  await expect(memory.highestSequenceNr('a')).rejects.toMatchObject({ code: 'JOURNAL_CLOSED' })
})

test('reads and writes registers also while the node is frozen, if the store has any', async () => {
  const memory = new MemoryJournal()
  const journal: Journal = new GuardedJournal(memory, true)
  Object.assign(journal, { isFrozen: () => true })
  if (!hasRegisters(journal)) throw new Error('the registers are passed on')
  const written = await journal.writeRegister({
    ...{ name: 'r', expectedRevision: 0, bytes: new Uint8Array([7]) },
  })
  expect(written).toEqual({ type: 'RegisterWritten', revision: 1 })
  const register = { revision: 1, bytes: new Uint8Array([7]) }
  expect(await memory.readRegister('r')).toEqual(register)
  expect(await journal.readRegister('r')).toEqual(register)

  const { claim, append, read, highestSequenceNr, close } = memory
  const without: Journal = { claim, append, read, highestSequenceNr, close }
  expect(hasRegisters(new GuardedJournal(without, false))).toBe(false)
})
