import { describe, expect, test } from 'vitest'
import { SystemReceiver, SystemSender } from './system-delivery.ts'
import type { SystemMessage } from './system-messages.ts'

const died = (id: number): SystemMessage => ({ type: 'Died', id })

describe('SystemSender', () => {
  test('keeps messages under their numbers until they are confirmed', () => {
    const sender = new SystemSender()
    for (const id of [1, 2, 3]) {
      expect(sender.add({ message: died(id), node: 'n', sinceMs: id })).toBe(id)
    }
    sender.confirmed(2)
    expect([...sender.numbered()]).toEqual([[3, died(3)]])
    sender.confirmed(2)
    expect(sender.size).toBe(1)
    expect([...sender.waiting()].map(({ sinceMs }) => sinceMs)).toEqual([3])
  })

  test('does not believe in the confirmation of what it has not sent', () => {
    const sender = new SystemSender()
    for (const id of [1, 2]) sender.add({ message: died(id), node: 'n', sinceMs: 0 })
    expect(sender.confirmed(1)).toBe(true)
    expect(() => sender.confirmed(3)).toThrow('was not sent')
  })

  test('tells that a peer counts from before it began, and keeps what it has', () => {
    const sender = new SystemSender()
    expect(sender.confirmed(0)).toBe(true)
    sender.add({ message: died(1), node: 'n', sinceMs: 0 })
    expect(sender.confirmed(2)).toBe(false)
    expect(sender.size).toBe(1)
  })

  test('begins anew for another incarnation, with what may go to it', () => {
    const sender = new SystemSender()
    for (const node of ['old', undefined, 'old']) {
      sender.add({ message: died(7), node, sinceMs: 0 })
    }
    sender.confirmed(1)
    sender.restart(({ node }) => node === undefined)
    expect([...sender.numbered()]).toEqual([[1, died(7)]])
  })
})

describe('SystemReceiver', () => {
  test('takes each number once and none too early', () => {
    const receiver = new SystemReceiver()
    expect([1, 1, 2, 1].map((number) => receiver.take(number))).toEqual([true, false, true, false])
    expect(() => receiver.take(4)).toThrow('is missing')
    expect(receiver.last).toBe(2)
    expect(receiver.isForgotten(4)).toBe(false)
  })

  test('tells that a peer counts from before it began', () => {
    const receiver = new SystemReceiver()
    expect([1, 2, 300].map((number) => receiver.isForgotten(number))).toEqual([false, true, true])
  })
})
