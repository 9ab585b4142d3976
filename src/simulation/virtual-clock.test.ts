import { expect, test } from 'vitest'
import { NodeClock, VirtualClock, startOfTimeMs } from './virtual-clock.ts'

test('a deadline is never before its delay has passed', () => {
  const clock = new VirtualClock()
  const node = new NodeClock(clock, { monotonicStartMs: 12_345 })
  for (const delayMs of [0.1, 0.2, 0.3, 1, 1.1, 7.000_3, 1e-9, 0]) {
    const startMs = node.monotonicMs()
    clock.advanceTo(clock.deadlineUs(delayMs))
    expect(node.monotonicMs() - startMs).toBeGreaterThanOrEqual(
      Math.floor(delayMs * 1_000) / 1_000 - 1e-9,
    )
  }
})

test('whole milliseconds stay whole', () => {
  const clock = new VirtualClock()
  for (let n = 0; n < 1_000; n++) clock.advanceTo(clock.deadlineUs(0.1))
  expect(clock.nowMs).toBe(100)
})

test('time does not go back', () => {
  const clock = new VirtualClock()
  clock.advanceTo(5)
  expect(() => clock.advanceTo(4)).toThrow('does not go back')
})

test('nodes see the same time through clocks of their own', () => {
  const clock = new VirtualClock()
  clock.advanceTo(2_000_000)
  const node = new NodeClock(clock, { monotonicStartMs: 500, wallOffsetMs: -250 })
  clock.advanceTo(3_000_000)
  expect(node.monotonicMs()).toBe(1_500)
  expect(node.uptimeMs()).toBe(1_000)
  expect(node.wallMs()).toBe(startOfTimeMs + 3_000 - 250)
  node.stepWall(-1_000)
  expect(node.wallMs()).toBe(startOfTimeMs + 3_000 - 1_250)
  expect(node.monotonicMs()).toBe(1_500)
})

test('a clock that runs fast counts more of the same time, on the wall, too', () => {
  const clock = new VirtualClock()
  clock.advanceTo(2_000_000)
  const node = new NodeClock(clock, { monotonicStartMs: 500, rate: 1.5 })
  clock.advanceTo(4_000_000)
  expect(node.monotonicMs()).toBe(3_500)
  expect(node.uptimeMs()).toBe(3_000)
  expect(node.wallMs()).toBe(startOfTimeMs + 5_000)
})

test.each([
  [0.1 + 0.2, 300],
  [7.000_3, 7_001],
  [0.000_5, 1],
  [1e-9, 0],
])('%d ms are %d microseconds: rounded up, but not for the noise of fractions', (ms, us) => {
  expect(new VirtualClock().deadlineUs(ms)).toBe(us)
})
