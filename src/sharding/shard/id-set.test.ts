import { expect, test } from 'vitest'
import { IdSet } from './id-set.ts'

test('has what was added and not deleted, each once', () => {
  const set = new IdSet()
  const ids = Array.from({ length: 1_000 }, (_, index) => `${index}`)
  for (const id of [...ids, ...ids, 'x', 'ü']) set.add(id)
  for (const id of ['x', 'stranger', '7', '7']) set.delete(id)
  expect(set.size).toBe(1_000)
  expect([set.has('7'), set.has('8'), set.has('x'), set.has('ü')]).toEqual([
    ...[false, true, false, true],
  ])
  expect([...set].sort()).toEqual([...ids.filter((id) => id !== '7'), 'ü'].sort())
})

test('may be emptied while it is iterated', () => {
  const set = new IdSet()
  for (let index = 0; index < 500; index++) set.add(`id-${index}`)
  const seen: string[] = []
  for (const id of set) {
    seen.push(id)
    set.delete(id)
  }
  expect([seen.length, set.size]).toEqual([500, 0])
})
