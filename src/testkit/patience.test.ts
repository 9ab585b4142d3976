import { afterEach, expect, test, vi } from 'vitest'
import { comesWithin, hop, realMs } from './patience.ts'

const never = new Promise<never>(() => undefined)

afterEach(() => {
  vi.useRealTimers()
})

test('says whether the event came in time', async () => {
  expect(await comesWithin(1_000, hop())).toBe(true)
  const startMs = realMs()
  expect(await comesWithin(20, never)).toBe(false)
  expect(realMs() - startMs).toBeGreaterThan(18)
})

test('is not stopped by fake timers of the test runner', async () => {
  vi.useFakeTimers()
  await hop()
  expect(await comesWithin(5, never)).toBe(false)
})

test('looks once more after the whole process was held up', async () => {
  const event = hop().then(hop)
  const outcome = comesWithin(1, event)
  const endMs = realMs() + 20
  while (realMs() < endMs);
  expect(await outcome).toBe(true)
})
