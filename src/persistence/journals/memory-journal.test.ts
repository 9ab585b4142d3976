import { expect, test } from 'vitest'
import { journalContract } from '../../../test/contracts/journal.ts'
import { appendText, claimed, readTexts } from '../../../test/contracts/journal-words.ts'
import { MemoryJournal } from './memory-journal.ts'
import { MemoryStore } from './memory-store.ts'

journalContract('MemoryJournal', () => {
  const store = new MemoryStore()
  return {
    open: (settings = {}) => new MemoryJournal({ store, settings }),
    remove: async () => {},
  }
})

test('journals on one store fence each other, as nodes on one database do', async () => {
  const store = new MemoryStore()
  const [left, right] = [new MemoryJournal({ store }), new MemoryJournal({ store })]
  const first = await claimed(left, 'a')
  await appendText(left, first, 'x')
  const second = await claimed(right, 'a')
  expect(await appendText(left, { ...first, after: 1 }, 'late')).toMatchObject({ type: 'Fenced' })
  expect(await appendText(right, second, 'y')).toMatchObject({ type: 'Appended' })
  expect(await readTexts(left, 'a')).toEqual(['x', 'y'])
})
