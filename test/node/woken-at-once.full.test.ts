import { test } from 'vitest'
import { wakeAtOnce } from './woken-at-once.ts'

test('5,000 entities of 2,000 events that are all woken at once answer or say why not in time', async () => {
  await wakeAtOnce({ entities: 5_000, events: 2_000 })
}, 900_000)
