import { describe, expect, test } from 'vitest'
import { ActorSystem } from '../actor/index.ts'
import { describeDifference } from './difference.ts'
import { createInbox } from './kit/inbox.ts'
import { ManualTime } from './manual-time.ts'
import { createTestProbe } from './test-probe.ts'

const padding = 'x'.repeat(300)
const order = (count: number) => ({
  type: 'Order',
  note: padding,
  lines: [{ item: 'tea' }, { item: 'cake', count }],
})

describe('the difference between what was expected and what came', () => {
  test('is left to the reader when both are shown whole', () => {
    expect(describeDifference({ count: 1 }, { count: 2 })).toBe('')
  })

  test('is found in what is too long to be shown', () => {
    expect(describeDifference(order(1), order(2))).toBe(
      'They differ at lines[1].count: 1 was expected, 2 came.',
    )
  })

  test('is found in what is too deep to be shown', () => {
    const deep = (value: unknown) => ({ a: { b: { c: { d: { e: { f: value } } } } } })
    expect(describeDifference(deep(1), deep([]))).toBe(
      'They differ at a.b.c.d.e.f: 1 was expected, [] came.',
    )
  })

  test('may be a field that one of them does not have', () => {
    expect(describeDifference({ padding, a: 1 }, { padding })).toBe(
      'They differ at a: 1 was expected, nothing came.',
    )
    expect(describeDifference({ list: [padding] }, { list: [padding, 2] })).toBe(
      'They differ at list[1]: nothing was expected, 2 came.',
    )
  })

  test('is found in long texts', () => {
    expect(describeDifference(`${padding}a`, `${padding}bc`)).toBe(
      "They differ at character 300: 'xxxxxxxxxxa' was expected, 'xxxxxxxxxxbc' came.",
    )
  })

  test('does not go round in circles', () => {
    const circle = (value: number) => {
      const object: Record<string, unknown> = { padding }
      object['self'] = object
      object['value'] = value
      return object
    }
    expect(describeDifference(circle(1), circle(2))).toBe(
      'They differ at value: 1 was expected, 2 came.',
    )
  })

  test('is told by probes and inboxes', async () => {
    const system = new ActorSystem('t', { environment: new ManualTime().environment })
    const probe = createTestProbe<unknown>(system)
    const inbox = createInbox<unknown>()
    for (const ref of [probe.ref, inbox.ref]) ref.tell(order(2))
    const told = 'They differ at lines[1].count: 1 was expected, 2 came.'
    await expect(probe.expect(order(1))).rejects.toThrow(told)
    expect(() => inbox.expect(order(1))).toThrow(told)
    await system.terminate()
  })
})
