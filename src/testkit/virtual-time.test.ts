import { describe, expect, test } from 'vitest'
import { VirtualTime } from './virtual-time.ts'

describe('VirtualTime', () => {
  test('stands still until it is told to move', () => {
    const time = new VirtualTime()
    expect([time.monotonicMs(), time.wallMs()]).toEqual([0, Date.UTC(2000, 0, 1)])
    time.moveTo(5)
    time.moveTo(3)
    expect([time.monotonicMs(), time.wallMs()]).toEqual([5, Date.UTC(2000, 0, 1) + 5])
  })

  test('calls in the order of deadlines, and at the same deadline in the order of starts', () => {
    const time = new VirtualTime()
    const calls: string[] = []
    const start = (name: string, ms: number): unknown =>
      time.after(ms, () => calls.push(`${name} at ${time.monotonicMs()}`))
    start('late', 20)
    for (const name of ['a', 'b', 'c', 'd', 'e']) start(name, 10)
    start('early', 5)
    while (time.fireNext(19));
    expect(calls).toEqual(['early at 5', 'a at 10', 'b at 10', 'c at 10', 'd at 10', 'e at 10'])
    expect(time.nextDeadlineMs).toBe(20)
  })

  test('does not call what was cancelled, nor wait for it', () => {
    const time = new VirtualTime()
    const calls: string[] = []
    const timer = time.after(5, () => calls.push('cancelled'))
    time.after(7, () => calls.push('kept'))
    timer.cancel()
    expect(time.nextDeadlineMs).toBe(7)
    expect(time.fireNext(10)).toBe(true)
    timer.cancel()
    expect(time.fireNext(10)).toBe(false)
    expect(calls).toEqual(['kept'])
    expect(time.nextDeadlineMs).toBeUndefined()
  })
})
