/** What the scenario says of remembered entities is tested where they are. */
import { expect, test } from 'vitest'
import { answerOf, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const init = (node: ShardingNode): void =>
  hostCounters(node, { extractor: new ByNumber(10), settings: { numberOfShards: 10 } })

const shardsOf = (node: ShardingNode): number[] =>
  node.sharding
    .regionState('Counter')
    .shards.map(({ shard }) => shard)
    .sort((one, other) => one - other)

test('SH-016 shards go to whoever has the fewest, and all to the other one when a region stops', async () => {
  await play(async (scene) => {
    const a = await scene.start('a', { init })
    const b = await scene.start('b', { init })
    expect((await scene.settle(countOf(a, '1'))).node).toBe(a.id)
    expect((await scene.settle(countOf(b, '2'))).node).toBe(b.id)
    expect((await scene.settle(countOf(b, '3'))).node).toBe(a.id)
    expect([shardsOf(a), shardsOf(b)]).toEqual([[1, 3], [2]])
    await scene.settle(b.sharding.gracefulShutdown('Counter'))
    expect((await scene.settle(answerOf(a, '2'))).node).toBe(a.id)
    expect([shardsOf(a), shardsOf(b)]).toEqual([[1, 2, 3], []])
  })
})
