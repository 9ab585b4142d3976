import { expect, test } from 'vitest'
import { type Stranger, Strangers } from './strangers.ts'

const silent = (from: string): Stranger => ({ from, isGreeting: false })
const greeting = (from: string): Stranger => ({ from, isGreeting: true })

function firstOf(...all: readonly Stranger[]): string | undefined {
  const strangers = new Strangers()
  for (const stranger of all) strangers.add(stranger)
  return strangers.first()?.stranger.from
}

/** More than any host may have without crowding others out. */
const crowd = (host: string, isGreeting: boolean): Stranger[] =>
  Array.from({ length: 20 }, (_, n) => ({ from: `${host}:${n}`, isGreeting }))

test('nobody goes where nobody is', () => {
  expect(firstOf()).toBeUndefined()
})

test('of one host the oldest goes, and rather one that says nothing', () => {
  expect(firstOf(silent('::1:1'), silent('::1:2'))).toBe('::1:1')
  expect(firstOf(greeting('::1:1'), greeting('::1:2'))).toBe('::1:1')
  expect(firstOf(greeting('::1:1'), silent('::1:2'), silent('::1:3'))).toBe('::1:2')
})

test('the host that has the most gives way, even to one that has said nothing yet', () => {
  expect(firstOf(silent('10.0.0.1:1'), ...crowd('10.0.0.2', true))).toBe('10.0.0.2:0')
})

test('a few of one host are no crowd', () => {
  const lanes = [greeting('10.0.0.1:1'), greeting('10.0.0.1:2'), greeting('10.0.0.1:3')]
  expect(firstOf(...lanes, silent('10.0.0.2:1'), silent('10.0.0.3:1'))).toBe('10.0.0.2:1')
})

test('who is gone makes room', () => {
  const [one, two] = [silent('10.0.0.1:1'), silent('10.0.0.1:2')]
  const strangers = new Strangers()
  strangers.add(one)
  strangers.add(two)
  strangers.delete(one)
  expect([strangers.count, strangers.first()]).toEqual([1, { stranger: two, share: 1 }])
})
