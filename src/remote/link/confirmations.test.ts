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

test('what is lost is settled too, and counted', () => {
  const confirmations = new Confirmations()
  let isDone = false
  confirmations.handedOver(10)
  confirmations.confirmed(4)
  confirmations.whenSettled(2, () => (isDone = true))
  expect(confirmations.connectionLost()).toBe(6)
  expect(isDone).toBe(false)
  confirmations.gaveUp(2)
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
