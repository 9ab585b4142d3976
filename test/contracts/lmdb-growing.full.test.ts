import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LmdbJournal } from '../../src/persistence/index.ts'
import { claimed, readEvents } from '../../src/testkit/journal-contract/journal-texts.ts'
import { printFigures } from '../figures.ts'
import { Writer } from './lmdb-processes.ts'

/** Address space that a store begins with. */
const firstMapBytes = 2 ** 30

test('a store grows past the address space it began with, also under a process that has it open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sherd-growing-'))
  const other = new Writer(folder, 'other', 2)
  try {
    await other.acknowledged(10)
    const journal = await LmdbJournal.open({ folder })
    const { id, epoch } = await claimed(journal, 'large')
    const bytes = Buffer.alloc(1_000_000, 'x')
    let count = 0
    while (statSync(join(folder, 'data.mdb')).size < 1.1 * firstMapBytes) {
      const events = Array.from({ length: 8 }, (_, index) => Buffer.from(bytes).fill(index, 0, 8))
      const batch = { persistenceId: id, epoch, expectedSequenceNr: count, events }
      const result = await journal.append(batch)
      expect(result).toMatchObject({ type: 'Appended', highestSequenceNr: count + 8 })
      count += 8
    }
    await other.acknowledgedMore(50)
    await other.kill()
    const stored = await readEvents(journal, 'stream|0')
    expect(stored.length).toBeGreaterThan(20)
    let read = 0
    const all = { persistenceId: id, fromSequenceNr: count - 100, toSequenceNr: count }
    await journal.read(all, (event) => void (event.bytes.length === bytes.length && read++))
    expect(read).toBe(101)
    await journal.close()
    const fileBytes = statSync(join(folder, 'data.mdb')).size
    printFigures('a store that grows', { events: count, fileBytes, firstMapBytes })
  } finally {
    await other.kill()
    rmSync(folder, { recursive: true })
  }
})
