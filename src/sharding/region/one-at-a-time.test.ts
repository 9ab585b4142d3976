import { describe, expect, test } from 'vitest'
import { OneAtATime } from './one-at-a-time.ts'

describe('OneAtATime', () => {
  test('runs what is given during a piece of work after it, in order', () => {
    const done: string[] = []
    const turns = new OneAtATime({ lookFirst: () => undefined, onError: () => undefined })
    turns.run(() => {
      turns.run(() => {
        done.push('second')
        turns.run(() => done.push('fourth'))
      })
      turns.run(() => done.push('third'))
      done.push('first')
      expect(turns.isBusy).toBe(true)
    })
    expect(done).toEqual(['first', 'second', 'third', 'fourth'])
    expect(turns.isBusy).toBe(false)
  })

  test('goes on after a piece of work that throws', () => {
    const errors: unknown[] = []
    const done: string[] = []
    const turns = new OneAtATime({
      lookFirst: () => undefined,
      onError: (error) => errors.push(error),
    })
    turns.run(() => {
      turns.run(() => done.push('next'))
      throw new Error('broken')
    })
    turns.run(() => done.push('last'))
    expect(done).toEqual(['next', 'last'])
    expect(errors).toEqual([new Error('broken')])
  })

  test('does first what a look before it brings, once for all that is given during a piece', () => {
    const done: string[] = []
    let looks = 0
    const turns: OneAtATime = new OneAtATime({
      lookFirst: () => {
        if (looks++ === 0) turns.run(() => done.push('freeze'))
      },
      onError: () => undefined,
    })
    turns.run(() => {
      turns.run(() => done.push('second'))
      done.push('first')
    })
    expect(done).toEqual(['freeze', 'first', 'second'])
    // Its own, and that of what the look brought.
    expect(looks).toBe(2)
  })
})
