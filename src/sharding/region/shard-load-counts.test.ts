import { expect, test } from 'vitest'
import { ShardLoadCounts, shardsPerReportMax } from './shard-load-counts.ts'

test('reports what was counted since the last report, of the shards that are here', () => {
  const counts = new ShardLoadCounts(8, 1_000)
  counts.messages[3]! += 2
  counts.bytes[3]! += 64
  counts.messages[5]! += 9
  const report = { type: 'ShardLoads', region: 'a', durationMs: 500 }
  expect(counts.take([1, 3], 'a', 1_500)).toEqual([
    { ...report, shards: [1, 3], messages: [0, 2], bytes: [0, 64] },
  ])
  expect(counts.take([3, 5], 'a', 2_000)).toEqual([
    { ...report, shards: [3, 5], messages: [0, 0], bytes: [0, 0] },
  ])
})

test('leaves out a shard until it was there for the whole time: what waited for it is no measure', () => {
  const counts = new ShardLoadCounts(8, 0)
  counts.started(3)
  counts.messages[3]! += 1_000
  expect(counts.take([3], 'a', 500)).toEqual([])
  counts.messages[3]!++
  expect(counts.take([3], 'a', 1_000)).toMatchObject([{ shards: [3], messages: [1] }])
})

test('reports nothing of no time, and many shards in parts', () => {
  const counts = new ShardLoadCounts(1_200, 0)
  const shards = Array.from({ length: 1_200 }, (_, shard) => shard)
  expect(counts.take(shards, 'a', 0)).toEqual([])
  const parts = counts.take(shards, 'a', 1).map((report) => report.shards.length)
  expect(parts).toEqual([shardsPerReportMax, shardsPerReportMax, 200])
})
