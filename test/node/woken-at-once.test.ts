import { test } from 'vitest'
import { wakeAtOnce } from './woken-at-once.ts'

test('entities that are all woken at once answer, though they recover longer than they would rest', async () => {
  await wakeAtOnce({ entities: 300, events: 500 })
}, 120_000)
