import { expect, test } from 'vitest'
import {
  appendText,
  claimed,
  readAll,
  readTexts,
} from '../../testkit/journal-contract/journal-texts.ts'
import { MemoryJournal } from './memory-journal.ts'
import { MemoryStore } from './memory-store.ts'

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

test('numbers the events of each slice apart: nobody can take the order of one store for that of all', async () => {
  const journal = new MemoryJournal()
  for (const id of ['a', 'b']) await appendText(journal, await claimed(journal, id), 'x', 'y')
  expect((await readAll(journal)).map(({ order }) => order)).toEqual([1, 2, 1, 2])
})
