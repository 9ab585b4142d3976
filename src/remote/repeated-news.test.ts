import { expect, test } from 'vitest'
import { minutes, seconds } from '../foundation/duration.ts'
import { RepeatedNews } from './repeated-news.ts'

test('tells the first of a kind, and after a while how many were left out', () => {
  const news = new RepeatedNews()
  expect(news.leftOut('a', 0)).toBe(0)
  expect(news.leftOut('b', 1)).toBe(0)
  expect([news.leftOut('a', 2), news.leftOut('a', minutes(9))]).toEqual([undefined, undefined])
  expect(news.leftOut('a', minutes(10))).toBe(2)
  expect(news.leftOut('a', minutes(10))).toBeUndefined()
  expect(news.leftOut('a', minutes(21))).toBe(1)
})

test('makes few lines of very many kinds, and goes on when their while is over', () => {
  const news = new RepeatedNews()
  const linesOf = (name: string, fromMs: number): number => {
    let lines = 0
    for (let n = 0; n < 5_000; n++) {
      if (news.leftOut(`${name} ${n}`, fromMs + n) !== undefined) lines++
    }
    return lines
  }
  expect(linesOf('a', 0)).toBe(101)
  expect(linesOf('b', seconds(30))).toBe(0)
  expect(news.leftOut('a 7', minutes(1))).toBeUndefined()
  expect(news.leftOut('a 77777', minutes(10) + seconds(6))).toBe(0)
  expect(linesOf('c', minutes(20))).toBeLessThanOrEqual(101)
})
