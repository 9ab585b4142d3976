import { afterEach, expect, test, vi } from 'vitest'
import type { Benchmark } from './benchmark.ts'
import { printTable, toJson } from './report.ts'

const benchmark: Benchmark = { name: 'tell', summary: 'messages', run: async () => [] }
const cases = [
  {
    name: '1 to 1',
    unit: 'messages/s',
    contestants: [
      { name: 'ours', samples: [100, 300, 200.4] },
      { name: 'bare', samples: [400, 500, 300] },
      { name: 'nact', samples: [10, 30] },
    ],
  },
]

afterEach(() => void vi.restoreAllMocks())

test('tells programs the medians in one line', () => {
  expect(toJson(benchmark, cases)).toBe(
    '{"name":"tell","rows":[{"case":"1 to 1","ours":200,"unit":"messages/s",' +
      '"baselines":{"bare":400,"nact":20}}]}',
  )
})

test('shows people median, range, spread and ratio', () => {
  const print = vi.spyOn(console, 'log').mockReturnValue()
  printTable(benchmark, cases)
  const lines = print.mock.calls.map(([text]) =>
    String(text)
      .trim()
      .split(/\s{2,}/),
  )
  expect(lines).toEqual([
    ['tell: messages (median of 3 alternating rounds; bigger is better)'],
    ['1 to 1', 'messages/s', 'lowest - highest', 'spread', 'ours is'],
    ['ours', '200', '100 - 300', '49.7 %'],
    ['bare', '400', '300 - 500', '25.0 %', '0.50 x'],
    ['nact', '20', '10 - 30', '50.0 %', '10 x'],
  ])
})
