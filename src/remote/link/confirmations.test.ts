import { expect, test } from 'vitest'
import { BackOff } from './back-off.ts'
import { Confirmations } from './confirmations.ts'

test('tells when everything sent so far has come', () => {
  const confirmations = new Confirmations()
  const done: string[] = []
  confirmations.whenSettled(0, () => done.push('nothing was sent'))
  confirmations.handedOver(10)
  confirmations.whenSettled(5, () => done.push('15'))
  confirmations.whenSettled(0, () => done.push('10'))
  confirmations.confirmed(10)
  expect(done).toEqual(['nothing was sent', '10'])
  confirmations.handedOver(5)
  confirmations.confirmed(15)
  expect(done).toEqual(['nothing was sent', '10', '15'])
  expect(confirmations.isAwaited).toBe(false)
})

test('keeps nothing for who does not want to know any more', () => {
  const confirmations = new Confirmations()
  const done: string[] = []
  confirmations.handedOver(1)
  const takeBack = confirmations.whenSettled(0, () => done.push('taken back'))
  confirmations.whenSettled(0, () => done.push('other'))()
  expect(confirmations.isAwaited).toBe(true)
  takeBack()
  expect(confirmations.isAwaited).toBe(false)
  confirmations.confirmed(1)
  takeBack()
  expect(done).toEqual([])
})

test('what is lost is settled too, and counted', () => {
  const confirmations = new Confirmations()
  let isDone = false
  confirmations.handedOver(10)
  confirmations.confirmed(4)
  confirmations.whenSettled(2, () => (isDone = true))
  expect(confirmations.connectionLost()).toBe(6)
  expect(isDone).toBe(false)
  confirmations.tookOut([0, 1])
  expect(isDone).toBe(true)
})

test('what leaves the queue counts for those who wait for it, and for nothing that is under way', () => {
  const confirmations = new Confirmations()
  const done: string[] = []
  confirmations.connectionBegan()
  confirmations.handedOver(2)
  confirmations.whenSettled(0, () => done.push('handed over'))
  confirmations.whenSettled(3, () => done.push('three that wait'))
  confirmations.tookOut([1, 2, 3])
  expect(done).toEqual([])
  confirmations.confirmed(2)
  expect(done).toEqual(['handed over'])
  confirmations.handedOver(1)
  confirmations.confirmed(3)
  expect(done).toEqual(['handed over', 'three that wait'])
})

test('what waits for the next connection is not settled by the end of this one', () => {
  const confirmations = new Confirmations()
  let isDone = false
  confirmations.handedOver(1)
  confirmations.whenSettled(1, () => (isDone = true))
  confirmations.connectionLost()
  confirmations.connectionBegan()
  // The one in its place is for an incarnation that is gone.
  confirmations.tookOut([1])
  confirmations.handedOver(1)
  expect(isDone).toBe(false)
  confirmations.confirmed(1)
  expect(isDone).toBe(true)
})

test('counts anew on every connection, and refuses more than was sent', () => {
  const confirmations = new Confirmations()
  confirmations.handedOver(10)
  confirmations.connectionLost()
  confirmations.connectionBegan()
  confirmations.handedOver(3)
  confirmations.confirmed(2)
  expect(confirmations.connectionLost()).toBe(1)
  expect(() => confirmations.confirmed(99)).toThrow('more is confirmed than was sent')
})

test('pauses grow to their limit, with some chance in them', () => {
  const random = { float: () => 0.5, below: () => 0, uid: () => 1n }
  const backOff = new BackOff(100, 1_000, random)
  expect(Array.from({ length: 6 }, () => backOff.next())).toEqual([100, 200, 400, 800, 1000, 1000])
  backOff.reset()
  expect(backOff.next()).toBe(100)
})
