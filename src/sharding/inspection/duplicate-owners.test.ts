import { describe, expect, test } from 'vitest'
import type { HostedShard, RegionReported } from '../sharding-messages.ts'
import { confirmed, duplicatesAmong } from './duplicate-owners.ts'

const a = '10.0.0.1:2552#0000000000000001'
const b = '10.0.0.2:2552#0000000000000002'

function answer(...shards: readonly Partial<HostedShard>[]): RegionReported {
  return {
    ...{ type: 'RegionReported', ask: 1, isProxy: false, phase: 'serving' },
    ...{ isFrozen: false, buffered: 0 },
    shards: shards.map((each) => ({
      ...{ shard: 1, epoch: 1, phase: 'running', entities: 0, ...each },
    })),
  }
}

describe('duplicate owners', () => {
  test('are none where every shard lives once, or stops at one of two homes', () => {
    const answers = new Map([
      [a, answer({ shard: 1 }, { shard: 2, phase: 'stopping' })],
      [b, answer({ shard: 2, epoch: 5 })],
    ])
    expect(duplicatesAmong(answers)).toEqual([])
  })

  test('are told with the earlier life first', () => {
    const answers = new Map([
      [a, answer({ shard: 7, epoch: 9 })],
      [b, answer({ shard: 7, epoch: 4 })],
      ['silent', undefined],
    ])
    const owners = [
      { node: b, epoch: 4 },
      { node: a, epoch: 9 },
    ]
    expect(duplicatesAmong(answers)).toEqual([{ shard: 7, owners }])
  })

  test('are entities in two shards as well', () => {
    const answers = new Map([
      [a, answer({ shard: 1, epoch: 1, entityIds: ['x', 'y'] })],
      [b, answer({ shard: 2, epoch: 2, entityIds: ['x'] })],
    ])
    const owners = [
      { node: a, epoch: 1 },
      { node: b, epoch: 2 },
    ]
    expect(duplicatesAmong(answers)).toEqual([{ shard: 1, entityId: 'x', owners }])
  })

  test('are none when the earlier life has ended by the second look', async () => {
    const duplicate = {
      shard: 7,
      owners: [
        { node: b, epoch: 4 },
        { node: a, epoch: 9 },
      ],
    }
    const countAfter = async (again: RegionReported | undefined) =>
      (await confirmed([duplicate], () => Promise.resolve(again))).length
    expect(await countAfter(answer({ shard: 7, epoch: 4 }))).toBe(1)
    expect(await countAfter(answer({ shard: 7, epoch: 4, phase: 'stopping' }))).toBe(0)
    expect(await countAfter(answer({ shard: 7, epoch: 11 }))).toBe(0)
    expect(await countAfter(answer())).toBe(0)
    expect(await countAfter(undefined)).toBe(0)
  })

  test('are looked at again with one question to a node, however many they are', async () => {
    const mine = Array.from({ length: 1_000 }, (_, shard) => ({ shard, epoch: 1 }))
    const theirs = mine.map(({ shard }) => ({ shard, epoch: 2 }))
    const suspected = duplicatesAmong(
      new Map([
        [a, answer(...mine)],
        [b, answer(...theirs)],
      ]),
    )
    const asked: string[] = []
    const found = await confirmed(suspected, (node) => {
      asked.push(node)
      return Promise.resolve(answer(...mine))
    })
    expect([found.length, asked]).toEqual([1_000, [a]])
  })
})
